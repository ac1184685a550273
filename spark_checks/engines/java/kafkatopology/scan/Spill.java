package kafkatopology.scan;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * Records whose keys found no room in memory: what is needed of them to judge them later, in a few files.
 *
 * The hash of the key chooses the file, so all records of a key are in one, in their order. Where a file again has more
 * keys than fit, a spill of the next level splits it by other bits of the hash.
 */
final class Spill implements AutoCloseable {
    private static final int FILE_BITS = 4;
    private static final int LEVELS = Long.SIZE / FILE_BITS;

    private final Layout layout;
    private final boolean withKeys;
    private final int level;
    private final SpillFile[] files = new SpillFile[1 << FILE_BITS];
    private int next;
    private long mask;

    /** `withKeys`: whether the bytes of the keys are needed later, not only their hash. */
    Spill(Layout layout, boolean withKeys) {
        this(layout, withKeys, 0);
    }

    private Spill(Layout layout, boolean withKeys, int level) {
        this.layout = layout;
        this.withKeys = withKeys;
        this.level = level;
    }

    Spill ofNextLevel() {
        return new Spill(layout, withKeys, level + 1);
    }

    /** `answers`: those that are known already, of conditions that do not look at other records of the key. */
    void add(long answers, Record record) {
        int shift = Long.SIZE - FILE_BITS * (level % LEVELS + 1);
        int index = (int) (record.keyHash.second >>> shift) & files.length - 1;
        if (files[index] == null) {
            files[index] = new SpillFile();
        }
        SpillFile file = files[index];
        file.putLong(record.keyHash.first);
        file.putLong(record.keyHash.second);
        file.putLong(answers);
        file.putLong(record.offset);
        file.putLong(record.timestampMs);
        file.putLong(record.bytes());
        if (layout.latest() != Layout.ABSENT) {
            file.putLong(record.fingerprint());
        }
        for (int field = 0; field < layout.fields(); field++) {
            if (layout.largest(field) != Layout.ABSENT) {
                putNumber(file, record, field);
            }
        }
        if (withKeys) {
            file.putBytes(record.key.array, record.key.start, record.key.length);
        }
    }

    private static void putNumber(SpillFile file, Record record, int field) {
        file.putLong(record.number(field));
        file.putLong(record.isMoment(field) ? 1 : 0);
        if (record.number(field) == Numbers.BIG) {
            byte[] digits = record.big(field).unscaledValue().toByteArray();
            file.putLong(record.big(field).scale());
            file.putBytes(digits, 0, digits.length);
        }
    }

    /** The next file, ready to be read; null when there is none. The caller closes it. */
    SpillFile nextFile() {
        while (next < files.length) {
            SpillFile file = files[next];
            files[next++] = null;
            if (file != null) {
                file.rewind();
                return file;
            }
        }
        return null;
    }

    /** Puts the next record of the file into this one; false when there is none. `mask` has its answers so far. */
    boolean read(SpillFile file, Record record) {
        if (!file.hasMore()) {
            return false;
        }
        record.keyHash.first = file.getLong();
        record.keyHash.second = file.getLong();
        mask = file.getLong();
        record.offset = file.getLong();
        record.timestampMs = file.getLong();
        long bytes = file.getLong();
        record.restore(bytes, layout.latest() == Layout.ABSENT ? 0 : file.getLong());
        for (int field = 0; field < layout.fields(); field++) {
            if (layout.largest(field) != Layout.ABSENT) {
                getNumber(file, record, field);
            }
        }
        record.key.set(withKeys ? file.getBytes() : Slice.NOTHING);
        return true;
    }

    long mask() {
        return mask;
    }

    private static void getNumber(SpillFile file, Record record, int field) {
        long number = file.getLong();
        boolean moment = file.getLong() == 1;
        BigDecimal big = null;
        if (number == Numbers.BIG) {
            int scale = (int) file.getLong();
            big = new BigDecimal(new BigInteger(file.getBytes()), scale);
        }
        record.restoreNumber(field, number, moment, big);
    }

    @Override
    public void close() {
        for (SpillFile file : files) {
            if (file != null) {
                file.close();
            }
        }
    }
}

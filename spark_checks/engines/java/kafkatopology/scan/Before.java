package kafkatopology.scan;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.Arrays;

/**
 * What is known of the records before, in one partition: of all of them, and of those with the same key.
 *
 * For a record: `find`, then ask, then `add`. Every answer is `Numbers.NONE` where nothing came before.
 */
final class Before implements AutoCloseable {
    private static final int MOST_KINDS = 2;

    private final Layout layout;
    private final Limits limits;
    private final int[] scales;
    private final Memory memory = new Memory();
    private final HotKeys hotKeys;
    private final long[] largestInPartition;
    private long newestInPartition = Numbers.NONE;
    private final Amounts amounts;
    private KeyTable keys;
    private Amounts amountsOfKeys;
    private boolean keyed;

    /** `scales`: of each number that records have. */
    Before(Layout layout, Limits limits, int[] scales) {
        this.layout = layout;
        this.limits = limits;
        this.scales = scales;
        this.amounts = new Amounts(scales);
        this.hotKeys = layout.records() == Layout.ABSENT ? null : new HotKeys(layout.records(), limits);
        this.largestInPartition = new long[MOST_KINDS * layout.fields()];
        Arrays.fill(largestInPartition, Numbers.NONE);
        if (layout.keepsKeys()) {
            startWithoutKeys();
        }
    }

    /** Forgets all keys, but neither the partition nor the hot keys. */
    void startWithoutKeys() {
        closeKeys();
        keys = new KeyTable(layout.cells(), limits.mostKeys(), memory);
        amountsOfKeys = new Amounts(scales);
        if (hotKeys != null) {
            hotKeys.use(keys);
        }
    }

    /** False where the record's key finds no room: then nothing is known of the records with the same key. */
    boolean find(Record record) {
        keyed = keys != null && !record.key.isNull();
        if (!keyed) {
            return true;
        }
        record.keyHash.of(record.key);
        return findHash(record);
    }

    /** The same for a record whose key's hash is known. */
    boolean findHash(Record record) {
        keyed = keys.find(record.keyHash.first, record.keyHash.second);
        return keyed;
    }

    boolean isFirstOfKey() {
        return keyed && keys.added();
    }

    KeyTable keys() {
        return keys;
    }

    /** How the record's number compares with the largest of its kind before; positive where one of both is missing. */
    int compare(Record record, int field, boolean ofKey) {
        return ofKey
                ? amountsOfKeys.compare(record, field, ofKey(cell(record, field)))
                : amounts.compare(record, field, largestInPartition[place(record, field)]);
    }

    private int cell(Record record, int field) {
        return layout.largest(field) + (record.isMoment(field) ? 1 : 0);
    }

    private static int place(Record record, int field) {
        return MOST_KINDS * field + (record.isMoment(field) ? 1 : 0);
    }

    long newest(boolean ofKey) {
        return ofKey ? ofKey(layout.newest()) : newestInPartition;
    }

    /** The fingerprint of the latest record of the key. */
    long latest() {
        return ofKey(layout.latest());
    }

    /** The record is one of the partition. */
    void add(Record record) {
        newestInPartition = Math.max(newestInPartition, record.timestampMs);
        for (int field = 0; field < layout.fields(); field++) {
            if (record.number(field) != Numbers.NONE && compare(record, field, false) > 0) {
                int place = place(record, field);
                largestInPartition[place] = amounts.kept(record, field, largestInPartition[place]);
            }
        }
    }

    /** The record is one of its key, if that was found. */
    void addToKey(Record record) {
        if (!keyed) {
            return;
        }
        if (hotKeys != null) {
            hotKeys.add(record);
        }
        if (layout.newest() != Layout.ABSENT) {
            keys.set(layout.newest(), Math.max(newest(true), record.timestampMs));
        }
        if (layout.latest() != Layout.ABSENT) {
            keys.set(layout.latest(), record.fingerprint());
        }
        for (int field = 0; field < layout.fields(); field++) {
            boolean kept = layout.largest(field) != Layout.ABSENT && record.number(field) != Numbers.NONE;
            if (kept && compare(record, field, true) > 0) {
                int cell = cell(record, field);
                keys.charge(Amounts.bytes(record, field));
                keys.set(cell, amountsOfKeys.kept(record, field, keys.get(cell)));
            }
        }
    }

    private long ofKey(int cell) {
        return keyed ? keys.get(cell) : Numbers.NONE;
    }

    void writeHotKeys(int partition, ArrayNode answer) {
        if (hotKeys != null) {
            hotKeys.write(partition, answer);
        }
    }

    @Override
    public void close() {
        closeKeys();
        memory.close();
    }

    private void closeKeys() {
        if (keys != null) {
            keys.close();
        }
    }
}

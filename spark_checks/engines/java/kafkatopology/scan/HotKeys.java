package kafkatopology.scan;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.Arrays;
import java.util.Comparator;

/**
 * The keys with the most records, known at every moment: only the key that has just got a record can rise.
 *
 * The bytes of a key are copied when it rises among them. A count keeps its key's place among them in its lowest bits.
 */
final class HotKeys {
    private static final int PLACE_BITS = 8;
    private static final int NO_PLACE = (1 << PLACE_BITS) - 1;
    private static final Comparator<Hot> HOTTEST_FIRST =
            Comparator.<Hot>comparingLong(hot -> -hot.records).thenComparing(hot -> hot.key, Arrays::compareUnsigned);

    private static final class Hot {
        final byte[] key;
        final long first;
        final long second;
        final int turn;
        long records;

        Hot(Record record, int turn, long records) {
            this.key = record.key.copy();
            this.first = record.keyHash.first;
            this.second = record.keyHash.second;
            this.turn = turn;
            this.records = records;
        }
    }

    private final int cell;
    private final Limits limits;
    private final Hot[] hot;
    private KeyTable table;
    /** How many tables there were. */
    private int turn;
    private int size;
    /** Whose place is the last one; negative when that must be looked up. */
    private int coolest = -1;

    /** `cell`: where the table counts records. */
    HotKeys(int cell, Limits limits) {
        if (limits.mostHotKeys() > NO_PLACE) {
            throw new IllegalArgumentException(limits.toString());
        }
        this.cell = cell;
        this.limits = limits;
        this.hot = new Hot[limits.mostHotKeys()];
    }

    /** Counts in this table from now on. No key is in two of them. */
    void use(KeyTable another) {
        table = another;
        turn++;
    }

    /** Another record of the key that the table looks at. */
    void add(Record record) {
        long before = table.get(cell);
        long counted = before == Numbers.NONE ? 1L << PLACE_BITS | NO_PLACE : before + (1L << PLACE_BITS);
        table.set(cell, counted);
        if (counted >> PLACE_BITS >= limits.hotKeyRecords()) {
            rank(record, counted >> PLACE_BITS, (int) counted & NO_PLACE);
        }
    }

    private void rank(Record record, long records, int place) {
        if (place != NO_PLACE) {
            hot[place].records = records;
            coolest = coolest == place ? -1 : coolest;
        } else if (size < hot.length) {
            put(size++, record, records);
        } else {
            Hot last = hot[coolest()];
            if (records > last.records || records == last.records && compare(record.key, last.key) < 0) {
                forgetPlace(last);
                table.find(record.keyHash.first, record.keyHash.second);
                put(coolest, record, records);
            }
        }
    }

    private void put(int place, Record record, long records) {
        hot[place] = new Hot(record, turn, records);
        table.set(cell, records << PLACE_BITS | place);
        coolest = -1;
    }

    private void forgetPlace(Hot other) {
        if (other.turn == turn) {
            table.find(other.first, other.second);
            table.set(cell, other.records << PLACE_BITS | NO_PLACE);
        }
    }

    private int coolest() {
        if (coolest < 0) {
            coolest = 0;
            for (int place = 1; place < size; place++) {
                coolest = HOTTEST_FIRST.compare(hot[place], hot[coolest]) > 0 ? place : coolest;
            }
        }
        return coolest;
    }

    private static int compare(Slice key, byte[] other) {
        return Arrays.compareUnsigned(key.array, key.start, key.start + key.length, other, 0, other.length);
    }

    /** [partition, key, records] each, the key in base64. */
    void write(int partition, ArrayNode answer) {
        Hot[] sorted = Arrays.copyOf(hot, size);
        Arrays.sort(sorted, HOTTEST_FIRST);
        for (Hot each : sorted) {
            byte[] key = Arrays.copyOf(each.key, Math.min(each.key.length, limits.longestKey()));
            answer.addArray().add(partition).add(key).add(each.records);
        }
    }
}

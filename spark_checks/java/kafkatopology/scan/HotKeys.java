package kafkatopology.scan;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.Arrays;
import java.util.Comparator;

/**
 * The keys with the most records, known at every moment: only the key that has just got a record can rise.
 *
 * The bytes of a key are copied when it rises among them, and a count keeps in its lowest bits whether its key is there.
 */
final class HotKeys {
    private static final int FLAG = 1;

    private record Hot(int row, byte[] key) {}

    private final KeyTable table;
    private final int cell;
    private final Limits limits;
    private final Hot[] hot;
    private int size;
    /** Where the one with the fewest records is; negative when that must be looked up. */
    private int coolest = -1;

    /** `cell`: where the table counts records. */
    HotKeys(KeyTable table, int cell, Limits limits) {
        this.table = table;
        this.cell = cell;
        this.limits = limits;
        this.hot = new Hot[limits.mostHotKeys()];
    }

    /** Another record of the key in this row. */
    void add(int row, Slice key) {
        long counted = table.get(row, cell);
        counted = counted == Numbers.NONE ? 1 << FLAG : counted + (1 << FLAG);
        table.set(row, cell, counted);
        if (counted >> FLAG >= limits.hotKeyRecords()) {
            rank(row, key, counted);
        }
    }

    private void rank(int row, Slice key, long counted) {
        if ((counted & FLAG) != 0) {
            if (coolest >= 0 && hot[coolest].row == row) {
                coolest = -1;
            }
        } else if (size < hot.length) {
            put(size++, row, key);
        } else {
            Hot last = hot[coolest()];
            long records = records(last);
            if (counted >> FLAG > records || counted >> FLAG == records && compare(key, last.key) < 0) {
                table.set(last.row, cell, table.get(last.row, cell) & ~FLAG);
                put(coolest, row, key);
            }
        }
    }

    private void put(int index, int row, Slice key) {
        hot[index] = new Hot(row, key.copy());
        table.set(row, cell, table.get(row, cell) | FLAG);
        coolest = -1;
    }

    private int coolest() {
        if (coolest < 0) {
            coolest = 0;
            for (int index = 1; index < size; index++) {
                if (hottestFirst().compare(hot[index], hot[coolest]) > 0) {
                    coolest = index;
                }
            }
        }
        return coolest;
    }

    private long records(Hot each) {
        return table.get(each.row, cell) >> FLAG;
    }

    private Comparator<Hot> hottestFirst() {
        return (left, right) -> {
            int byRecords = Long.compare(records(right), records(left));
            return byRecords != 0 ? byRecords : Arrays.compareUnsigned(left.key, right.key);
        };
    }

    private static int compare(Slice key, byte[] other) {
        return Arrays.compareUnsigned(key.array, key.start, key.start + key.length, other, 0, other.length);
    }

    /** [partition, key, records] each, the key in base64. */
    void write(int partition, ArrayNode told) {
        Hot[] sorted = Arrays.copyOf(hot, size);
        Arrays.sort(sorted, hottestFirst());
        for (Hot each : sorted) {
            byte[] key = Arrays.copyOf(each.key, Math.min(each.key.length, limits.longestToldKey()));
            told.addArray().add(partition).add(key).add(records(each));
        }
    }
}

package kafkatopology.scan;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.Arrays;

/**
 * What is known of the records before, in one partition: of all of them, and of those with the same key.
 *
 * For a record: `find`, then ask, then `add`. Every answer is `Numbers.NONE` where nothing came before.
 */
final class Before implements AutoCloseable {
    private static final int NO_KEY = -1;

    private final Layout layout;
    private final KeyTable keys;
    private final HotKeys hotKeys;
    private final long[] largestInPartition;
    private long newestInPartition = Numbers.NONE;
    private int row = NO_KEY;

    Before(Layout layout, Limits limits) {
        this.layout = layout;
        this.keys = layout.keepsKeys() ? new KeyTable(layout.cells(), limits.mostKeys()) : null;
        this.hotKeys = layout.records() == Layout.ABSENT ? null : new HotKeys(keys, layout.records(), limits);
        this.largestInPartition = new long[layout.fields()];
        Arrays.fill(largestInPartition, Numbers.NONE);
    }

    void find(Record record) {
        row = keys == null || record.key.isNull() ? NO_KEY : keys.row(record.key);
    }

    boolean isFirstOfKey() {
        return row != NO_KEY && keys.added();
    }

    boolean hasSameKey() {
        return row != NO_KEY && !keys.added();
    }

    long largest(int field, boolean ofKey) {
        return ofKey ? ofKey(layout.largest(field)) : largestInPartition[field];
    }

    long newest(boolean ofKey) {
        return ofKey ? ofKey(layout.newest()) : newestInPartition;
    }

    long latestTimestamp() {
        return ofKey(layout.latestTimestamp());
    }

    long latestValueLength() {
        return ofKey(layout.latestValueLength());
    }

    long latestValueHash() {
        return ofKey(layout.latestValueHash());
    }

    void add(Record record) {
        newestInPartition = Math.max(newestInPartition, record.timestampMs);
        for (int field = 0; field < largestInPartition.length; field++) {
            largestInPartition[field] = Math.max(largestInPartition[field], record.number(field));
        }
        if (row != NO_KEY) {
            addToKey(record);
        }
    }

    private void addToKey(Record record) {
        if (hotKeys != null) {
            hotKeys.add(row, record.key);
        }
        if (layout.newest() != Layout.ABSENT) {
            keys.set(row, layout.newest(), Math.max(newest(true), record.timestampMs));
        }
        if (layout.latestTimestamp() != Layout.ABSENT) {
            keys.set(row, layout.latestTimestamp(), record.timestampMs);
            keys.set(row, layout.latestValueLength(), record.value.length);
            keys.set(row, layout.latestValueHash(), record.valueHash());
        }
        for (int field = 0; field < largestInPartition.length; field++) {
            int cell = layout.largest(field);
            if (cell != Layout.ABSENT) {
                keys.set(row, cell, Math.max(keys.get(row, cell), record.number(field)));
            }
        }
    }

    private long ofKey(int cell) {
        return row == NO_KEY ? Numbers.NONE : keys.get(row, cell);
    }

    void writeHotKeys(int partition, ArrayNode told) {
        if (hotKeys != null) {
            hotKeys.write(partition, told);
        }
    }

    @Override
    public void close() {
        if (keys != null) {
            keys.close();
        }
    }
}

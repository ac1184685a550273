package kafkatopology.scan;

import com.fasterxml.jackson.databind.node.ObjectNode;

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

    Before(Layout layout) {
        this.layout = layout;
        this.keys = new KeyTable(layout.cells(), layout.mostKeys());
        this.hotKeys = new HotKeys(keys, Layout.RECORDS, layout.mostHotKeys(), layout.hotKeyRecords());
        this.largestInPartition = new long[layout.fields()];
        java.util.Arrays.fill(largestInPartition, Numbers.NONE);
    }

    void find(Record record) {
        row = record.key.isNull() ? NO_KEY : keys.row(record.key);
    }

    boolean isFirstOfKey() {
        return row != NO_KEY && keys.added();
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
            hotKeys.add(row, record.key);
            addToKey(record);
        }
    }

    private void addToKey(Record record) {
        if (layout.newest() != Layout.ABSENT) {
            keys.set(row, layout.newest(), Math.max(newest(true), record.timestampMs));
        }
        if (layout.latestTimestamp() != Layout.ABSENT) {
            keys.set(row, layout.latestTimestamp(), record.timestampMs);
        }
        if (layout.latestValueHash() != Layout.ABSENT) {
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

    void write(int partition, ObjectNode answer) {
        hotKeys.write(partition, answer.withArray("hotKeys"));
    }

    @Override
    public void close() {
        keys.close();
    }
}

package kafkatopology.scan;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.Arrays;

/**
 * What is known of the records before, in one partition: of all of them, and of those with the same key.
 *
 * For a record: `find`, then ask, then `add`. Every answer is `Numbers.NONE` where nothing came before.
 */
final class Before implements AutoCloseable {
    private final Layout layout;
    private final KeyTable keys;
    private final HotKeys hotKeys;
    private final long[] largestInPartition;
    private long newestInPartition = Numbers.NONE;
    private boolean keyed;

    Before(Layout layout, Limits limits) {
        this.layout = layout;
        this.keys = layout.keepsKeys() ? new KeyTable(layout.cells(), limits.mostKeys()) : null;
        this.hotKeys = layout.records() == Layout.ABSENT ? null : new HotKeys(keys, layout.records(), limits);
        this.largestInPartition = new long[layout.fields()];
        Arrays.fill(largestInPartition, Numbers.NONE);
    }

    void find(Record record) {
        keyed = keys != null && !record.key.isNull();
        if (keyed) {
            keys.find(record.key);
        }
    }

    boolean isFirstOfKey() {
        return keyed && keys.added();
    }

    boolean hasSameKey() {
        return keyed && !keys.added();
    }

    long largest(int field, boolean ofKey) {
        return ofKey ? ofKey(layout.largest(field)) : largestInPartition[field];
    }

    long newest(boolean ofKey) {
        return ofKey ? ofKey(layout.newest()) : newestInPartition;
    }

    /** The fingerprint of the latest record of the key. */
    long latest() {
        return ofKey(layout.latest());
    }

    void add(Record record) {
        newestInPartition = Math.max(newestInPartition, record.timestampMs);
        for (int field = 0; field < largestInPartition.length; field++) {
            largestInPartition[field] = Math.max(largestInPartition[field], record.number(field));
        }
        if (keyed) {
            addToKey(record);
        }
    }

    private void addToKey(Record record) {
        if (hotKeys != null) {
            hotKeys.add(record.key);
        }
        if (layout.newest() != Layout.ABSENT) {
            keys.set(layout.newest(), Math.max(newest(true), record.timestampMs));
        }
        if (layout.latest() != Layout.ABSENT) {
            keys.set(layout.latest(), record.fingerprint());
        }
        for (int field = 0; field < largestInPartition.length; field++) {
            int cell = layout.largest(field);
            if (cell != Layout.ABSENT) {
                keys.set(cell, Math.max(keys.get(cell), record.number(field)));
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
        if (keys != null) {
            keys.close();
        }
    }
}

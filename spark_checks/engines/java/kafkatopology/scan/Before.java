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
    private final KeyTable keys;
    private final HotKeys hotKeys;
    private final long[] largestInPartition;
    private long newestInPartition = Numbers.NONE;
    private final Amounts amounts;
    private boolean keyed;

    /** `scales`: of each number that records have. */
    Before(Layout layout, Limits limits, int[] scales) {
        this.amounts = new Amounts(scales);
        this.layout = layout;
        this.keys = layout.keepsKeys() ? new KeyTable(layout.cells(), limits.mostKeys()) : null;
        this.hotKeys = layout.records() == Layout.ABSENT ? null : new HotKeys(keys, layout.records(), limits);
        this.largestInPartition = new long[MOST_KINDS * layout.fields()];
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

    KeyTable keys() {
        return keys;
    }

    /** How the record's number compares with the largest of its kind before; positive where one of both is missing. */
    int compare(Record record, int field, boolean ofKey) {
        return amounts.compare(record, field, ofKey ? ofKey(cell(record, field)) : largestInPartition[place(record, field)]);
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

    void add(Record record) {
        newestInPartition = Math.max(newestInPartition, record.timestampMs);
        for (int field = 0; field < layout.fields(); field++) {
            if (record.number(field) != Numbers.NONE && compare(record, field, false) > 0) {
                int place = place(record, field);
                largestInPartition[place] = amounts.kept(record, field, largestInPartition[place]);
            }
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
        for (int field = 0; field < layout.fields(); field++) {
            boolean kept = layout.largest(field) != Layout.ABSENT && record.number(field) != Numbers.NONE;
            if (kept && compare(record, field, true) > 0) {
                int cell = cell(record, field);
                keys.charge(Amounts.bytes(record, field));
                keys.set(cell, amounts.kept(record, field, keys.get(cell)));
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

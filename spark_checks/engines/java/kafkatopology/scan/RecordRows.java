package kafkatopology.scan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * A row for each record of which a wanted condition holds. A condition that a later record decides comes as a further row
 * of the same offset, so no key waits in memory.
 *
 * Records that this engine must not judge end the task: rows that were given cannot be taken back.
 */
final class RecordRows implements Rows, Output {
    private final Limits limits;
    private final Placing placing;
    private final PartitionScan scan;
    private final Queue<Object[]> found = new ArrayDeque<>();

    RecordRows(JsonNode spec, Source source) {
        limits = Limits.of(spec);
        placing = spec.hasNonNull("placing") ? Placing.of(spec.get("placing")) : null;
        scan = new PartitionScan(spec, source, this);
    }

    @Override
    public Object[] next() {
        while (found.isEmpty() && scan.next()) {
            // Each record adds none, one or two rows.
        }
        return found.poll();
    }

    @Override
    public void add(long mask, Record record) {
        put(mask, record.partition, record.offset, record.timestampMs, record.key, expected(mask, record));
    }

    @Override
    public void addEarlier(long mask, Record decisive, long offset, long timestampMs) {
        put(mask, decisive.partition, offset, timestampMs, decisive.key, null);
    }

    private void put(long mask, int partition, long offset, long timestampMs, Slice key, Integer expected) {
        long held = mask & limits.wanted();
        if (held != 0) {
            Integer length = key.isNull() ? null : (Integer) key.length;
            found.add(new Object[] {
                partition, offset, timestampMs, key.shortCopy(limits.longestKey()), length, held, expected
            });
        }
    }

    private Integer expected(long mask, Record record) {
        if ((mask & limits.wanted()) == 0) {
            return null;
        }
        int partition = placing == null ? record.expected : placing.partition(record);
        return partition == Placing.OPEN ? null : (Integer) partition;
    }

    @Override
    public void finish(int partition, ObjectNode answer) {}

    @Override
    public void close() {
        scan.close();
    }
}

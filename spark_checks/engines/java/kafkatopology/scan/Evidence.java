package kafkatopology.scan;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.TreeMap;

/** The first few records of each condition, by offset: enough to show and to explain what is wrong. */
final class Evidence implements Output {
    private record Found(long timestampMs, byte[] key, int length) {}

    private final Limits limits;
    private final TreeMap<Long, Found>[] byBit = emptyMaps();

    Evidence(Limits limits) {
        this.limits = limits;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of a generic type
    private static TreeMap<Long, Found>[] emptyMaps() {
        return new TreeMap[Long.SIZE];
    }

    @Override
    public void add(long mask, Record record) {
        keep(mask, record.offset, record.timestampMs, record.key);
    }

    @Override
    public void addEarlier(long mask, Record decisive, long offset, long timestampMs) {
        keep(mask, offset, timestampMs, decisive.key);
    }

    private void keep(long mask, long offset, long timestampMs, Slice key) {
        Found found = null;
        for (long left = mask & limits.wanted(); left != 0; left &= left - 1) {
            int bit = Long.numberOfTrailingZeros(left);
            if (byBit[bit] == null) {
                byBit[bit] = new TreeMap<>();
            }
            TreeMap<Long, Found> first = byBit[bit];
            if (first.size() < limits.mostEvidence() || offset < first.lastKey()) {
                found = found == null ? new Found(timestampMs, key.shortCopy(limits.longestKey()), key.length) : found;
                first.put(offset, found);
                if (first.size() > limits.mostEvidence()) {
                    first.pollLastEntry();
                }
            }
        }
    }

    /** [bit, partition, offset, timestamp, key in base64 or null, its length or null] each. */
    @Override
    public void finish(int partition, ObjectNode answer) {
        ArrayNode evidence = answer.withArray("evidence");
        for (int bit = 0; bit < byBit.length; bit++) {
            if (byBit[bit] != null) {
                int test = bit;
                byBit[bit].forEach((offset, found) -> evidence.addArray().add(test).add(partition).add(offset)
                        .add(found.timestampMs).add(found.key).add(found.length < 0 ? null : (Integer) found.length));
                byBit[bit] = null;
            }
        }
    }
}

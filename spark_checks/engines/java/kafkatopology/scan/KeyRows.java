package kafkatopology.scan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.nio.ByteBuffer;

/**
 * Where keys lie: a row for each key, era and partition, with its first and last offset.
 *
 * A small table joins the records of a key that come near each other. Two keys that want one place in it push each other
 * out, so a key may have several rows: whoever reads them joins them. So no number of keys is too large, and records may
 * come in any order.
 */
final class KeyRows implements Rows {
    private static final int SLOTS = 1 << 14;

    /** A key in one era and partition. A key that is too long to be shown is null. */
    private record Place(long first, long second, int era, int partition, byte[] key, int length, long[] ends) {
        static final int FIRST = 0;
        static final int TIME = 1;
        static final int LAST = 2;

        boolean isOf(Hash128 hash, int wantedEra, int wantedPartition) {
            return first == hash.first && second == hash.second && era == wantedEra && partition == wantedPartition;
        }

        void add(Record record) {
            if (record.offset < ends[FIRST]) {
                ends[FIRST] = record.offset;
                ends[TIME] = record.timestampMs;
            }
            ends[LAST] = Math.max(ends[LAST], record.offset);
        }

        Object[] row() {
            byte[] id = ByteBuffer.allocate(2 * Long.BYTES).putLong(first).putLong(second).array();
            return new Object[] {id, key, length, era, partition, ends[FIRST], ends[TIME], ends[LAST]};
        }
    }

    private final Source source;
    private final Eras eras;
    private final boolean skipsEmpty;
    private final int longestKey;
    private final Record record;
    private final Hash128 hash = new Hash128();
    private final Place[] places = new Place[SLOTS];
    private int drained;

    /** `prepared` of a record that must be left out is not 0. */
    KeyRows(JsonNode spec, Source source) {
        this.source = source;
        this.eras = Eras.of(spec.get("eras"));
        this.skipsEmpty = spec.get("skipsEmpty").asBoolean();
        this.longestKey = spec.get("longestKey").asInt();
        this.record = new Record(JsonNodeFactory.instance.arrayNode(), JsonNodeFactory.instance.arrayNode(), false);
    }

    @Override
    public Object[] next() {
        while (source.next(record)) {
            Scan.READ.increment();
            Place pushedOut = isWanted() ? add() : null;
            if (pushedOut != null) {
                return pushedOut.row();
            }
        }
        while (drained < SLOTS) {
            Place left = places[drained++];
            if (left != null) {
                return left.row();
            }
        }
        return null;
    }

    private boolean isWanted() {
        return !record.key.isNull() && record.prepared == 0 && !(skipsEmpty && record.key.length == 0);
    }

    /** The place that had to go for this one, if any. */
    private Place add() {
        hash.of(record.key);
        int era = eras.partitions(record.timestampMs);
        int slot = (int) (hash.first + 31L * era + record.partition) & SLOTS - 1;
        Place there = places[slot];
        if (there != null && there.isOf(hash, era, record.partition)) {
            there.add(record);
            return null;
        }
        long[] ends = {record.offset, record.timestampMs, record.offset};
        byte[] key = record.key.shortCopy(longestKey);
        places[slot] = new Place(hash.first, hash.second, era, record.partition, key, record.key.length, ends);
        return there;
    }

    @Override
    public void close() {
        source.close();
    }
}

package kafkatopology.scan;

import com.fasterxml.jackson.databind.JsonNode;

/** Where a hash partitioner puts a record, by the partition count of the record's time. */
final class Placing {
    static final int OPEN = -1;

    private final Partitioner partitioner;
    private final Eras eras;

    private Placing(Partitioner partitioner, Eras eras) {
        this.partitioner = partitioner;
        this.eras = eras;
    }

    static Placing of(JsonNode spec) {
        return new Placing(Partitioner.of(spec.get("partitioner")), Eras.of(spec.get("eras")));
    }

    /** `OPEN` where the partitioner ties the key to no partition. */
    int partition(Record record) {
        return partitioner.leavesOpen(record.key)
                ? OPEN
                : partitioner.partition(record.key, eras.partitions(record.timestampMs));
    }
}

package kafkatopology.scan;

import com.fasterxml.jackson.databind.JsonNode;

/** Where a hash partitioner puts a key. */
record Partitioner(Hash hash, Reduction reduction, boolean nullAsEmpty, boolean emptyAnywhere) {
    /** How 32 bits of hash become a partition number. */
    enum Reduction { MASKED, UNSIGNED, ABSOLUTE }

    static Partitioner of(JsonNode spec) {
        return new Partitioner(
                Hash.valueOf(spec.get("hash").asText().toUpperCase()),
                Reduction.valueOf(spec.get("reduction").asText().toUpperCase()),
                spec.get("nullAsEmpty").asBoolean(),
                spec.get("emptyAnywhere").asBoolean());
    }

    boolean leavesOpen(Slice key) {
        return key.isNull() ? !nullAsEmpty : key.length == 0 && emptyAnywhere;
    }

    int partition(Slice key, int partitions) {
        int bits = hash.of(key.array, key.start, Math.max(key.length, 0));
        long spread = switch (reduction) {
            case MASKED -> bits & 0x7fffffff;
            case UNSIGNED -> bits & 0xffffffffL;
            case ABSOLUTE -> Math.abs((long) bits);
        };
        return (int) (spread % partitions);
    }
}

package kafkatopology.scan;

import com.fasterxml.jackson.databind.JsonNode;

/** How many partitions a topic had, and until when; the last count is the present one. */
final class Eras {
    private final int[] partitions;
    private final long[] until;

    private Eras(int[] partitions, long[] until) {
        this.partitions = partitions;
        this.until = until;
    }

    static Eras of(JsonNode spec) {
        int past = spec.size() - 1;
        int[] partitions = new int[past + 1];
        long[] until = new long[past];
        for (int era = 0; era <= past; era++) {
            partitions[era] = spec.get(era).get("partitions").asInt();
            if (era < past) {
                until[era] = spec.get(era).get("untilMs").asLong();
            }
        }
        return new Eras(partitions, until);
    }

    int partitions(long timestampMs) {
        int era = 0;
        while (era < until.length && timestampMs >= until[era]) {
            era++;
        }
        return partitions[era];
    }
}

package kafkatopology.scan;

import com.fasterxml.jackson.databind.JsonNode;

/** The offsets of a partition that are read, one stretch after the other: all of a range, or the blocks of a sample. */
final class Blocks {
    private final long[] starts;
    private final long[] ends;
    private int at;

    private Blocks(long[] starts, long[] ends) {
        this.starts = starts;
        this.ends = ends;
    }

    /** Whether a scan reads blocks only. */
    static boolean areIn(JsonNode spec) {
        return spec.has("blocks");
    }

    /** The blocks of the spec within the range; without blocks, the range. */
    static Blocks of(JsonNode spec, KafkaRange range) {
        if (!areIn(spec)) {
            return new Blocks(new long[] {range.start()}, new long[] {range.end()});
        }
        JsonNode blocks = spec.get("blocks").path(String.valueOf(range.from().partition()));
        long[] starts = new long[blocks.size()];
        long[] ends = new long[blocks.size()];
        for (int index = 0; index < starts.length; index++) {
            starts[index] = blocks.get(index).get(0).asLong();
            ends[index] = blocks.get(index).get(1).asLong();
        }
        return new Blocks(starts, ends);
    }

    boolean hasOne() {
        return at < starts.length;
    }

    long start() {
        return starts[at];
    }

    /** Exclusive. */
    long end() {
        return ends[at];
    }

    void next() {
        at++;
    }
}

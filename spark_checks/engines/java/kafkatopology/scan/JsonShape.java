package kafkatopology.scan;

import java.util.Arrays;

/**
 * What documents of one producer have in common: everything but their scalar values.
 *
 * A document with the same bytes around its values has the same names at the same places, so only its values need to be
 * read. While a document is read its values are noted; from these the shape is made.
 */
final class JsonShape {
    private static final int MOST_VALUES = 64;
    private static final int MISSES = 8; // in a row, before another shape is taken

    /** What is around the values: one more than there are values. */
    byte[][] around = {};
    /** Which wanted field each value is; negative when none. */
    int[] fields = {};
    boolean beyondAscii;

    private final int[] starts = new int[MOST_VALUES];
    private final int[] ends = new int[MOST_VALUES];
    private final int[] noted = new int[MOST_VALUES];
    private int values;
    private int misses = MISSES;

    void begin() {
        values = 0;
    }

    void note(int start, int end, int field) {
        if (values < MOST_VALUES) {
            starts[values] = start;
            ends[values] = end;
            noted[values] = field;
        }
        values++;
    }

    void hit() {
        misses = 0;
    }

    /** Takes the shape of the document just read, unless the one it has was of use lately. */
    void learn(byte[] text, int start, int end, boolean hasBeyondAscii) {
        if (++misses <= MISSES || values > MOST_VALUES) {
            return;
        }
        around = new byte[values + 1][];
        int at = start;
        for (int value = 0; value < values; value++) {
            around[value] = Arrays.copyOfRange(text, at, starts[value]);
            at = ends[value];
        }
        around[values] = Arrays.copyOfRange(text, at, end);
        fields = Arrays.copyOf(noted, values);
        beyondAscii = hasBeyondAscii;
        misses = 0;
    }
}

package kafkatopology.scan;

/** Which parts of a record are null, empty or framed: what many conditions ask, so they are answered once for each. */
final class Situation {
    static final int COUNT = 1 << 4;
    private static final int NULL_KEY = 1;
    private static final int EMPTY_KEY = 2;
    private static final int NULL_VALUE = 4;
    private static final int FRAMED_VALUE = 8;
    private static final int FRAME = 5; // a zero byte and the schema's id in four

    private Situation() {}

    /** A condition on nothing else. */
    interface Test {
        boolean holds(int situation);
    }

    static int of(Slice key, Slice value) {
        int situation = key.length > 0 ? 0 : key.isNull() ? NULL_KEY : EMPTY_KEY;
        if (value.isNull()) {
            return situation | NULL_VALUE;
        }
        return isFramed(value) ? situation | FRAMED_VALUE : situation;
    }

    static boolean isFramed(Slice value) {
        return value.length >= FRAME && value.array[value.start] == 0;
    }

    static boolean hasNullKey(int situation) {
        return (situation & NULL_KEY) != 0;
    }

    static boolean hasEmptyKey(int situation) {
        return (situation & EMPTY_KEY) != 0;
    }

    static boolean hasNullValue(int situation) {
        return (situation & NULL_VALUE) != 0;
    }

    static boolean hasFramedValue(int situation) {
        return (situation & FRAMED_VALUE) != 0;
    }
}

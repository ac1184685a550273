package kafkatopology.scan;

/**
 * What is known of each distinct key: a few numbers, found by 128 bits of the key's hash, not by the key itself.
 *
 * Hash and numbers of a key lie side by side in an open-addressing table, so that a key costs one look into memory that
 * is not in the processor's cache. The table has segments that grow one by one, so that growing never needs much at
 * once. Where there is no memory to grow, a segment takes no more keys: see `Spill`.
 */
final class KeyTable implements AutoCloseable {
    private static final int SEGMENT_BITS = 6;
    private static final int FIRST_SLOTS = 1 << 4;
    private static final int MOST_CELLS = 1 << 28; // of a segment: 2 GiB
    private static final int HASHES = 2; // cells before those of the caller

    private static final class Segment {
        long[] cells;
        int lastSlot;
        int used;
        /** A key that was turned away once must not come in later. */
        boolean closed;
    }

    private final int width;
    private final long mostKeys;
    private final Segment[] segments = new Segment[1 << SEGMENT_BITS];
    private final Memory memory;
    private long keys;
    private long taken;

    // The key asked for last.
    private long[] row;
    private int at;
    private boolean added;

    /** Each key has this many cells; those of a new key are all `Numbers.NONE`. */
    KeyTable(int cells, long mostKeys, Memory memory) {
        this.width = HASHES + cells;
        this.mostKeys = mostKeys;
        this.memory = memory;
        for (int index = 0; index < segments.length; index++) {
            segments[index] = new Segment();
            segments[index].cells = new long[FIRST_SLOTS * width];
            segments[index].lastSlot = FIRST_SLOTS - 1;
        }
    }

    /** Looks at this key from now on, a new one is added, and `added` says so. False where it finds no room. */
    boolean find(long hash, long second) {
        long first = hash == 0 ? 1 : hash; // 0 marks a free slot
        Segment segment = segments[(int) (first >>> Long.SIZE - SEGMENT_BITS)];
        added = !lookUp(segment, first, second);
        return !added || add(segment, first, second);
    }

    /** Whether the key asked for last was new. */
    boolean added() {
        return added;
    }

    long get(int cell) {
        return row[at + HASHES + cell];
    }

    void set(int cell, long value) {
        row[at + HASHES + cell] = value;
    }

    /** Visits the cells of all keys. */
    void forEach(Visitor visitor) {
        for (Segment segment : segments) {
            for (int slot = 0; slot < segment.cells.length; slot += width) {
                if (segment.cells[slot] != 0) {
                    visitor.visit(segment.cells, slot + HASHES);
                }
            }
        }
    }

    /** `at` is where the key's cells begin in the row. */
    interface Visitor {
        void visit(long[] row, int at);
    }

    /** Counts memory that is kept for a key elsewhere. */
    void charge(long bytes) {
        if (bytes > 0) {
            memory.takeFromReserve(bytes);
            taken += bytes;
        }
    }

    @Override
    public void close() {
        memory.give(taken);
        taken = 0;
    }

    /** Goes to the key's slot, or to the free one where it belongs. */
    private boolean lookUp(Segment segment, long first, long second) {
        row = segment.cells;
        for (int slot = (int) first & segment.lastSlot; ; slot = slot + 1 & segment.lastSlot) {
            at = slot * width;
            if (row[at] == first && row[at + 1] == second) {
                return true;
            }
            if (row[at] == 0) {
                return false;
            }
        }
    }

    private boolean add(Segment segment, long first, long second) {
        boolean crowded = 4 * (segment.used + 1) > 3 * (segment.lastSlot + 1);
        segment.closed = segment.closed || keys >= mostKeys || crowded && !grow(segment);
        if (segment.closed) {
            return false;
        }
        if (crowded) {
            lookUp(segment, first, second);
        }
        segment.used++;
        keys++;
        row[at] = first;
        row[at + 1] = second;
        for (int cell = 0; cell < width - HASHES; cell++) {
            set(cell, Numbers.NONE);
        }
        return true;
    }

    private boolean grow(Segment segment) {
        long[] smaller = segment.cells;
        if (2L * smaller.length > MOST_CELLS || !memory.take(2L * Long.BYTES * smaller.length)) {
            return false;
        }
        segment.cells = new long[2 * smaller.length];
        segment.lastSlot = 2 * segment.lastSlot + 1;
        for (int from = 0; from < smaller.length; from += width) {
            if (smaller[from] != 0) {
                lookUp(segment, smaller[from], smaller[from + 1]);
                System.arraycopy(smaller, from, segment.cells, at, width);
            }
        }
        memory.give(Long.BYTES * (long) smaller.length);
        taken += Long.BYTES * (long) smaller.length;
        return true;
    }
}

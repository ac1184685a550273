package kafkatopology.scan;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What is known of each distinct key: a few numbers, found by 128 bits of the key's hash, not by the key itself.
 *
 * Hash and numbers of a key lie side by side in an open-addressing table, so that a key costs one look into memory that
 * is not in the processor's cache. The table has segments that grow one by one, so that growing never needs much at
 * once. All tables of a JVM share one part of its memory; beyond it the scan is refused.
 */
final class KeyTable implements AutoCloseable {
    private static final double SHARE_OF_HEAP = 0.45;
    private static final AtomicLong TAKEN = new AtomicLong();

    private static final int SEGMENT_BITS = 6;
    private static final int FIRST_SLOTS = 1 << 4;
    private static final int MOST_CELLS = 1 << 28; // of a segment: 2 GiB
    private static final int HASHES = 2; // cells before those of the caller

    private static final class Segment {
        long[] cells;
        int lastSlot;
        int used;
    }

    private final int width;
    private final long mostKeys;
    private final Segment[] segments = new Segment[1 << SEGMENT_BITS];
    private final Hash128 hash = new Hash128();
    private long keys;
    private long taken;

    // The key asked for last.
    private long[] row;
    private int at;
    private boolean added;

    /** Each key has this many cells; those of a new key are all `Numbers.NONE`. */
    KeyTable(int cells, long mostKeys) {
        this.width = HASHES + cells;
        this.mostKeys = mostKeys;
        for (int index = 0; index < segments.length; index++) {
            segments[index] = new Segment();
            segments[index].cells = new long[FIRST_SLOTS * width];
            segments[index].lastSlot = FIRST_SLOTS - 1;
        }
    }

    /** Looks at this key from now on; a new one is added, and `added` says so. */
    void find(Slice key) {
        hash.of(key);
        long first = hash.first == 0 ? 1 : hash.first; // 0 marks a free slot
        long second = hash.second;
        Segment segment = segments[(int) (first >>> Long.SIZE - SEGMENT_BITS)];
        added = !lookUp(segment, first, second);
        if (added) {
            add(segment, first, second);
        }
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
            take(bytes);
        }
    }

    @Override
    public void close() {
        take(-taken);
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

    private void add(Segment segment, long first, long second) {
        if (keys >= mostKeys) {
            throw Refused.overflow(keys);
        }
        if (4 * (segment.used + 1) > 3 * (segment.lastSlot + 1)) {
            grow(segment);
            lookUp(segment, first, second);
        }
        segment.used++;
        keys++;
        row[at] = first;
        row[at + 1] = second;
        for (int cell = 0; cell < width - HASHES; cell++) {
            set(cell, Numbers.NONE);
        }
    }

    private void grow(Segment segment) {
        long[] smaller = segment.cells;
        if (2L * smaller.length > MOST_CELLS) {
            throw Refused.overflow(keys);
        }
        take(2L * Long.BYTES * smaller.length);
        segment.cells = new long[2 * smaller.length];
        segment.lastSlot = 2 * segment.lastSlot + 1;
        for (int from = 0; from < smaller.length; from += width) {
            if (smaller[from] != 0) {
                lookUp(segment, smaller[from], smaller[from + 1]);
                System.arraycopy(smaller, from, segment.cells, at, width);
            }
        }
        take(-Long.BYTES * (long) smaller.length);
    }

    private void take(long bytes) {
        long limit = (long) (SHARE_OF_HEAP * Runtime.getRuntime().maxMemory());
        if (TAKEN.addAndGet(bytes) > limit && bytes > 0) {
            TAKEN.addAndGet(-bytes);
            throw Refused.overflow(keys);
        }
        taken += bytes;
    }
}

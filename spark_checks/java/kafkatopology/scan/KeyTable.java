package kafkatopology.scan;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What is known of each distinct key: a few numbers, found by 128 bits of the key's hash, not by the key itself.
 *
 * Slots hold the number of a row, with some hash bits that spare most looks at wrong rows. Rows lie in chunks, so that
 * growing copies slots only. All tables of a JVM share one part of its memory; beyond it the scan is refused.
 */
final class KeyTable implements AutoCloseable {
    private static final long FIRST_SEED = 0x243f6a8885a308d3L;
    private static final long SECOND_SEED = 0x13198a2e03707344L;
    private static final double SHARE_OF_HEAP = 0.45;
    private static final AtomicLong TAKEN = new AtomicLong();

    private static final int CHUNK_BITS = 11;
    private static final int CHUNK_ROWS = 1 << CHUNK_BITS;
    private static final int HASHES = 2; // cells before those of the caller
    private static final int FIRST_SLOTS = 1 << 12;

    private final int width;
    private final long mostKeys;
    private long[] slots = {};
    private long[][] chunks = new long[16][];
    private int rows;
    private boolean added;
    private long taken;

    /** Each key has this many cells; a new key's are all `Numbers.NONE`. */
    KeyTable(int cells, long mostKeys) {
        this.width = HASHES + cells;
        this.mostKeys = Math.min(mostKeys, Integer.MAX_VALUE - CHUNK_ROWS);
        take(8L * FIRST_SLOTS);
        this.slots = emptySlots(FIRST_SLOTS);
    }

    /** The row of a key, made when the key is new: `added` then says so. */
    int row(Slice key) {
        long first = key.hash(FIRST_SEED);
        long second = key.hash(SECOND_SEED);
        int tag = (int) (first >>> 32);
        int last = slots.length - 1;
        int slot = (int) first & last;
        for (long entry = slots[slot]; entry != -1; entry = slots[slot = slot + 1 & last]) {
            int row = (int) entry;
            if ((int) (entry >>> 32) == tag && get(row, -2) == first && get(row, -1) == second) {
                added = false;
                return row;
            }
        }
        added = true;
        int row = append(first, second);
        slots[slot] = (long) tag << 32 | row;
        if (4L * rows > 3L * slots.length) {
            grow();
        }
        return row;
    }

    /** Whether the key asked for last was new. */
    boolean added() {
        return added;
    }

    long get(int row, int cell) {
        return chunks[row >>> CHUNK_BITS][place(row, cell)];
    }

    void set(int row, int cell, long value) {
        chunks[row >>> CHUNK_BITS][place(row, cell)] = value;
    }

    @Override
    public void close() {
        TAKEN.addAndGet(-taken);
        taken = 0;
    }

    private int place(int row, int cell) {
        return (row & CHUNK_ROWS - 1) * width + HASHES + cell;
    }

    private int append(long first, long second) {
        if (rows >= mostKeys) {
            throw Refused.overflow(rows);
        }
        int row = rows++;
        int chunk = row >>> CHUNK_BITS;
        if (chunk == chunks.length) {
            chunks = Arrays.copyOf(chunks, 2 * chunk);
        }
        if (chunks[chunk] == null) {
            take(8L * CHUNK_ROWS * width);
            chunks[chunk] = new long[CHUNK_ROWS * width];
            Arrays.fill(chunks[chunk], Numbers.NONE);
        }
        set(row, -2, first);
        set(row, -1, second);
        return row;
    }

    private void grow() {
        long more = 2L * slots.length;
        if (more > 1 << 30) {
            throw Refused.overflow(rows);
        }
        take(8 * more);
        long[] larger = emptySlots((int) more);
        int last = larger.length - 1;
        for (long entry : slots) {
            if (entry != -1) {
                int slot = (int) get((int) entry, -2) & last;
                while (larger[slot] != -1) {
                    slot = slot + 1 & last;
                }
                larger[slot] = entry;
            }
        }
        release(8L * slots.length);
        slots = larger;
    }

    private void take(long bytes) {
        long limit = (long) (SHARE_OF_HEAP * Runtime.getRuntime().maxMemory());
        if (TAKEN.addAndGet(bytes) > limit) {
            TAKEN.addAndGet(-bytes);
            throw Refused.overflow(rows);
        }
        taken += bytes;
    }

    private void release(long bytes) {
        TAKEN.addAndGet(-bytes);
        taken -= bytes;
    }

    private static long[] emptySlots(int count) {
        long[] slots = new long[count];
        Arrays.fill(slots, -1);
        return slots;
    }
}

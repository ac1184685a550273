package kafkatopology.scan;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** MurmurHash3 in its 128-bit variant for 64-bit machines, with seed 0. The last hash is in the fields. */
final class Hash128 {
    private static final VarHandle WORD =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long C1 = 0x87c37b91114253d5L;
    private static final long C2 = 0x4cf5ad432745937fL;
    private static final int BLOCK = 16;

    long first;
    long second;

    void of(Slice key) {
        byte[] bytes = key.array;
        long h1 = 0;
        long h2 = 0;
        int at = key.start;
        int end = key.start + key.length;
        for (; end - at >= BLOCK; at += BLOCK) {
            h1 ^= mixedFirst((long) WORD.get(bytes, at));
            h1 = (Long.rotateLeft(h1, 27) + h2) * 5 + 0x52dce729;
            h2 ^= mixedSecond((long) WORD.get(bytes, at + Long.BYTES));
            h2 = (Long.rotateLeft(h2, 31) + h1) * 5 + 0x38495ab5;
        }
        int middle = Math.min(end, at + Long.BYTES);
        h2 ^= mixedSecond(tail(bytes, middle, end));
        h1 ^= mixedFirst(tail(bytes, at, middle));
        h1 ^= key.length;
        h2 ^= key.length;
        h1 += h2;
        h2 += h1;
        h1 = finished(h1);
        h2 = finished(h2);
        first = h1 + h2;
        second = h2 + first;
    }

    /** Up to eight bytes as a number; none are 0, which changes nothing. */
    private static long tail(byte[] bytes, int from, int end) {
        long word = 0;
        for (int at = end - 1; at >= from; at--) {
            word = word << 8 | bytes[at] & 0xff;
        }
        return word;
    }

    private static long mixedFirst(long word) {
        return Long.rotateLeft(word * C1, 31) * C2;
    }

    private static long mixedSecond(long word) {
        return Long.rotateLeft(word * C2, 33) * C1;
    }

    private static long finished(long hash) {
        long mixed = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ mixed >>> 33;
    }
}

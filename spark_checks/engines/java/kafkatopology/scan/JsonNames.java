package kafkatopology.scan;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Whether an object of a document may have a name twice. By hashes of names, so in doubt the answer is yes. */
final class JsonNames {
    private static final VarHandle WORD =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int MOST = 256; // of an object and those around it: they are compared one by one

    private final long[] hashes = new long[MOST];
    /** Where the names of each open object begin. */
    private final int[] begins;
    private int objects;
    private int size;
    private boolean repeat;

    JsonNames(int deepest) {
        begins = new int[deepest];
    }

    void forget() {
        objects = 0;
        size = 0;
        repeat = false;
    }

    void open() {
        begins[objects++] = size;
    }

    void close() {
        size = begins[--objects];
    }

    void add(byte[] text, int from, int end) {
        long hash = hash(text, from, end);
        for (int index = begins[objects - 1]; index < size; index++) {
            repeat |= hashes[index] == hash;
        }
        if (size == MOST) {
            repeat = true;
        } else {
            hashes[size++] = hash;
        }
    }

    /** A name can be written in several ways. */
    void doubt() {
        repeat = true;
    }

    boolean repeat() {
        return repeat;
    }

    private static long hash(byte[] text, int from, int end) {
        long hash = end - from;
        int at = from;
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            hash = mixed(hash ^ (long) WORD.get(text, at));
        }
        long rest = 0;
        for (; at < end; at++) {
            rest = rest << 8 | text[at] & 0xff;
        }
        return mixed(hash ^ rest);
    }

    private static long mixed(long bits) {
        long product = bits * 0x9e3779b97f4a7c15L;
        return product ^ product >>> 29;
    }
}

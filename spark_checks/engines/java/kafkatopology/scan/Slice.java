package kafkatopology.scan;

import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** Bytes inside an array that belongs to somebody else, or null. Valid until the next record is read. */
final class Slice {
    static final byte[] NOTHING = {};
    private static final int NULL = -1;

    byte[] array = NOTHING;
    int start;
    /** Negative for null. */
    int length = NULL;

    boolean isNull() {
        return length < 0;
    }

    void setNull() {
        length = NULL;
    }

    /** All bytes of an array, or null. */
    void set(byte[] bytes) {
        if (bytes == null) {
            setNull();
        } else {
            set(bytes, 0, bytes.length);
        }
    }

    void set(byte[] bytes, int from, int count) {
        array = bytes;
        start = from;
        length = count;
    }

    /** Takes a binary or string column without copying it: a row keeps its offset and size in one word. */
    void set(UnsafeRow row, int column) {
        if (row.isNullAt(column)) {
            setNull();
        } else if (row.getBaseObject() instanceof byte[] bytes) {
            long offsetAndSize = row.getLong(column);
            long from = row.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET + (offsetAndSize >>> 32);
            set(bytes, (int) from, (int) offsetAndSize);
        } else {
            byte[] copied = row.getBinary(column);
            set(copied, 0, copied.length);
        }
    }

    void set(UTF8String text) {
        if (text == null) {
            setNull();
        } else if (text.getBaseObject() instanceof byte[] bytes) {
            set(bytes, (int) (text.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET), text.numBytes());
        } else {
            byte[] copied = text.getBytes();
            set(copied, 0, copied.length);
        }
    }

    boolean sameBytes(Slice other) {
        return Arrays.equals(array, start, start + length, other.array, other.start, other.start + other.length);
    }

    byte[] copy() {
        return Arrays.copyOfRange(array, start, start + length);
    }

    /** A copy of at most so many bytes; null for more of them, and for null. */
    byte[] shortCopy(int longest) {
        return isNull() || length > longest ? null : copy();
    }

    UTF8String text() {
        return UTF8String.fromBytes(array, start, length);
    }

    long hash(long seed) {
        return XXH64.hashUnsafeBytes(array, Platform.BYTE_ARRAY_OFFSET + (long) start, length, seed);
    }
}

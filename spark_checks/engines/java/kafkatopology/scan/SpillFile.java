package kafkatopology.scan;

import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A temporary file that is written from its start to its end and then read once.
 *
 * Its name is deleted as soon as it is open, where the system allows that: then nothing is left of it, however the
 * process ends. Elsewhere it is deleted when it is closed.
 */
final class SpillFile implements AutoCloseable {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int BUFFER = 1 << 16;

    private final File path;
    private final RandomAccessFile file;
    private final byte[] buffer = new byte[BUFFER];
    private int at;
    private int filled;
    private long written;
    private long unread;

    SpillFile() {
        path = LocalFolder.newFile();
        try {
            file = new RandomAccessFile(path, "rw");
        } catch (IOException failure) {
            throw LocalFolder.failed(path, 0, failure);
        }
        path.delete();
    }

    long written() {
        return written;
    }

    void putLong(long number) {
        if (BUFFER - at < Long.BYTES) {
            flush();
        }
        LONG.set(buffer, at, number);
        at += Long.BYTES;
    }

    /** Their number and the bytes themselves. */
    void putBytes(byte[] bytes, int from, int count) {
        putLong(count);
        for (int done = 0; done < count; ) {
            if (at == BUFFER) {
                flush();
            }
            int part = Math.min(count - done, BUFFER - at);
            System.arraycopy(bytes, from + done, buffer, at, part);
            at += part;
            done += part;
        }
    }

    private void flush() {
        try {
            file.write(buffer, 0, at);
        } catch (IOException failure) {
            throw LocalFolder.failed(path, written, failure);
        }
        Scan.spilled(at);
        written += at;
        at = 0;
    }

    /** From now on the file is read, from its start. */
    void rewind() {
        flush();
        unread = written;
        filled = 0;
        try {
            file.seek(0);
        } catch (IOException failure) {
            throw LocalFolder.failed(path, written, failure);
        }
    }

    boolean hasMore() {
        return at < filled || unread > 0;
    }

    long getLong() {
        if (filled - at < Long.BYTES) {
            fill();
        }
        long number = (long) LONG.get(buffer, at);
        at += Long.BYTES;
        return number;
    }

    byte[] getBytes() {
        byte[] bytes = new byte[Math.toIntExact(getLong())];
        for (int done = 0; done < bytes.length; ) {
            if (at == filled) {
                fill();
            }
            int part = Math.min(bytes.length - done, filled - at);
            System.arraycopy(buffer, at, bytes, done, part);
            at += part;
            done += part;
        }
        return bytes;
    }

    /** Keeps what is left in the buffer, at its start. */
    private void fill() {
        System.arraycopy(buffer, at, buffer, 0, filled - at);
        filled -= at;
        at = 0;
        try {
            int count = file.read(buffer, filled, (int) Math.min(BUFFER - filled, unread));
            if (count <= 0) {
                throw new EOFException("the file ends too early");
            }
            filled += count;
            unread -= count;
            if (filled < Long.BYTES && unread > 0) {
                fill();
            }
        } catch (IOException failure) {
            throw LocalFolder.failed(path, written, failure);
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException failure) {
            throw LocalFolder.failed(path, written, failure);
        } finally {
            path.delete();
        }
    }
}

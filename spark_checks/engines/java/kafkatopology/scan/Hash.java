package kafkatopology.scan;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32;

/** The hashes by which Kafka's clients choose a partition; 32 bits each. */
enum Hash {
    MURMUR2 {
        @Override
        int of(byte[] bytes, int start, int length) {
            int hash = 0x9747b28c ^ length;
            int at = start;
            for (int end = start + (length & ~3); at < end; at += 4) {
                int word = (int) WORD.get(bytes, at) * FACTOR;
                hash = hash * FACTOR ^ (word ^ word >>> 24) * FACTOR;
            }
            int rest = length & 3;
            if (rest > 0) {
                int tail = 0;
                for (int place = rest - 1; place >= 0; place--) {
                    tail = tail << 8 | bytes[at + place] & 0xff;
                }
                hash = (hash ^ tail) * FACTOR;
            }
            hash = (hash ^ hash >>> 13) * FACTOR;
            return hash ^ hash >>> 15;
        }
    },
    CRC32 {
        @Override
        int of(byte[] bytes, int start, int length) {
            CRC32 crc = new CRC32();
            crc.update(bytes, start, length);
            return (int) crc.getValue();
        }
    },
    FNV1A {
        @Override
        int of(byte[] bytes, int start, int length) {
            int hash = 0x811c9dc5;
            for (int at = start; at < start + length; at++) {
                hash = (hash ^ bytes[at] & 0xff) * 0x01000193;
            }
            return hash;
        }
    };

    private static final int FACTOR = 0x5bd1e995;
    private static final VarHandle WORD =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    abstract int of(byte[] bytes, int start, int length);
}

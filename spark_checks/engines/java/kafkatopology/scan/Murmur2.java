package kafkatopology.scan;

import org.apache.spark.sql.api.java.UDF1;

/** Kafka's murmur2 of a key as a function of Spark: unsigned, null for null. */
public final class Murmur2 implements UDF1<byte[], Long> {
    private static final long serialVersionUID = 1;

    @Override
    public Long call(byte[] key) {
        return key == null ? null : Integer.toUnsignedLong(Hash.MURMUR2.of(key, 0, key.length));
    }
}

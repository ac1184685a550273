package kafkatopology.scan;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.unsafe.types.UTF8String;

/** Records as rows, with headers when there is a column for them. */
final class TopicReader implements PartitionReader<InternalRow> {
    private static final int WITHOUT_HEADERS = 7;

    private final KafkaSource source;
    private final int columns;
    private ConsumerRecord<byte[], byte[]> record;

    TopicReader(InputPartition part, int columns) {
        this.columns = columns;
        try {
            source = KafkaSource.of(part);
        } catch (RuntimeException failure) {
            throw Failures.readable(failure);
        }
    }

    @Override
    public boolean next() {
        try {
            record = source.next();
        } catch (RuntimeException failure) {
            throw Failures.readable(failure);
        }
        return record != null;
    }

    @Override
    public InternalRow get() {
        Object[] row = new Object[columns];
        row[0] = record.key();
        row[1] = record.value();
        row[2] = UTF8String.fromString(record.topic());
        row[3] = record.partition();
        row[4] = record.offset();
        row[5] = Math.multiplyExact(record.timestamp(), 1000L);
        row[6] = record.timestampType().id;
        if (columns > WITHOUT_HEADERS) {
            row[7] = headers(record.headers());
        }
        return new GenericInternalRow(row);
    }

    /** Null where there are none, as the connector has it. */
    private static GenericArrayData headers(Headers headers) {
        List<Object> all = new ArrayList<>();
        for (Header each : headers) {
            all.add(new GenericInternalRow(new Object[] {UTF8String.fromString(each.key()), each.value()}));
        }
        return all.isEmpty() ? null : new GenericArrayData(all.toArray());
    }

    @Override
    public void close() {
        source.close();
    }
}

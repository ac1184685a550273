package kafkatopology.scan;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.kafka010.KafkaBatchInputPartition;
import org.apache.spark.sql.kafka010.KafkaOffsetRange;
import org.apache.spark.sql.kafka010.consumer.KafkaDataConsumer;

/**
 * Records from Spark's Kafka connector by its own consumer, before it makes rows of them: a quarter of a scan's time.
 *
 * Retries, gaps and lost records are the connector's matter, as they are in its own reader.
 */
final class KafkaSource implements Source {
    private static final int LOOK_EVERY = 1 << 10;

    private final KafkaBatchInputPartition partition;
    private final KafkaDataConsumer consumer;
    private final long end;
    private long next;
    private int unlooked;

    KafkaSource(InputPartition part) {
        partition = (KafkaBatchInputPartition) part;
        KafkaOffsetRange range = partition.offsetRange();
        next = range.fromOffset();
        end = range.untilOffset();
        if (next < 0 || end < 0) {
            throw new Refused("the offsets are not pinned");
        }
        consumer = KafkaDataConsumer.acquire(range.topicPartition(), partition.executorKafkaParams());
    }

    @Override
    public boolean next(Record record) {
        if (++unlooked == LOOK_EVERY) {
            unlooked = 0;
            endIfKilled();
        }
        ConsumerRecord<byte[], byte[]> read = next < end
                ? consumer.get(next, end, partition.pollTimeoutMs(), partition.failOnDataLoss())
                : null;
        if (read == null) {
            return false;
        }
        next = read.offset() + 1;
        record.key.set(read.key());
        record.value.set(read.value());
        record.partition = read.partition();
        record.offset = read.offset();
        record.timestampMs = read.timestamp();
        record.timestampType = read.timestampType().id;
        return true;
    }

    @Override
    public void close() {
        consumer.release();
    }

    /** Spark's own iterators look at every row whether the job was cancelled. */
    private static void endIfKilled() {
        TaskContext task = TaskContext.get();
        if (task != null && task.isInterrupted()) {
            throw new TaskKilledException("the check was interrupted");
        }
    }
}

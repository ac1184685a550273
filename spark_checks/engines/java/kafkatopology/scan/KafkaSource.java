package kafkatopology.scan;

import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.apache.spark.kafka010.KafkaConfigUpdater;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.kafka010.KafkaBatchInputPartition;
import org.apache.spark.sql.kafka010.KafkaOffsetRange;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Records of one partition by a Kafka consumer, where the connector has planned to read them and with its settings.
 *
 * The connector's own consumer asks for the partition's offsets after each fetch, which throws away what was fetched
 * ahead, and its reader makes a row of each record. The time that these take is what the checks have.
 */
final class KafkaSource implements Source {
    private static final Duration A_WHILE = Duration.ofMillis(500); // between looks whether the job was cancelled

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final TopicPartition from;
    private final long end;
    private final long patienceMs;
    private final boolean failsOnLoss;
    private Iterator<ConsumerRecord<byte[], byte[]>> fetched = Collections.emptyIterator();

    KafkaSource(InputPartition part) {
        KafkaBatchInputPartition partition = (KafkaBatchInputPartition) part;
        KafkaOffsetRange range = partition.offsetRange();
        if (range.fromOffset() < 0 || range.untilOffset() < 0) {
            throw new Refused("the offsets are not pinned");
        }
        from = range.topicPartition();
        end = range.untilOffset();
        patienceMs = partition.pollTimeoutMs();
        failsOnLoss = partition.failOnDataLoss();
        consumer = new KafkaConsumer<>(withTokens(partition.executorKafkaParams()));
        consumer.assign(List.of(from));
        consumer.seek(from, range.fromOffset());
    }

    @Override
    public boolean next(Record record) {
        while (!fetched.hasNext()) {
            if (consumer.position(from) >= end) {
                return false;
            }
            fetch();
        }
        ConsumerRecord<byte[], byte[]> read = fetched.next();
        if (read.offset() >= end) {
            return false;
        }
        record.key.set(read.key());
        record.value.set(read.value());
        record.partition = read.partition();
        record.offset = read.offset();
        record.timestampMs = read.timestamp();
        record.timestampType = read.timestampType().id;
        return true;
    }

    /** Goes on by at least one offset, with records or without: those of aborted transactions are never shown. */
    private void fetch() {
        long position = consumer.position(from);
        long deadline = System.nanoTime() + Duration.ofMillis(patienceMs).toNanos();
        do {
            endIfKilled();
            if (System.nanoTime() > deadline) {
                throw new TimeoutException(from + " at " + position + ": no record within " + patienceMs + " ms");
            }
            try {
                fetched = consumer.poll(A_WHILE).records(from).iterator();
            } catch (OffsetOutOfRangeException gone) {
                skipTo(consumer.beginningOffsets(List.of(from)).get(from), position, gone);
            }
        } while (!fetched.hasNext() && consumer.position(from) == position);
    }

    /** Retention goes on while we read: the records up to there are no more. Who reports them sees the gap himself. */
    private void skipTo(long begin, long position, OffsetOutOfRangeException gone) {
        if (failsOnLoss || begin <= position) {
            throw gone;
        }
        consumer.seek(from, Math.min(begin, end));
    }

    @Override
    public void close() {
        consumer.close();
    }

    /** Delegation tokens of the application, where it has some: as the connector's own consumer. */
    private static Map<String, Object> withTokens(Map<String, Object> settings) {
        var asScala = scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(settings));
        return new KafkaConfigUpdater("executor", asScala).setAuthenticationConfigIfNeeded().build();
    }

    /** Spark's own iterators look at every row whether the job was cancelled; here a fetch is soon enough. */
    private static void endIfKilled() {
        TaskContext task = TaskContext.get();
        if (task != null && task.isInterrupted()) {
            throw new TaskKilledException("the check was interrupted");
        }
    }
}

package kafkatopology.scan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * Records of one partition by a Kafka consumer of our own.
 *
 * The connector's own consumer asks for the partition's offsets after each fetch, which throws away what was fetched
 * ahead, and its reader makes a row of each record. The time that these take is what the checks have.
 */
final class KafkaSource implements Source {
    private static final Duration A_WHILE = Duration.ofMillis(500); // between looks whether the job was cancelled

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final TopicPartition from;
    private final Blocks blocks;
    private final long patienceMs;
    private final boolean failsOnLoss;
    private Iterator<ConsumerRecord<byte[], byte[]>> fetched = Collections.emptyIterator();

    /** What was planned by our own source, or by Spark's connector. */
    static KafkaSource of(InputPartition part) {
        return of(part, MissingNode.getInstance());
    }

    /** Only the blocks of it that the spec names, if it names some. */
    static KafkaSource of(InputPartition part, JsonNode spec) {
        KafkaRange range = part instanceof KafkaRange own ? own : ConnectorPart.range(part);
        return new KafkaSource(range, Blocks.of(spec, range));
    }

    private KafkaSource(KafkaRange range, Blocks blocks) {
        from = range.from();
        this.blocks = blocks;
        patienceMs = range.patienceMs();
        failsOnLoss = range.failsOnLoss();
        OwnLogins.use(range.settings());
        consumer = new KafkaConsumer<>(range.settings());
        consumer.assign(List.of(from));
        seek();
    }

    private void seek() {
        fetched = Collections.emptyIterator();
        if (blocks.hasOne()) {
            consumer.seek(from, blocks.start());
        }
    }

    /** The next record, null when there is none. */
    ConsumerRecord<byte[], byte[]> next() {
        while (blocks.hasOne()) {
            ConsumerRecord<byte[], byte[]> read = nextOfBlock();
            if (read != null) {
                return read;
            }
            blocks.next();
            seek();
        }
        return null;
    }

    private ConsumerRecord<byte[], byte[]> nextOfBlock() {
        while (!fetched.hasNext()) {
            if (consumer.position(from) >= blocks.end()) {
                return null;
            }
            fetch();
        }
        ConsumerRecord<byte[], byte[]> read = fetched.next();
        return read.offset() >= blocks.end() ? null : read;
    }

    @Override
    public boolean next(Record record) {
        ConsumerRecord<byte[], byte[]> read = next();
        if (read == null) {
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
            Cancelled.endTask();
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
        consumer.seek(from, Math.min(begin, blocks.end()));
    }

    @Override
    public void close() {
        consumer.close();
    }
}

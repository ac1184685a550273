package kafkatopology.scan;

import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * Which offsets of a partition are read, and with which settings of a Kafka consumer.
 *
 * Not a record: the text of one would show the settings, secrets among them, wherever Spark writes partitions.
 */
final class KafkaRange implements InputPartition {
    private static final long serialVersionUID = 1;

    private final Map<String, Object> settings;
    private final TopicPartition from;
    private final long start;
    private final long end;
    private final long patienceMs;
    private final boolean failsOnLoss;

    KafkaRange(
            Map<String, Object> settings, TopicPartition from, long start, long end, long patienceMs,
            boolean failsOnLoss) {
        if (start < 0 || end < 0) {
            throw new Refused("the offsets are not pinned");
        }
        this.settings = settings;
        this.from = from;
        this.start = start;
        this.end = end;
        this.patienceMs = patienceMs;
        this.failsOnLoss = failsOnLoss;
    }

    Map<String, Object> settings() {
        return settings;
    }

    TopicPartition from() {
        return from;
    }

    long start() {
        return start;
    }

    /** Exclusive. */
    long end() {
        return end;
    }

    long patienceMs() {
        return patienceMs;
    }

    boolean failsOnLoss() {
        return failsOnLoss;
    }

    @Override
    public String toString() {
        return from + " from " + start + " to " + end;
    }
}

package kafkatopology.scan;

import java.util.Map;
import org.apache.spark.kafka010.KafkaConfigUpdater;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.kafka010.KafkaBatchInputPartition;
import org.apache.spark.sql.kafka010.KafkaOffsetRange;
import scala.jdk.javaapi.CollectionConverters;

/** What Spark's Kafka connector has planned for a task. The only class that needs the connector. */
final class ConnectorPart {
    private ConnectorPart() {}

    static KafkaRange range(InputPartition part) {
        KafkaBatchInputPartition planned = (KafkaBatchInputPartition) part;
        KafkaOffsetRange offsets = planned.offsetRange();
        return new KafkaRange(
                withTokens(planned.executorKafkaParams()), offsets.topicPartition(), offsets.fromOffset(),
                offsets.untilOffset(), planned.pollTimeoutMs(), planned.failOnDataLoss());
    }

    /** Delegation tokens of the application, where it has some: as the connector's own consumer. */
    private static Map<String, Object> withTokens(Map<String, Object> settings) {
        var asScala = scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(settings));
        return new KafkaConfigUpdater("executor", asScala).setAuthenticationConfigIfNeeded().build();
    }
}

package kafkatopology.scan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A task for each assigned partition. Only partitions hold the settings, because plans are shown. */
final class TopicScan implements Scan, Batch {
    private static final String KAFKA = "kafka.";
    private static final long PATIENCE_MS = 120_000; // as the connector, by default

    private final StructType row;
    private final InputPartition[] parts;

    TopicScan(StructType row, CaseInsensitiveStringMap options) {
        this.row = row;
        this.parts = ranges(options).toArray(InputPartition[]::new);
    }

    private static List<KafkaRange> ranges(CaseInsensitiveStringMap options) {
        Map<String, Object> settings = settings(options);
        JsonNode starts = PartitionScan.parse(options.get("startingOffsets"));
        JsonNode ends = PartitionScan.parse(options.get("endingOffsets"));
        List<KafkaRange> ranges = new ArrayList<>();
        PartitionScan.parse(options.get("assign")).fields().forEachRemaining(assigned -> {
            String topic = assigned.getKey();
            for (JsonNode partition : assigned.getValue()) {
                long start = starts.get(topic).get(partition.asText()).asLong();
                long end = ends.get(topic).get(partition.asText()).asLong();
                TopicPartition from = new TopicPartition(topic, partition.asInt());
                ranges.add(new KafkaRange(
                        settings, from, start, end, PATIENCE_MS, options.getBoolean("failOnDataLoss", true)));
            }
        });
        return ranges;
    }

    private static Map<String, Object> settings(CaseInsensitiveStringMap options) {
        Map<String, Object> settings = new HashMap<>();
        options.forEach((name, value) -> {
            if (name.startsWith(KAFKA)) {
                settings.put(name.substring(KAFKA.length()), value);
            }
        });
        settings.put("key.deserializer", ByteArrayDeserializer.class.getName());
        settings.put("value.deserializer", ByteArrayDeserializer.class.getName());
        settings.put("auto.offset.reset", "none");
        settings.put("enable.auto.commit", "false");
        return settings;
    }

    @Override
    public StructType readSchema() {
        return row;
    }

    @Override
    public String description() {
        return "kafka-topology records of " + parts.length + " Kafka partitions";
    }

    @Override
    public Batch toBatch() {
        return this;
    }

    @Override
    public InputPartition[] planInputPartitions() {
        return parts.clone();
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        return new Factory(row.length());
    }

    private static final class Factory implements PartitionReaderFactory {
        private static final long serialVersionUID = 1;

        private final int columns;

        Factory(int columns) {
            this.columns = columns;
        }

        @Override
        public PartitionReader<InternalRow> createReader(InputPartition part) {
            return new TopicReader(part, columns);
        }
    }
}

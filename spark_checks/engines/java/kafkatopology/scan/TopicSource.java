package kafkatopology.scan;

import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * Records of assigned partitions at pinned offsets, with the options and columns of Spark's Kafka connector.
 *
 * For a Spark Connect server without the connector: given to a session as an artifact, the connector itself reads in
 * the first session of a server only, because it registers settings that a JVM takes once.
 */
public final class TopicSource implements TableProvider {
    private static final StructType ROW = new StructType()
            .add("key", DataTypes.BinaryType)
            .add("value", DataTypes.BinaryType)
            .add("topic", DataTypes.StringType)
            .add("partition", DataTypes.IntegerType)
            .add("offset", DataTypes.LongType)
            .add("timestamp", DataTypes.TimestampType)
            .add("timestampType", DataTypes.IntegerType);
    private static final ArrayType HEADERS = DataTypes.createArrayType(
            new StructType().add("key", DataTypes.StringType).add("value", DataTypes.BinaryType));

    /** Fails at once where Kafka's client is missing, before anything is read. */
    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        ConsumerConfig.configNames();
        return options.getBoolean("includeHeaders", false) ? ROW.add("headers", HEADERS) : ROW;
    }

    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        return new TopicTable(schema);
    }

    private static final class TopicTable implements SupportsRead {
        private final StructType row;

        TopicTable(StructType row) {
            this.row = row;
        }

        @Override
        public String name() {
            return "kafka-topology records";
        }

        @Override
        @SuppressWarnings("deprecation") // its successor is made of this one
        public StructType schema() {
            return row;
        }

        @Override
        public Set<TableCapability> capabilities() {
            return Set.of(TableCapability.BATCH_READ);
        }

        @Override
        public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
            return () -> new TopicScan(row, options);
        }
    }
}

package kafkatopology.scan;

import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Chooses how a query is scanned: by consumers of our own where it is the bare Kafka source, else by its rows. */
final class TallyTable implements SupportsRead {
    private final StructType schema;

    TallyTable(StructType schema) {
        this.schema = schema;
    }

    @Override
    public String name() {
        return "kafka-topology scan";
    }

    @Override
    @SuppressWarnings("deprecation") // its successor is not asked by Spark 4.0
    public StructType schema() {
        return schema;
    }

    @Override
    public Set<TableCapability> capabilities() {
        return Set.of(TableCapability.BATCH_READ);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
        String view = options.get("view");
        if (view == null) {
            return () -> new TestedScan();
        }
        Work work = new Work(Give.of(options), options.get("spec"), UUID.randomUUID().toString());
        return () -> scan(SparkSession.active().table(view).queryExecution(), work);
    }

    private static org.apache.spark.sql.connector.read.Scan scan(QueryExecution query, Work work) {
        List<InputPartition> kafka = Plans.kafkaPartitions(query.executedPlan());
        if (kafka != null && !kafka.isEmpty()) {
            return new KafkaScan(kafka, work);
        }
        return work.give() == Give.TALLY ? new RowScan(query, work) : new RowsScan(query, work);
    }
}

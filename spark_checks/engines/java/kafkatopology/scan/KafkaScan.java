package kafkatopology.scan;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.StructType;

/** A task for each Kafka partition that the query reads. Its settings travel in there, and are never shown. */
final class KafkaScan implements Scan, Batch {
    private final List<InputPartition> kafka;
    private final Work work;

    KafkaScan(List<InputPartition> kafka, Work work) {
        this.kafka = kafka;
        this.work = work;
    }

    @Override
    public StructType readSchema() {
        return work.give().schema();
    }

    @Override
    public String description() {
        return "kafka-topology scan of " + kafka.size() + " Kafka partitions";
    }

    @Override
    public Batch toBatch() {
        return this;
    }

    @Override
    public InputPartition[] planInputPartitions() {
        return kafka.stream().map(Part::new).toArray(InputPartition[]::new);
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        return new Factory(work);
    }

    /** Not a record: Spark writes the text of a partition into its logs, and a record's has all settings. */
    private static final class Part implements InputPartition {
        private static final long serialVersionUID = 1;

        private final InputPartition kafka;

        Part(InputPartition kafka) {
            this.kafka = kafka;
        }

        @Override
        public String[] preferredLocations() {
            return kafka.preferredLocations();
        }

        @Override
        public String toString() {
            return "a Kafka partition";
        }
    }

    private static final class Factory implements PartitionReaderFactory {
        private static final long serialVersionUID = 1;

        private final Work work;

        Factory(Work work) {
            this.work = work;
        }

        @Override
        public PartitionReader<InternalRow> createReader(InputPartition part) {
            return new Reader(work, ((Part) part).kafka);
        }
    }

    /** What the work gives of the partition. */
    private static final class Reader implements PartitionReader<InternalRow> {
        private final Work work;
        private final InputPartition part;
        private Rows rows;
        private Object[] row;

        Reader(Work work, InputPartition part) {
            this.work = work;
            this.part = part;
        }

        @Override
        public boolean next() {
            try {
                rows = rows == null ? work.rows(this::source) : rows;
                row = rows.next();
            } catch (RuntimeException failure) {
                throw Failures.readable(failure);
            }
            return row != null;
        }

        private Source source() {
            return KafkaSource.of(part, PartitionScan.parse(work.spec()));
        }

        @Override
        public InternalRow get() {
            return new GenericInternalRow(row);
        }

        @Override
        public void close() {
            if (rows != null) {
                rows.close();
            }
        }
    }
}

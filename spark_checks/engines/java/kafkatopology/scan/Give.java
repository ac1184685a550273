package kafkatopology.scan;

import java.util.Locale;
import java.util.function.Supplier;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** What the data source gives of a query's records, by its option `give`. */
enum Give {
    /** Counts, and the first few records of each condition: a row of JSON for each task. */
    TALLY(new StructType().add("answer", DataTypes.StringType, false)) {
        @Override
        Rows rows(Work work, Supplier<Source> source) {
            return new TallyRows(work, source);
        }
    },
    /** Every record of which a wanted condition holds. */
    RECORDS(new StructType()
            .add("partition", DataTypes.IntegerType, false)
            .add("offset", DataTypes.LongType, false)
            .add("timestamp_ms", DataTypes.LongType, false)
            .add("key", DataTypes.BinaryType)
            .add("key_length", DataTypes.IntegerType)
            .add("mask", DataTypes.LongType, false)
            .add("expected_partition", DataTypes.IntegerType)) {
        @Override
        Rows rows(Work work, Supplier<Source> source) {
            return new RecordRows(PartitionScan.parse(work.spec()), source.get());
        }
    },
    /** Where each key lies. */
    KEYS(new StructType()
            .add("id", DataTypes.BinaryType, false)
            .add("key", DataTypes.BinaryType)
            .add("key_length", DataTypes.IntegerType, false)
            .add("era", DataTypes.IntegerType, false)
            .add("partition", DataTypes.IntegerType, false)
            .add("first", DataTypes.LongType, false)
            .add("first_ms", DataTypes.LongType, false)
            .add("last", DataTypes.LongType, false)) {
        @Override
        Rows rows(Work work, Supplier<Source> source) {
            return new KeyRows(PartitionScan.parse(work.spec()), source.get());
        }
    };

    private final StructType schema;

    Give(StructType schema) {
        this.schema = schema;
    }

    static Give of(CaseInsensitiveStringMap options) {
        return valueOf(options.getOrDefault("give", "tally").toUpperCase(Locale.ROOT));
    }

    StructType schema() {
        return schema;
    }

    /** Of one task. */
    abstract Rows rows(Work work, Supplier<Source> source);
}

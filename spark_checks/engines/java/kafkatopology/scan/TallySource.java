package kafkatopology.scan;

import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The entry: a data source that gives the tally of a query instead of its rows, on a session of any kind.
 *
 * `view` names a temporary view of the session: key, value, partition, offset, timestamp and maybe timestampType and
 * prepared answers. `spec` is JSON. Each row is the answer of one task. Without a view, the self-test answers.
 */
public final class TallySource implements TableProvider {
    static final StructType SCHEMA = new StructType().add("answer", DataTypes.StringType, false);

    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        return SCHEMA;
    }

    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        return new TallyTable();
    }

    static InternalRow row(String answer) {
        return new GenericInternalRow(new Object[] {UTF8String.fromString(answer)});
    }
}

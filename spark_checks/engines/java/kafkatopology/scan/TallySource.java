package kafkatopology.scan;

import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The entry: a data source that gives what is found in the rows of a query, on a session of any kind.
 *
 * `view` names a temporary view of the session: key, value, partition, offset, timestamp and maybe timestampType and
 * prepared answers. `spec` is JSON. `give` says what is given: see `Give`. Without a view, the self-test answers.
 */
public final class TallySource implements TableProvider {
    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        return Give.of(options).schema();
    }

    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        return new TallyTable(schema);
    }

    static InternalRow row(String answer) {
        return new GenericInternalRow(new Object[] {UTF8String.fromString(answer)});
    }
}

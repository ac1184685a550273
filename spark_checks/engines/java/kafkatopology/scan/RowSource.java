package kafkatopology.scan;

import java.util.Iterator;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** Records from the rows of any query. */
final class RowSource implements Source {
    private final Iterator<InternalRow> rows;
    private final Columns columns;

    RowSource(Iterator<InternalRow> rows, Columns columns) {
        this.rows = rows;
        this.columns = columns;
    }

    @Override
    public boolean next(Record record) {
        if (!rows.hasNext()) {
            return false;
        }
        UnsafeRow row = (UnsafeRow) rows.next();
        record.key.set(row, columns.key());
        if (columns.value() >= 0) {
            record.value.set(row, columns.value());
        }
        record.partition = row.getInt(known(row, columns.partition()));
        record.offset = row.getLong(known(row, columns.offset()));
        record.timestampMs = Math.floorDiv(row.getLong(known(row, columns.timestamp())), 1000L);
        record.timestampType = columns.timestampType() < 0 ? 0 : row.getInt(known(row, columns.timestampType()));
        record.prepared = columns.prepared() < 0 ? 0 : row.getLong(columns.prepared());
        boolean isExpected = columns.expected() >= 0 && !row.isNullAt(columns.expected());
        record.expected = isExpected ? row.getInt(columns.expected()) : Placing.OPEN;
        return true;
    }

    @Override
    public void close() {}

    private static int known(UnsafeRow row, int column) {
        if (row.isNullAt(column)) {
            throw new Refused("a record without its partition, offset or timestamp");
        }
        return column;
    }
}

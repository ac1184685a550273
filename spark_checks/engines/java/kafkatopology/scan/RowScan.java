package kafkatopology.scan;

import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.LocalScan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.types.StructType;

/**
 * The rows of any other query: a decoded topic, a condition that is left to SQL, a DataFrame of the user's own.
 *
 * A query may need shuffles, which only a job of its own can run: the driver starts it, and its answers are the rows.
 */
final class RowScan implements LocalScan {
    private final QueryExecution query;
    private final Work work;
    private InternalRow[] answers;

    RowScan(QueryExecution query, Work work) {
        this.query = query;
        this.work = work;
    }

    @Override
    public StructType readSchema() {
        return Give.TALLY.schema();
    }

    @Override
    public String description() {
        return "kafka-topology scan of rows";
    }

    /** Once, however often Spark plans. */
    @Override
    public synchronized InternalRow[] rows() {
        if (answers == null) {
            Task task = new Task(work, Plans.columns(query.executedPlan()));
            List<String> found = query.toRdd().toJavaRDD().mapPartitions(task).collect();
            answers = found.stream().map(TallySource::row).toArray(InternalRow[]::new);
        }
        return answers;
    }

    /** A class instead of a lambda, which the class loader of a Spark Connect session might not find again. */
    private static final class Task implements FlatMapFunction<Iterator<InternalRow>, String> {
        private static final long serialVersionUID = 1;

        private final Work work;
        private final Columns columns;

        Task(Work work, Columns columns) {
            this.work = work;
            this.columns = columns;
        }

        @Override
        public Iterator<String> call(Iterator<InternalRow> rows) {
            return List.of(work.done(() -> source(rows))).iterator();
        }

        private Source source(Iterator<InternalRow> rows) {
            if (Blocks.areIn(PartitionScan.parse(work.spec()))) {
                throw new Refused("rows come from outside the blocks, too");
            }
            return new RowSource(rows, columns);
        }
    }
}

package kafkatopology.scan;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.V1Scan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.TableScan;
import org.apache.spark.sql.types.StructType;

/**
 * Rows made of the rows of any query, where they are: there may be too many for the driver.
 *
 * Only Spark's older interface takes an RDD, which a query with shuffles becomes.
 */
final class RowsScan implements V1Scan {
    private final QueryExecution query;
    private final Work work;

    RowsScan(QueryExecution query, Work work) {
        this.query = query;
        this.work = work;
    }

    @Override
    public StructType readSchema() {
        return work.give().schema();
    }

    @Override
    public String description() {
        return "kafka-topology rows of a query";
    }

    @Override
    @SuppressWarnings("unchecked") // the caller takes any such relation
    public <T extends BaseRelation & TableScan> T toV1TableScan(SQLContext context) {
        return (T) new Relation(context, query, work);
    }

    private static final class Relation extends BaseRelation implements TableScan {
        private final SQLContext context;
        private final QueryExecution query;
        private final Work work;

        Relation(SQLContext context, QueryExecution query, Work work) {
            this.context = context;
            this.query = query;
            this.work = work;
        }

        @Override
        public SQLContext sqlContext() {
            return context;
        }

        @Override
        public StructType schema() {
            return work.give().schema();
        }

        @Override
        public RDD<Row> buildScan() {
            Task task = new Task(work, Plans.columns(query.executedPlan()));
            return query.toRdd().toJavaRDD().mapPartitions(task).rdd();
        }
    }

    /** A class instead of a lambda, which the class loader of a Spark Connect session might not find again. */
    private static final class Task implements FlatMapFunction<Iterator<InternalRow>, Row> {
        private static final long serialVersionUID = 1;

        private final Work work;
        private final Columns columns;

        Task(Work work, Columns columns) {
            this.work = work;
            this.columns = columns;
        }

        @Override
        public Iterator<Row> call(Iterator<InternalRow> rows) {
            Rows found = work.rows(() -> new RowSource(rows, columns));
            TaskContext.get().<Void>addTaskCompletionListener(context -> {
                found.close();
                return null;
            });
            return new Taken(found);
        }
    }

    private static final class Taken implements Iterator<Row> {
        private final Rows rows;
        private Object[] next;

        Taken(Rows rows) {
            this.rows = rows;
        }

        @Override
        public boolean hasNext() {
            if (next == null) {
                next = rows.next();
            }
            return next != null;
        }

        @Override
        public Row next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            Row row = RowFactory.create(next);
            next = null;
            return row;
        }
    }
}

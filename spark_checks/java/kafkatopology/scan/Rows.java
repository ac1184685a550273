package kafkatopology.scan;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.execution.InputAdapter;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import scala.jdk.javaapi.CollectionConverters;

/** The rows of a query, in Spark's own format. */
record Rows(RDD<InternalRow> rdd, Columns columns) {
    private static final String KAFKA = "org.apache.spark.sql.kafka010.";

    static Rows of(QueryExecution query) {
        SparkPlan plan = query.executedPlan();
        SparkPlan source = source(plan);
        return source == null
                ? new Rows(query.toRdd(), columns(plan))
                : new Rows(source.execute(), columns(source));
    }

    /**
     * The Kafka source, when nothing is done to its rows but to copy them: Spark does that for any source whose rows
     * might not be in its own format, and this one's are.
     */
    private static SparkPlan source(SparkPlan plan) {
        boolean copies = plan instanceof WholeStageCodegenExec stage
                && stage.child() instanceof ProjectExec project
                && CollectionConverters.asJava(project.projectList()).stream().allMatch(AttributeReference.class::isInstance)
                && project.child() instanceof InputAdapter;
        if (!copies) {
            return null;
        }
        SparkPlan input = ((InputAdapter) ((ProjectExec) ((WholeStageCodegenExec) plan).child()).child()).child();
        boolean kafka = input instanceof BatchScanExec scan && scan.scan().getClass().getName().startsWith(KAFKA);
        return kafka ? input : null;
    }

    private static Columns columns(SparkPlan plan) {
        List<String> names = new ArrayList<>();
        for (Attribute each : CollectionConverters.asJava(plan.output())) {
            names.add(each.name());
        }
        return Columns.of(names);
    }
}

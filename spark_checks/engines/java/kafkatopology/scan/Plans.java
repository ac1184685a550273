package kafkatopology.scan;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.execution.InputAdapter;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import scala.jdk.javaapi.CollectionConverters;

/** What a query does, as far as a scan needs to know. */
final class Plans {
    private static final String KAFKA = "org.apache.spark.sql.kafka010.";

    private Plans() {}

    /** The partitions of a Kafka source, one a task, when nothing but its bare rows is asked for; else null. */
    static List<InputPartition> kafkaPartitions(SparkPlan plan) {
        if (plan instanceof WholeStageCodegenExec stage
                && stage.child() instanceof ProjectExec project
                && onlyPassesOn(project)
                && project.child() instanceof InputAdapter adapter
                && adapter.child() instanceof BatchScanExec scan
                && isKafka(scan.scan())) {
            return new ArrayList<>(CollectionConverters.asJava(scan.inputPartitions()));
        }
        return null;
    }

    private static boolean isKafka(Scan scan) {
        return scan instanceof TopicScan || scan.getClass().getName().startsWith(KAFKA);
    }

    private static boolean onlyPassesOn(ProjectExec project) {
        return CollectionConverters.asJava(project.projectList()).stream().allMatch(AttributeReference.class::isInstance);
    }

    static Columns columns(SparkPlan plan) {
        List<String> names = new ArrayList<>();
        for (Attribute each : CollectionConverters.asJava(plan.output())) {
            names.add(each.name());
        }
        return Columns.of(names);
    }
}

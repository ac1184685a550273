package kafkatopology.scan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Serializable;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;

/** The entry: all tests of a topic in one pass over its records, called from Python. */
public final class Scan {
    /** Records read by this JVM since it started; the progress bar of a local scan reads it. */
    static final LongAdder READ = new LongAdder();
    /** Scans that another engine will repeat, so their remaining tasks need not run. */
    private static final Set<String> REFUSED = ConcurrentHashMap.newKeySet();

    private Scan() {}

    public static long recordsRead() {
        return READ.sum();
    }

    /** Whether this Spark has the internals that were compiled against. */
    public static boolean works() {
        return SelfTest.passes();
    }

    /**
     * `rows`: key, value, partition, offset, timestamp and maybe timestampType and prepared answers; each task holds
     * whole partitions by ascending offsets. The answer is JSON: `groups` and `hotKeys`, or `overflow` or `refused`.
     */
    public static String tally(Dataset<?> rows, String spec) {
        Work work = new Work(spec, UUID.randomUUID().toString());
        try {
            return merge(answers(rows.queryExecution(), work).collect());
        } finally {
            REFUSED.remove(work.scan);
        }
    }

    private static JavaRDD<String> answers(QueryExecution query, Work work) {
        SparkPlan plan = query.executedPlan();
        List<InputPartition> kafka = Plans.kafkaPartitions(plan);
        if (kafka == null || kafka.isEmpty()) {
            Columns columns = Plans.columns(plan);
            return query.toRdd().toJavaRDD().mapPartitions(rows -> work.done(() -> new RowSource(rows, columns)));
        }
        JavaSparkContext context = JavaSparkContext.fromSparkContext(query.sparkSession().sparkContext());
        return context.parallelize(kafka, kafka.size())
                .mapPartitions(parts -> work.done(() -> new KafkaSource(parts.next())));
    }

    private static String merge(List<String> answers) {
        ObjectNode all = new ObjectMapper().createObjectNode();
        ArrayNode groups = all.putArray("groups");
        ArrayNode hotKeys = all.putArray("hotKeys");
        Map<Integer, Integer> taskOf = new HashMap<>();
        for (int task = 0; task < answers.size(); task++) {
            JsonNode answer = PartitionScan.parse(answers.get(task));
            if (!answer.has("groups")) {
                return answers.get(task);
            }
            for (JsonNode group : answer.get("groups")) {
                Integer other = taskOf.putIfAbsent(group.get(0).asInt(), task);
                if (other != null && other != task) {
                    return PartitionScan.refusal(new Refused("partition " + group.get(0) + " is read by two tasks"));
                }
            }
            groups.addAll((ArrayNode) answer.get("groups"));
            hotKeys.addAll((ArrayNode) answer.get("hotKeys"));
        }
        return all.toString();
    }

    /** What every task of a scan does. */
    private static final class Work implements Serializable {
        private static final long serialVersionUID = 1;

        private final String spec;
        private final String scan;

        Work(String spec, String scan) {
            this.spec = spec;
            this.scan = scan;
        }

        Iterator<String> done(Supplier<Source> records) {
            if (REFUSED.contains(scan)) {
                return Collections.emptyIterator();
            }
            String answer = answer(records);
            if (!answer.startsWith("{\"groups\"")) {
                REFUSED.add(scan);
            }
            return List.of(answer).iterator();
        }

        private String answer(Supplier<Source> records) {
            try (Source source = records.get()) {
                return new PartitionScan(spec).judge(source);
            } catch (Refused refused) {
                return PartitionScan.refusal(refused);
            } catch (LinkageError error) {
                // Another version of the connector than the one compiled against.
                return PartitionScan.refusal(new Refused(error.toString()));
            }
        }
    }
}

package kafkatopology.scan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.classic.Dataset;

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
        Rows records = Rows.of(rows.queryExecution());
        Task task = new Task(spec, records.columns(), UUID.randomUUID().toString());
        try {
            return merge(records.rdd().toJavaRDD().mapPartitions(task).collect());
        } finally {
            REFUSED.remove(task.scan);
        }
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

    private static final class Task implements FlatMapFunction<Iterator<InternalRow>, String> {
        private static final long serialVersionUID = 1;

        private final String spec;
        private final Columns columns;
        private final String scan;

        Task(String spec, Columns columns, String scan) {
            this.spec = spec;
            this.columns = columns;
            this.scan = scan;
        }

        @Override
        public Iterator<String> call(Iterator<InternalRow> rows) {
            if (REFUSED.contains(scan)) {
                return Collections.emptyIterator();
            }
            String answer = new PartitionScan(spec, columns).judge(rows);
            if (!answer.startsWith("{\"groups\"")) {
                REFUSED.add(scan);
            }
            return List.of(answer).iterator();
        }
    }
}

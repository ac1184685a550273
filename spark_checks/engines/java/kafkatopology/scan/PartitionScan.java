package kafkatopology.scan;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Judges the records of one task. */
final class PartitionScan {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int COUNT_EVERY = 1 << 10;

    private final Record record;
    private final Limits limits;
    private final Layout layout;
    /** What is known from the situation alone. */
    private final long[] known = new long[Situation.COUNT];
    private final Pending pending = new Pending();
    private final Condition[] conditions;
    private final long[] bits;
    private final ObjectNode answer = JSON.createObjectNode();
    private final Set<Integer> done = new HashSet<>();

    private int partition;
    private long lastOffset;
    private Before before;
    private Groups groups;

    PartitionScan(String description) {
        JsonNode spec = parse(description);
        JsonNode tests = spec.get("tests");
        record = new Record(spec.get("texts"), spec.get("numbers"), spec.get("judgesJson").asBoolean());
        limits = Limits.of(spec);
        layout = new Layout(record.kinds());
        if (limits.mostHotKeys() > 0) {
            layout.keepRecords();
        }
        List<JsonNode> others = new ArrayList<>();
        for (JsonNode test : tests) {
            Situation.Test simple = Conditions.ofSituation(test);
            if (simple != null) {
                answerAll(simple, bit(test));
            } else if (!pending.takes(test, layout)) {
                others.add(test);
            }
        }
        conditions = others.stream().map(test -> Conditions.of(test, layout)).toArray(Condition[]::new);
        bits = others.stream().mapToLong(PartitionScan::bit).toArray();
        answer.putArray("groups");
        answer.putArray("hotKeys");
    }

    private void answerAll(Situation.Test test, long bit) {
        for (int situation = 0; situation < known.length; situation++) {
            known[situation] |= test.holds(situation) ? bit : 0;
        }
    }

    private static long bit(JsonNode test) {
        return 1L << test.get("bit").asInt();
    }

    /** The answer as JSON: groups and hot keys, or why this engine must not judge these records. */
    String judge(Source source) {
        try {
            int uncounted = 0;
            while (source.next(record)) {
                judge();
                if (++uncounted == COUNT_EVERY) {
                    Scan.READ.add(uncounted);
                    uncounted = 0;
                }
            }
            Scan.READ.add(uncounted);
            finish();
            return answer.toString();
        } catch (Refused refused) {
            return refusal(refused);
        } finally {
            if (before != null) {
                before.close();
            }
        }
    }

    private void judge() {
        record.read();
        if (before == null || record.partition != partition) {
            begin(record.partition);
        } else if (record.offset <= lastOffset) {
            throw new Refused("offsets of partition " + partition + " do not ascend");
        }
        lastOffset = record.offset;
        before.find(record);
        long mask = record.prepared | known[Situation.of(record.key, record.value)];
        for (int index = 0; index < conditions.length; index++) {
            if (conditions[index].holds(record, before)) {
                mask |= bits[index];
            }
        }
        pending.add(mask, record, before.keys(), groups);
        before.add(record);
    }

    private void begin(int next) {
        finish();
        if (!done.add(next)) {
            throw new Refused("records of partition " + next + " are not together");
        }
        partition = next;
        before = new Before(layout, limits, record.scales());
        groups = new Groups(limits);
    }

    private void finish() {
        if (before != null) {
            pending.finish(before.keys(), groups);
            groups.write(partition, answer.withArray("groups"));
            before.writeHotKeys(partition, answer.withArray("hotKeys"));
            before.close();
            before = null;
        }
    }

    static String refusal(Refused refused) {
        return JSON.createObjectNode().put(refused.overflow ? "overflow" : "refused", refused.getMessage()).toString();
    }

    static JsonNode parse(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException error) {
            throw new IllegalArgumentException(error);
        }
    }
}

package kafkatopology.scan;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Judges the records of one task. Whoever wants the records themselves gets them as they are judged. */
final class PartitionScan implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int COUNT_EVERY = 1 << 10;

    private final Source source;
    private final Output output;
    private final Record record;
    /** One that was spilled. The other may be the first of the next partition already. */
    private final Record delayed;
    private final Limits limits;
    private final Layout layout;
    /** What is known from the situation alone. */
    private final long[] known = new long[Situation.COUNT];
    private final Pending pending = new Pending();
    private final Condition[] conditions;
    private final long[] bits;
    /** Those that look at other records of the key. */
    private final Condition[] conditionsOfKey;
    private final long[] bitsOfKey;
    private final ObjectNode answer = JSON.createObjectNode();
    private final Set<Integer> done = new HashSet<>();

    private int partition;
    private long lastOffset;
    private Before before;
    private Groups groups;
    private Spill spill;
    private Replay replay;
    /** The record at hand is the first of the next partition, and waits for the end of this one. */
    private boolean waiting;
    private boolean exhausted;
    private int uncounted;
    private int steps;

    PartitionScan(JsonNode spec, Source source, Output output) {
        this.source = source;
        this.output = output;
        JsonNode tests = spec.get("tests");
        record = new Record(spec.get("texts"), spec.get("numbers"), spec.get("judgesJson").asBoolean());
        delayed = new Record(spec.get("texts"), spec.get("numbers"), false);
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
        List<JsonNode> ofKey = others.stream().filter(Conditions::isOfKey).toList();
        others.removeAll(ofKey);
        conditions = conditions(others);
        bits = bits(others);
        conditionsOfKey = conditions(ofKey);
        bitsOfKey = bits(ofKey);
        answer.putArray("groups");
        answer.putArray("hotKeys");
        answer.putArray("evidence");
    }

    private Condition[] conditions(List<JsonNode> tests) {
        return tests.stream().map(test -> Conditions.of(test, layout)).toArray(Condition[]::new);
    }

    private static long[] bits(List<JsonNode> tests) {
        return tests.stream().mapToLong(PartitionScan::bit).toArray();
    }

    private void answerAll(Situation.Test test, long bit) {
        for (int situation = 0; situation < known.length; situation++) {
            known[situation] |= test.holds(situation) ? bit : 0;
        }
    }

    private static long bit(JsonNode test) {
        return 1L << test.get("bit").asInt();
    }

    /** The answer as JSON: groups, hot keys and evidence, or why this engine must not judge these records. */
    static String tally(String description, Source source) {
        JsonNode spec = parse(description);
        try (PartitionScan scan = new PartitionScan(spec, source, new Evidence(Limits.of(spec)))) {
            while (scan.next()) {
                // The scan keeps the answers.
            }
            return scan.answer.toString();
        } catch (Refused refused) {
            return refusal(refused);
        }
    }

    /** Judges the next record, one from the source or one that was spilled; false when there is none. */
    boolean next() {
        if (replay != null) {
            return nextSpilled();
        }
        boolean found = !exhausted && source.next(record);
        count(found);
        if (found && before != null && record.partition == partition) {
            if (record.offset <= lastOffset) {
                throw new Refused("offsets of partition " + partition + " do not ascend");
            }
            judge();
            return true;
        }
        exhausted = !found;
        if (before != null) {
            // The partition ends. What was spilled of it comes before the record at hand.
            pending.finish(before.keys(), groups);
            replay = new Replay(spill, delayed, again);
            waiting = found;
            return true;
        }
        if (found) {
            begin();
        }
        return found;
    }

    private boolean nextSpilled() {
        if (replay.next()) {
            count(true);
            return true;
        }
        end();
        if (waiting) {
            waiting = false;
            begin();
            return true;
        }
        return false;
    }

    private void count(boolean found) {
        if (replay == null) {
            uncounted += found ? 1 : 0;
        }
        if (!found || ++steps % COUNT_EVERY == 0) {
            Scan.READ.add(uncounted);
            uncounted = 0;
            Cancelled.endTask();
        }
    }

    @Override
    public void close() {
        if (before != null) {
            before.close();
            before = null;
        }
        if (replay != null) {
            replay.close();
        } else if (spill != null) {
            spill.close();
        }
        source.close();
    }

    private void judge() {
        record.read();
        lastOffset = record.offset;
        boolean atHand = before.find(record);
        long mask = record.prepared | known[Situation.of(record.key, record.value)] | held(conditions, bits, record);
        before.add(record);
        if (atHand) {
            judgeByKey(mask, mask, record);
        } else {
            // Conditions about other records of the key come later, as a further row.
            give(mask, record);
            spill.add(mask, record);
        }
    }

    private long held(Condition[] tests, long[] bitsOfTests, Record judged) {
        long mask = 0;
        for (int index = 0; index < tests.length; index++) {
            if (tests[index].holds(judged, before)) {
                mask |= bitsOfTests[index];
            }
        }
        return mask;
    }

    /** `mask` is what is known of the record, and `notGiven` the part of it that nobody has got yet. */
    private void judgeByKey(long mask, long notGiven, Record judged) {
        long ofKey = held(conditionsOfKey, bitsOfKey, judged);
        give(notGiven | ofKey, judged);
        pending.add(mask | ofKey, judged, before.keys(), groups, output);
        before.addToKey(judged);
    }

    private void give(long mask, Record judged) {
        if (mask != 0) {
            output.add(mask, judged);
        }
    }

    /** Judges the records that were spilled. */
    private final Replay.Judge again = new Replay.Judge() {
        @Override
        public void startPart() {
            before.startWithoutKeys();
        }

        @Override
        public boolean takes(long mask, Record spilled) {
            spilled.partition = partition;
            boolean found = before.findHash(spilled);
            if (found) {
                judgeByKey(mask, 0, spilled);
            }
            return found;
        }

        @Override
        public void finishPart() {
            pending.finish(before.keys(), groups);
        }
    };

    private void begin() {
        if (!done.add(record.partition)) {
            throw new Refused("records of partition " + record.partition + " are not together");
        }
        partition = record.partition;
        before = new Before(layout, limits, record.scales());
        groups = new Groups();
        spill = new Spill(layout, limits.mostHotKeys() > 0 || givesByKey());
        judge();
    }

    /** Whether records are given for conditions about others of their key, so that their keys are needed then. */
    private boolean givesByKey() {
        long ofKey = pending.bits();
        for (long bit : bitsOfKey) {
            ofKey |= bit;
        }
        return (ofKey & limits.wanted()) != 0;
    }

    private void end() {
        groups.write(partition, answer.withArray("groups"));
        before.writeHotKeys(partition, answer.withArray("hotKeys"));
        output.finish(partition, answer);
        replay.close();
        before.close();
        before = null;
        replay = null;
        spill = null;
    }

    static String refusal(Refused refused) {
        return JSON.createObjectNode().put("refused", refused.getMessage()).toString();
    }

    static JsonNode parse(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException error) {
            throw new IllegalArgumentException(error);
        }
    }
}

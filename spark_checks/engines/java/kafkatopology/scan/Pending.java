package kafkatopology.scan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * Conditions that the next record of the key decides: the latest record of each key waits in the key's cells until there
 * is one, or until the partition ends. Without such conditions nothing waits.
 */
final class Pending {
    private static final String KIND = "SupersededOverdue";

    private final List<Long> bits = new ArrayList<>();
    private final List<Long> moments = new ArrayList<>();
    private int mask = Layout.ABSENT;
    private int offset = Layout.ABSENT;
    private int bytes = Layout.ABSENT;
    private int time = Layout.ABSENT;

    /** Whether the test is one of these. */
    boolean takes(JsonNode test, Layout layout) {
        if (!test.get("kind").asText().equals(KIND)) {
            return false;
        }
        if (bits.isEmpty()) {
            mask = layout.keep();
            offset = layout.keep();
            bytes = layout.keep();
            time = layout.keep();
        }
        bits.add(1L << test.get("bit").asInt());
        moments.add(test.get("beforeMs").asLong());
        return true;
    }

    /** Puts the record's answers into the groups now, or keeps them and puts in those of the record before. */
    void add(long answers, Record record, KeyTable keys, Groups groups, Output output) {
        if (bits.isEmpty() || record.key.isNull()) {
            groups.add(answers, record.offset, record.bytes());
            return;
        }
        if (!keys.added()) {
            long superseded = 0;
            for (int test = 0; test < bits.size(); test++) {
                superseded |= record.timestampMs < moments.get(test) ? bits.get(test) : 0;
            }
            groups.add(keys.get(mask) | superseded, keys.get(offset), keys.get(bytes));
            if (superseded != 0) {
                output.addEarlier(superseded, record, keys.get(offset), keys.get(time));
            }
        }
        keys.set(mask, answers);
        keys.set(offset, record.offset);
        keys.set(bytes, record.bytes());
        keys.set(time, record.timestampMs);
    }

    /** The bits of these conditions. */
    long bits() {
        return bits.stream().reduce(0L, (one, other) -> one | other);
    }

    /** Puts in the records that nothing supersedes. */
    void finish(KeyTable keys, Groups groups) {
        if (!bits.isEmpty()) {
            keys.forEach((row, at) -> groups.add(row[at + mask], row[at + offset], row[at + bytes]));
        }
    }
}

package kafkatopology.scan;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;

/** Judges one known record by everything that rests on Spark's internals, so that another Spark shows at once. */
final class SelfTest {
    private static final String SPEC = """
            {"tests": [
              {"bit": 0, "kind": "DiffersFromField", "text": 0},
              {"bit": 1, "kind": "NoNumber", "number": 0},
              {"bit": 2, "kind": "NotOfType", "type": "string"},
              {"bit": 3, "kind": "FirstOfKey"},
              {"bit": 4, "kind": "SameAsBefore"},
              {"bit": 6, "kind": "NotOfFormat", "format": "json"}],
             "texts": [{"path": ["id"]}, {"path": ["at"]}],
             "numbers": [{"text": 1, "time": true}],
             "judgesJson": true, "mostKeys": 10, "mostHotKeys": 1, "hotKeyRecords": 1, "longestKey": 10,
             "wanted": 8, "mostEvidence": 1}
            """;
    private static final String ANSWER =
            "{\"groups\":[[3,40,1,7,7,77]],\"hotKeys\":[[3,\"w6Q=\",1]],\"evidence\":[[3,3,7,1,\"w6Q=\",2]]}";

    // The escape in a name makes it a case for Spark's parser.
    private static final String VALUE =
            "{\"id\": \"\\u00e4\", \"at\": \"2026-03-01T12:30:15.25+02:00\", \"in\": {\"\\u00e4\": 1}}";

    private SelfTest() {}

    static boolean passes() {
        List<InternalRow> rows = List.of(row("ä", VALUE));
        Source source = new RowSource(rows.iterator(), new Columns(0, 1, 2, 3, 4, 5, 6, -1));
        return PartitionScan.tally(SPEC, source).equals(ANSWER);
    }

    /** With an answer that was prepared: bit 5. */
    private static UnsafeRow row(String key, String value) {
        UnsafeRowWriter writer = new UnsafeRowWriter(7);
        writer.reset();
        writer.zeroOutNullBytes();
        writer.write(0, key.getBytes(StandardCharsets.UTF_8));
        writer.write(1, value.getBytes(StandardCharsets.UTF_8));
        writer.write(2, 3);
        writer.write(3, 7L);
        writer.write(4, 1_000L);
        writer.write(5, 0);
        writer.write(6, 32L);
        return writer.getRow();
    }
}

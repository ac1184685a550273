package kafkatopology.scan;

import java.io.Serializable;
import java.util.List;

/** Where a row has what; negative for what it has not. */
record Columns(
        int key, int value, int partition, int offset, int timestamp, int timestampType, int prepared, int expected)
        implements Serializable {
    static Columns of(List<String> names) {
        return new Columns(
                names.indexOf("key"),
                names.indexOf("value"),
                names.indexOf("partition"),
                names.indexOf("offset"),
                names.indexOf("timestamp"),
                names.indexOf("timestampType"),
                names.indexOf("prepared"),
                names.indexOf("expected_partition"));
    }
}

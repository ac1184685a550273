package kafkatopology.scan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What is in each JSON value: the text of some fields, and whether it is JSON. */
final class JsonFields {
    private static final int MOST_FIELDS = 31; // a bit each, see JsonPaths
    static final int LONGEST_PATH = 50;

    private final Slice[] found;
    private final boolean[] asked;
    private final boolean[] odd;
    private final String[][] paths;
    private final JsonScanner scanner;

    /** `specs`: objects with `path`, a list of names. */
    JsonFields(JsonNode specs) {
        int count = specs.size();
        found = new Slice[count];
        asked = new boolean[count];
        odd = new boolean[count];
        paths = new String[count][];
        JsonPaths wanted = new JsonPaths();
        for (int field = 0; field < count; field++) {
            List<String> path = new ArrayList<>();
            specs.get(field).get("path").forEach(name -> path.add(name.asText()));
            odd[field] = field >= MOST_FIELDS || path.size() > LONGEST_PATH;
            if (!odd[field]) {
                wanted.add(path, field);
            }
            found[field] = new Slice();
            paths[field] = path.toArray(String[]::new);
        }
        scanner = new JsonScanner(wanted, found, asked);
    }

    /** The text of a field of the value read last; null where the field is missing. */
    Slice get(int field) {
        return found[field];
    }

    void read(Slice value) {
        for (Slice field : found) {
            field.setNull();
        }
        if (value.isNull()) {
            return;
        }
        System.arraycopy(odd, 0, asked, 0, odd.length);
        if (!scanner.scan(value)) {
            Arrays.fill(asked, true);
        }
        for (int field = 0; field < found.length; field++) {
            if (asked[field]) {
                found[field].set(JsonDocument.field(value, paths[field]));
            }
        }
    }

    /** Whether the value, which was read last, is one JSON text and nothing else. */
    boolean isJson(Slice value) {
        return scanner.isPlain() || JsonDocument.isJson(value);
    }
}

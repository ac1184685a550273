package kafkatopology.scan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.expressions.json.GetJsonObjectEvaluator;
import org.apache.spark.unsafe.types.UTF8String;

/** What is in each JSON value: the text of some fields, as Spark's `get_json_object` gives it, and whether it is JSON. */
final class JsonFields {
    /** Spark's path syntax gives a meaning of its own to other names, or none. */
    private static final Pattern PLAIN_NAME = Pattern.compile("[^\\s\\p{Cntrl}'\"*\\\\\uFFFD]+");
    private static final int MOST_FIELDS = 31; // a bit each, see JsonPaths
    static final int LONGEST_PATH = 50;

    private final Slice[] found;
    private final boolean[] asked;
    private final boolean[] odd;
    private final GetJsonObjectEvaluator[] evaluators;
    private final JsonScanner scanner;

    /** `specs`: objects with `path`, a list of names, and `json`, the same as Spark's path expression. */
    JsonFields(JsonNode specs, boolean judgesText) {
        int count = specs.size();
        found = new Slice[count];
        asked = new boolean[count];
        odd = new boolean[count];
        evaluators = new GetJsonObjectEvaluator[count];
        JsonPaths paths = new JsonPaths();
        for (int field = 0; field < count; field++) {
            List<String> path = new ArrayList<>();
            specs.get(field).get("path").forEach(name -> path.add(name.asText()));
            boolean named = path.stream().allMatch(name -> PLAIN_NAME.matcher(name).matches());
            odd[field] = !named || field >= MOST_FIELDS || path.size() > LONGEST_PATH;
            if (!odd[field]) {
                paths.add(path, field);
            }
            found[field] = new Slice();
            evaluators[field] = new GetJsonObjectEvaluator(UTF8String.fromString(specs.get(field).get("json").asText()));
        }
        scanner = new JsonScanner(paths, found, asked, judgesText);
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
                evaluators[field].setJson(value.text());
                found[field].set((UTF8String) evaluators[field].evaluate());
            }
        }
    }

    /** Whether the value, which was read last, is one JSON text and nothing else. */
    boolean isJson(Slice value) {
        return scanner.isPlain(value) || JsonText.isJson(value);
    }
}

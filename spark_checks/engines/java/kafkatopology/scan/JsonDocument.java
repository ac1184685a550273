package kafkatopology.scan;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Any JSON document, read with a parser: slower than `JsonScanner`, and right for whatever that one gives up on.
 *
 * Strict (RFC 8259, UTF-8, nothing behind the document). Of a repeated name the last one counts, numbers are as they are
 * written, and arrays and objects are JSON text without spaces. A text with half a surrogate pair is missing: UTF-8 cannot
 * say it, and Java would make it a question mark, which equals that of somebody else.
 */
final class JsonDocument {
    private static final StreamReadConstraints LIMITS = StreamReadConstraints.builder()
            .maxNestingDepth(999) // in SQL a document is read inside an array: `json_columns.py`
            .maxNumberLength(Integer.MAX_VALUE)
            .maxStringLength(Integer.MAX_VALUE)
            .build();
    private static final JsonFactory STRICT = JsonFactory.builder().streamReadConstraints(LIMITS).build();

    private JsonDocument() {}

    static boolean isJson(Slice value) {
        UTF8String text = value.text();
        if (!text.isValid()) {
            return false;
        }
        try (JsonParser parser = STRICT.createParser(text.toString())) {
            if (parser.nextToken() == null) {
                return false;
            }
            parser.skipChildren();
            return parser.nextToken() == null;
        } catch (IOException error) {
            return false;
        }
    }

    /** The text of the field; null where it is missing or null, or where the value is no JSON. */
    static UTF8String field(Slice value, String[] path) {
        UTF8String text = value.text();
        if (!text.isValid()) {
            return null;
        }
        try (JsonParser parser = STRICT.createParser(text.toString())) {
            String found = parser.nextToken() == null ? null : found(parser, path, 0);
            return parser.nextToken() == null && found != null ? UTF8String.fromString(found) : null;
        } catch (IOException error) {
            return null;
        }
    }

    private static String found(JsonParser parser, String[] path, int depth) throws IOException {
        if (depth == path.length) {
            return text(parser);
        }
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            parser.skipChildren();
            return null;
        }
        String found = null;
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            boolean wanted = parser.currentName().equals(path[depth]);
            parser.nextToken();
            if (wanted) {
                found = found(parser, path, depth + 1);
            } else {
                parser.skipChildren();
            }
        }
        return found;
    }

    private static String text(JsonParser parser) throws IOException {
        switch (parser.currentToken()) {
            case VALUE_NULL:
                return null;
            case START_OBJECT, START_ARRAY:
                ByteArrayOutputStream written = new ByteArrayOutputStream();
                boolean whole;
                try (JsonGenerator generator = STRICT.createGenerator(written)) {
                    whole = copy(parser, generator);
                }
                return whole ? written.toString(StandardCharsets.UTF_8) : null;
            default:
                return hasWholePairs(parser.getText()) ? parser.getText() : null;
        }
    }

    /** An array or an object, to its end. Only numbers are not copied by the generator: it would round them. */
    private static boolean copy(JsonParser parser, JsonGenerator generator) throws IOException {
        int depth = 0;
        boolean whole = true;
        do {
            JsonToken token = parser.currentToken();
            if (token.isNumeric()) {
                generator.writeNumber(parser.getText());
            } else if (!hasWholePairs(parser.getText())) {
                whole = false; // not copied: the generator may refuse it, and the rest must still be read
                if (token == JsonToken.FIELD_NAME) {
                    generator.writeFieldName("");
                } else {
                    generator.writeNull();
                }
            } else {
                generator.copyCurrentEvent(parser);
            }
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        } while (depth > 0 && parser.nextToken() != null);
        return whole;
    }

    private static boolean hasWholePairs(String text) {
        for (int at = 0; at < text.length(); at++) {
            if (!Character.isSurrogate(text.charAt(at))) {
                continue;
            }
            boolean pair = at + 1 < text.length() && Character.isSurrogatePair(text.charAt(at), text.charAt(at + 1));
            if (!pair) {
                return false;
            }
            at++;
        }
        return true;
    }
}

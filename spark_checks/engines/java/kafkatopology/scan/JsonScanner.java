package kafkatopology.scan;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Finds fields in plain JSON documents without making an object, and knows whether a document is one.
 *
 * It reads the whole document and gives up on whatever is not strictly plain (malformed text, wanted names that occur
 * twice, names with escapes, arrays on the way): then `JsonDocument` is asked, which is slower.
 */
final class JsonScanner {
    private static final int GIVE_UP = -1;
    private static final int DEEPEST = 60;
    private static final int LONGEST_NUMBER = 100;
    private static final int LONGEST_NAME = 10_000;
    private static final int LONGEST_DOCUMENT = 1 << 20;

    // For looking at eight bytes at a time.
    private static final VarHandle WORD =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x80 * ONES;

    private final JsonPaths paths;
    private final Slice[] found;
    private final boolean[] asked;

    private final JsonShape shape = new JsonShape();

    private byte[] text;
    private int end;
    /** Whether the string read last had some. */
    private boolean escapes;
    private boolean anyBeyondAscii;
    private boolean plain;
    /** Whether a wanted field is an object, which must be written as text. */
    private boolean hasInner;

    /** Puts what it finds into `found`; a field that `JsonDocument` must be asked for is marked in `asked`. */
    JsonScanner(JsonPaths paths, Slice[] found, boolean[] asked) {
        this.paths = paths;
        this.found = found;
        this.asked = asked;
    }

    /** False: `JsonDocument` must be asked for every field. */
    boolean scan(Slice document) {
        plain = false;
        if (document.length > LONGEST_DOCUMENT) {
            return false;
        }
        text = document.array;
        end = document.start + document.length;
        anyBeyondAscii = false;
        if (hasKnownShape(document.start)) {
            shape.hit();
            plain = isUtf8(document);
            return plain;
        }
        shape.begin();
        paths.forget();
        hasInner = false;
        anyBeyondAscii = false;
        int at = space(document.start);
        boolean object = at < end && text[at] == '{';
        at = object ? object(paths, at + 1) : skip(at);
        plain = at != GIVE_UP && space(at) == end && isUtf8(document);
        if (plain && object && !hasInner) {
            shape.learn(text, document.start, end, anyBeyondAscii);
        }
        return plain && object;
    }

    /** Whether the document is like an earlier one but for its values; then the wanted ones are found. */
    private boolean hasKnownShape(int start) {
        byte[][] around = shape.around;
        int at = start;
        for (int value = 0; value < around.length; value++) {
            byte[] same = around[value];
            if (end - at < same.length || !Arrays.equals(same, 0, same.length, text, at, at + same.length)) {
                return false;
            }
            at += same.length;
            if (value == around.length - 1) {
                anyBeyondAscii |= shape.beyondAscii;
                return at == end;
            }
            at = at < end ? value(shape.fields[value], at) : GIVE_UP;
            if (at == GIVE_UP) {
                return false;
            }
        }
        return false;
    }

    /** Whether the document read last is surely one JSON text and nothing else, in UTF-8. */
    boolean isPlain() {
        return plain;
    }

    private boolean isUtf8(Slice document) {
        return !anyBeyondAscii || document.text().isValid();
    }

    /** The members of an object on the way to a wanted field. From behind its brace to behind the closing one. */
    private int object(JsonPaths wanted, int from) {
        int at = space(from);
        if (at < end && text[at] == '}') {
            return at + 1;
        }
        while (at < end && text[at] == '"') {
            int name = at + 1;
            at = string(name);
            if (at == GIVE_UP || escapes || at - name > LONGEST_NAME) {
                return GIVE_UP;
            }
            int index = wanted.find(text, name, at - name);
            at = colon(at + 1);
            if (at == GIVE_UP) {
                return GIVE_UP;
            }
            at = index < 0 ? skip(at) : member(wanted, index, at);
            if (at == GIVE_UP) {
                return GIVE_UP;
            }
            at = space(at);
            if (at >= end) {
                return GIVE_UP;
            }
            if (text[at] == '}') {
                return at + 1;
            }
            if (text[at] != ',') {
                return GIVE_UP;
            }
            at = space(at + 1);
        }
        return GIVE_UP;
    }

    /** The value of a wanted name. */
    private int member(JsonPaths wanted, int index, int at) {
        if (!wanted.meet(index) || at >= end) {
            return GIVE_UP;
        }
        int field = wanted.fields[index];
        switch (text[at]) {
            case '{':
                if (field >= 0) {
                    asked[field] = true;
                    hasInner = true;
                }
                return wanted.inside[index] == null ? skip(at) : object(wanted.inside[index], at + 1);
            case '[':
                return GIVE_UP;
            default:
                return value(field, at);
        }
    }

    /** A value that is no object and no array: that of a wanted field, or with a negative field just any. */
    private int value(int field, int at) {
        boolean string = text[at] == '"';
        int close = string ? string(at + 1) : scalar(at);
        if (close == GIVE_UP) {
            return GIVE_UP;
        }
        int after = string ? close + 1 : close;
        shape.note(at, after, field);
        if (field >= 0) {
            if (string) {
                found[field].set(text, at + 1, close - at - 1);
                asked[field] = escapes;
            } else if (text[at] == 'n') {
                found[field].setNull();
            } else {
                found[field].set(text, at, after - at);
            }
        }
        return after;
    }

    /** Any value that is not wanted. */
    private int skip(int from) {
        int at = from;
        int depth = 0;
        long objects = 0; // a bit for each level: whether it is an object
        while (at < end) {
            byte first = text[at];
            if (first == '{' || first == '[') {
                if (++depth > DEEPEST) {
                    return GIVE_UP;
                }
                boolean object = first == '{';
                objects = objects << 1 | (object ? 1 : 0);
                at = space(at + 1);
                if (at < end && text[at] != (object ? '}' : ']')) {
                    at = object ? name(at) : at;
                    if (at == GIVE_UP) {
                        return GIVE_UP;
                    }
                    continue;
                }
            } else {
                at = value(-1, at);
                if (at == GIVE_UP) {
                    return GIVE_UP;
                }
            }
            // After a value: close what ends here, then go on behind a comma.
            while (true) {
                if (depth == 0) {
                    return at;
                }
                at = space(at);
                if (at >= end) {
                    return GIVE_UP;
                }
                boolean object = (objects & 1) != 0;
                byte next = text[at++];
                if (next == ',') {
                    at = space(at);
                    at = object ? name(at) : at;
                    if (at == GIVE_UP) {
                        return GIVE_UP;
                    }
                    break;
                }
                if (next != (object ? '}' : ']')) {
                    return GIVE_UP;
                }
                depth--;
                objects >>>= 1;
            }
        }
        return GIVE_UP;
    }

    /** A name that is not wanted, and its colon. */
    private int name(int at) {
        if (at >= end || text[at] != '"') {
            return GIVE_UP;
        }
        int close = string(at + 1);
        if (close == GIVE_UP || close - at > LONGEST_NAME) {
            return GIVE_UP;
        }
        return colon(close + 1);
    }

    private int colon(int from) {
        int at = space(from);
        return at < end && text[at] == ':' ? space(at + 1) : GIVE_UP;
    }

    /** From behind the opening quote to the closing one. */
    private int string(int from) {
        byte[] bytes = text;
        escapes = false;
        int at = from;
        while (true) {
            while (at + Long.BYTES <= end) {
                long special = special((long) WORD.get(bytes, at));
                if (special != 0) {
                    at += Long.numberOfTrailingZeros(special) >>> 3;
                    break;
                }
                at += Long.BYTES;
            }
            if (at >= end) {
                return GIVE_UP;
            }
            byte character = bytes[at];
            if (character == '"') {
                return at;
            } else if (character == '\\') {
                escapes = true;
                at = escape(at + 1);
                if (at == GIVE_UP) {
                    return GIVE_UP;
                }
            } else if (character < 0) {
                anyBeyondAscii = true;
            } else if (character < ' ') {
                return GIVE_UP;
            }
            at++;
        }
    }

    /** Zero when a string may have all these bytes inside; otherwise the lowest bit set is in the first that stops. */
    private static long special(long word) {
        long quote = word ^ '"' * ONES;
        long escape = word ^ '\\' * ONES;
        long found = quote - ONES & ~quote | escape - ONES & ~escape | word - ' ' * ONES & ~word | word;
        return found & HIGH_BITS;
    }

    /** The last byte of an escape, from behind its backslash. */
    private int escape(int at) {
        if (at >= end) {
            return GIVE_UP;
        }
        switch (text[at]) {
            case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
                return at;
            case 'u':
                for (int digit = at + 1; digit <= at + 4; digit++) {
                    if (digit >= end || Character.digit(text[digit], 16) < 0) {
                        return GIVE_UP;
                    }
                }
                return at + 4;
            default:
                return GIVE_UP;
        }
    }

    /** A number, a truth value or null. */
    private int scalar(int at) {
        switch (text[at]) {
            case 't':
                return word(at, "true");
            case 'f':
                return word(at, "false");
            case 'n':
                return word(at, "null");
            default:
                return number(at);
        }
    }

    private int word(int from, String word) {
        if (end - from < word.length()) {
            return GIVE_UP;
        }
        for (int index = 1; index < word.length(); index++) {
            if (text[from + index] != word.charAt(index)) {
                return GIVE_UP;
            }
        }
        return from + word.length();
    }

    private int number(int from) {
        int at = from < end && text[from] == '-' ? from + 1 : from;
        int after = digits(at);
        if (after == at || text[at] == '0' && after > at + 1) {
            return GIVE_UP;
        }
        at = after;
        if (at < end && text[at] == '.') {
            after = digits(at + 1);
            if (after == at + 1) {
                return GIVE_UP;
            }
            at = after;
        }
        if (at < end && (text[at] | 0x20) == 'e') {
            at++;
            if (at < end && (text[at] == '+' || text[at] == '-')) {
                at++;
            }
            after = digits(at);
            if (after == at) {
                return GIVE_UP;
            }
            at = after;
        }
        return at - from > LONGEST_NUMBER ? GIVE_UP : at;
    }

    private int digits(int from) {
        int at = from;
        while (at < end && isDigit(text[at])) {
            at++;
        }
        return at;
    }

    private int space(int from) {
        int at = from;
        if (at < end && text[at] > ' ') {
            return at;
        }
        while (at < end && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) {
            at++;
        }
        return at;
    }

    private static boolean isDigit(byte character) {
        return character >= '0' && character <= '9';
    }
}

package kafkatopology.scan;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** The wanted fields as a tree of names, so that one pass over a document finds them all. */
final class JsonPaths {
    byte[][] names = {};
    /** Which wanted field ends at this name; negative when none does. */
    int[] fields = {};
    /** What is wanted inside of it; null when nothing is. */
    JsonPaths[] inside = {};
    /** Names met in the document at hand, a bit each. */
    private int met;

    void add(List<String> path, int field) {
        byte[] name = path.get(0).getBytes(StandardCharsets.UTF_8);
        int index = find(name, 0, name.length);
        if (index < 0) {
            index = append(name);
        }
        if (path.size() == 1) {
            fields[index] = field;
            return;
        }
        if (inside[index] == null) {
            inside[index] = new JsonPaths();
        }
        inside[index].add(path.subList(1, path.size()), field);
    }

    private int append(byte[] name) {
        int index = names.length;
        names = Arrays.copyOf(names, index + 1);
        fields = Arrays.copyOf(fields, index + 1);
        inside = Arrays.copyOf(inside, index + 1);
        names[index] = name;
        fields[index] = -1;
        return index;
    }

    int find(byte[] document, int start, int length) {
        for (int index = 0; index < names.length; index++) {
            byte[] name = names[index];
            if (name.length == length && Arrays.equals(name, 0, length, document, start, start + length)) {
                return index;
            }
        }
        return -1;
    }

    void forget() {
        met = 0;
        for (JsonPaths deeper : inside) {
            if (deeper != null) {
                deeper.forget();
            }
        }
    }

    /** Marks a name as met; false when it was already: then the last one counts, which the scanner does not know. */
    boolean meet(int index) {
        int bit = 1 << index;
        boolean first = (met & bit) == 0;
        met |= bit;
        return first;
    }
}

package kafkatopology.scan;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The wanted fields as a tree of names, so that one pass over a document finds them all. */
final class JsonPaths {
    final List<byte[]> names = new ArrayList<>();
    /** Which wanted field ends at this name; negative when none does. */
    final List<Integer> fields = new ArrayList<>();
    /** What is wanted inside of it; null when nothing is. */
    final List<JsonPaths> inside = new ArrayList<>();
    /** Names met in the document at hand, a bit each. */
    int met;

    void add(List<String> path, int field) {
        byte[] name = path.get(0).getBytes(StandardCharsets.UTF_8);
        int index = find(name, 0, name.length);
        if (index < 0) {
            index = names.size();
            names.add(name);
            fields.add(-1);
            inside.add(null);
        }
        if (path.size() == 1) {
            fields.set(index, field);
            return;
        }
        if (inside.get(index) == null) {
            inside.set(index, new JsonPaths());
        }
        inside.get(index).add(path.subList(1, path.size()), field);
    }

    int find(byte[] document, int start, int length) {
        for (int index = 0; index < names.size(); index++) {
            byte[] name = names.get(index);
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

    /** Marks a name as met; false when it was already: then which of them counts is Spark's to say. */
    boolean meet(int index) {
        int bit = 1 << index;
        boolean first = (met & bit) == 0;
        met |= bit;
        return first;
    }
}

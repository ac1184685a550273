package kafkatopology.scan;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.Arrays;

/** Records of one partition counted by their answers. Few answers differ, so a small table without boxes is enough. */
final class Groups {
    private static final class Group {
        final long mask;
        /** The smallest offsets, in order. */
        final long[] places;
        int placed;
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        long records;
        long bytes;

        Group(long mask, int mostPlaces) {
            this.mask = mask;
            this.places = new long[mostPlaces];
        }

        void place(long offset) {
            if (placed == places.length && (placed == 0 || offset > places[placed - 1])) {
                return;
            }
            int at = Math.min(placed, places.length - 1);
            for (; at > 0 && places[at - 1] > offset; at--) {
                places[at] = places[at - 1];
            }
            places[at] = offset;
            placed = Math.min(placed + 1, places.length);
        }
    }

    private final Limits limits;
    private Group[] table = new Group[64];
    private int size;

    Groups(Limits limits) {
        this.limits = limits;
    }

    /** Offsets come in any order. */
    void add(long mask, long offset, long bytes) {
        Group group = table[slot(mask)];
        if (group == null) {
            group = insert(mask);
        }
        group.first = Math.min(group.first, offset);
        group.last = Math.max(group.last, offset);
        group.place(offset);
        group.records++;
        group.bytes += bytes;
    }

    private int slot(long mask) {
        int last = table.length - 1;
        int slot = (int) (mask * 0x9e3779b97f4a7c15L >>> 40) & last;
        while (table[slot] != null && table[slot].mask != mask) {
            slot = slot + 1 & last;
        }
        return slot;
    }

    private Group insert(long mask) {
        if (2 * ++size > table.length) {
            Group[] smaller = table;
            table = new Group[2 * smaller.length];
            for (Group each : smaller) {
                if (each != null) {
                    table[slot(each.mask)] = each;
                }
            }
        }
        Group group = new Group(mask, (mask & limits.located()) == 0 ? 0 : limits.mostPlaces());
        table[slot(mask)] = group;
        return group;
    }

    /** [partition, mask, records, first offset, last offset, bytes, [first offsets]] each. */
    void write(int partition, ArrayNode groups) {
        for (Group each : table) {
            if (each != null) {
                ArrayNode group = groups.addArray().add(partition).add(each.mask).add(each.records)
                        .add(each.first).add(each.last).add(each.bytes);
                Arrays.stream(each.places, 0, each.placed).forEach(group.addArray()::add);
            }
        }
    }
}

package kafkatopology.scan;

import com.fasterxml.jackson.databind.node.ArrayNode;

/** Records of one partition counted by their answers. Few answers differ, so a small table without boxes is enough. */
final class Groups {
    private static final class Group {
        final long mask;
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        long records;
        long bytes;

        Group(long mask) {
            this.mask = mask;
        }
    }

    private Group[] table = new Group[64];
    private int size;

    /** Offsets come in any order. */
    void add(long mask, long offset, long bytes) {
        Group group = table[slot(mask)];
        if (group == null) {
            group = insert(mask);
        }
        group.first = Math.min(group.first, offset);
        group.last = Math.max(group.last, offset);
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
        Group group = new Group(mask);
        table[slot(mask)] = group;
        return group;
    }

    /** [partition, mask, records, first offset, last offset, bytes] each. */
    void write(int partition, ArrayNode groups) {
        for (Group each : table) {
            if (each != null) {
                groups.addArray().add(partition).add(each.mask).add(each.records)
                        .add(each.first).add(each.last).add(each.bytes);
            }
        }
    }
}

package kafkatopology.scan;

import java.util.Arrays;

/** Which numbers are kept of each key: only those that some condition asks for, and nothing when none does. */
final class Layout {
    static final int ABSENT = -1;

    private final int[] kinds;
    private final int[] largest;
    private boolean keepsKeys;
    private int records = ABSENT;
    private int newest = ABSENT;
    private int latest = ABSENT;
    private int cells;

    /** `kinds`: of each number that records have. */
    Layout(int[] kinds) {
        this.kinds = kinds;
        this.largest = new int[kinds.length];
        Arrays.fill(largest, ABSENT);
    }

    void keepKeys() {
        keepsKeys = true;
    }

    void keepRecords() {
        records = kept(records);
    }

    void keepLargest(int field) {
        if (largest[field] == ABSENT) {
            largest[field] = kept(ABSENT);
            cells += kinds[field] - 1;
        }
    }

    void keepNewest() {
        newest = kept(newest);
    }

    void keepLatest() {
        latest = kept(latest);
    }

    /** A number of the caller's own. */
    int keep() {
        return kept(ABSENT);
    }

    private int kept(int cell) {
        keepsKeys = true;
        return cell == ABSENT ? cells++ : cell;
    }

    boolean keepsKeys() {
        return keepsKeys;
    }

    int fields() {
        return largest.length;
    }

    int cells() {
        return cells;
    }

    int records() {
        return records;
    }

    /** The cell for its first kind; those of others follow. */
    int largest(int field) {
        return largest[field];
    }

    int newest() {
        return newest;
    }

    int latest() {
        return latest;
    }
}

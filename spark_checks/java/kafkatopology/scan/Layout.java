package kafkatopology.scan;

import java.util.Arrays;

/** Which numbers are kept of each key: only those that some condition asks for. */
final class Layout {
    static final int ABSENT = -1;
    static final int RECORDS = 0;

    private final long mostKeys;
    private final int mostHotKeys;
    private final long hotKeyRecords;
    private final int[] largest;
    private int newest = ABSENT;
    private int latestTimestamp = ABSENT;
    private int latestValueLength = ABSENT;
    private int latestValueHash = ABSENT;
    private int cells = RECORDS + 1;

    Layout(int fields, long mostKeys, int mostHotKeys, long hotKeyRecords) {
        this.mostKeys = mostKeys;
        this.mostHotKeys = mostHotKeys;
        this.hotKeyRecords = hotKeyRecords;
        this.largest = new int[fields];
        Arrays.fill(largest, ABSENT);
    }

    void keepLargest(int field) {
        if (largest[field] == ABSENT) {
            largest[field] = cells++;
        }
    }

    void keepNewest() {
        if (newest == ABSENT) {
            newest = cells++;
        }
    }

    void keepLatestTimestamp() {
        if (latestTimestamp == ABSENT) {
            latestTimestamp = cells++;
        }
    }

    void keepLatestValue() {
        if (latestValueHash == ABSENT) {
            latestValueLength = cells++;
            latestValueHash = cells++;
        }
    }

    int fields() {
        return largest.length;
    }

    int cells() {
        return cells;
    }

    long mostKeys() {
        return mostKeys;
    }

    int mostHotKeys() {
        return mostHotKeys;
    }

    long hotKeyRecords() {
        return hotKeyRecords;
    }

    int largest(int field) {
        return largest[field];
    }

    int newest() {
        return newest;
    }

    int latestTimestamp() {
        return latestTimestamp;
    }

    int latestValueLength() {
        return latestValueLength;
    }

    int latestValueHash() {
        return latestValueHash;
    }
}

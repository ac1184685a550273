package kafkatopology.scan;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Who gets the records for which a condition holds. */
interface Output {
    /** The conditions of the mask hold for the record at hand. */
    void add(long mask, Record record);

    /**
     * The conditions hold for an earlier record with the key of the one at hand, which decided them. Other conditions of
     * that record were added before.
     */
    void addEarlier(long mask, Record decisive, long offset, long timestampMs);

    /** The partition ends: what was kept of it goes into the answer. */
    void finish(int partition, ObjectNode answer);
}

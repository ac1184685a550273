package kafkatopology.scan;

/** Where a task's records come from: whole partitions, one after the other, each by ascending offsets. */
interface Source extends AutoCloseable {
    /** Puts the next record's key, value, place and time into the record; false when there is none. */
    boolean next(Record record);

    @Override
    void close();
}

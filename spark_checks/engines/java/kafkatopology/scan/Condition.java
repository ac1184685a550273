package kafkatopology.scan;

/** What a test asks of a record, given the records before. */
interface Condition {
    boolean holds(Record record, Before before);
}

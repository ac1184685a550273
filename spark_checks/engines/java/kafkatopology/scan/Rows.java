package kafkatopology.scan;

/** The rows of a task, one after the other. Their columns are numbers and bytes, or a text as Spark keeps it. */
interface Rows extends AutoCloseable {
    /** The next row; null when there is none. */
    Object[] next();

    @Override
    void close();
}

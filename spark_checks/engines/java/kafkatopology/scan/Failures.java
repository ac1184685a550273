package kafkatopology.scan;

import org.apache.spark.TaskKilledException;

/** What goes wrong in a task, in a form that the driver can always read. */
final class Failures {
    private Failures() {}

    /**
     * The same failure as an exception of Java's own.
     *
     * The driver of a Spark Connect server does not know the classes of a session's artifacts, Kafka's among them: it
     * would report "UnknownReason".
     */
    static RuntimeException readable(RuntimeException failure) {
        if (failure instanceof TaskKilledException) {
            return failure;
        }
        Throwable inner = failure;
        while (inner.getCause() != null) {
            inner = inner.getCause();
        }
        RuntimeException plain = new IllegalStateException(inner.getClass().getSimpleName() + ": " + inner.getMessage());
        plain.setStackTrace(failure.getStackTrace());
        return plain;
    }
}

package kafkatopology.scan;

import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;

/** Ctrl-C, and whatever else cancels a job. */
final class Cancelled {
    private Cancelled() {}

    /** Spark's own iterators look at every row whether the job was cancelled; at a fetch or every so often is enough. */
    static void endTask() {
        TaskContext task = TaskContext.get();
        if (task != null && task.isInterrupted()) {
            throw new TaskKilledException("the check was interrupted");
        }
    }
}

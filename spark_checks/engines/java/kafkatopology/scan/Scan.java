package kafkatopology.scan;

import java.util.concurrent.atomic.LongAdder;
import org.apache.spark.TaskContext;

/** What a JVM has scanned so far. The scan itself is a data source: see `TallySource`. */
public final class Scan {
    /** Records read by this JVM since it started; the progress bar of a local scan reads it. */
    static final LongAdder READ = new LongAdder();

    /** Bytes that key tables have spilled to disk since then; benchmarks read it. */
    private static final LongAdder SPILLED = new LongAdder();

    private Scan() {}

    /** Counts them for the task, too: Spark's own pages show them as "Spill (disk)". */
    static void spilled(int bytes) {
        SPILLED.add(bytes);
        TaskContext task = TaskContext.get();
        if (task != null) {
            task.taskMetrics().incDiskBytesSpilled(bytes);
        }
    }

    public static long recordsRead() {
        return READ.sum();
    }

    public static long bytesSpilled() {
        return SPILLED.sum();
    }
}

package kafkatopology.scan;

import java.io.File;
import java.io.IOException;
import org.apache.spark.SparkEnv;

/** Where a task may write: Spark's own local folders, else Java's folder for temporary files. */
final class LocalFolder {
    private static final String PREFIX = "kafka-topology-";
    private static final String SUFFIX = ".spilled";

    private LocalFolder() {}

    static File newFile() {
        try {
            SparkEnv spark = SparkEnv.get();
            if (spark != null) {
                return spark.blockManager().diskBlockManager().createTempLocalBlock()._2();
            }
        } catch (LinkageError error) {
            // Another Spark inside: any folder will do.
        }
        try {
            return File.createTempFile(PREFIX, SUFFIX);
        } catch (IOException failure) {
            throw failed(new File(System.getProperty("java.io.tmpdir"), PREFIX), 0, failure);
        }
    }

    /** What cannot be written or read, where, and what to do. Without a cause, so that this is what is reported. */
    static RuntimeException failed(File path, long written, IOException failure) {
        return new IllegalStateException(
                "the keys of a partition do not fit into memory, and their records could not be kept in "
                        + path.getParent() + " (" + failure.getMessage() + " after " + written + " bytes of a file): free"
                        + " space there, name another folder by spark.local.dir, or raise spark.driver.memory (on a"
                        + " cluster, spark.executor.memory)");
    }
}

package kafkatopology.scan;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;

/**
 * What one task may take of the memory that the key tables of a JVM share.
 *
 * Half of it belongs to whoever comes first. The other half is cut into equal parts, one for each task that can run at
 * once: however much the others have taken, a task that comes late has its own part.
 */
final class Memory implements AutoCloseable {
    private static final double SHARE_OF_HEAP = 0.45;
    /** For what cannot be spilled: the digits of long numbers. */
    private static final double RESERVE_OF_HEAP = 0.15;
    private static final AtomicLong COMMON = new AtomicLong();
    private static final AtomicInteger TASKS = new AtomicInteger();

    private final long common;
    private final long reserve;
    private final long own;
    private long taken;

    Memory() {
        long heap = Runtime.getRuntime().maxMemory();
        common = (long) (SHARE_OF_HEAP * heap / 2);
        reserve = (long) (RESERVE_OF_HEAP * heap);
        own = common / Math.max(tasksAtOnce(), TASKS.incrementAndGet());
    }

    /** Whether there is so much left; then it is taken. */
    boolean take(long bytes) {
        return taken(bytes, common);
    }

    /** Takes it in any case, or refuses the scan. */
    void takeFromReserve(long bytes) {
        if (!taken(bytes, common + reserve)) {
            throw new Refused("numbers with many digits do not fit into memory");
        }
    }

    private boolean taken(long bytes, long limit) {
        long more = beyondOwn(taken + bytes) - beyondOwn(taken);
        if (more > 0 && COMMON.addAndGet(more) > limit) {
            COMMON.addAndGet(-more);
            return false;
        }
        taken += bytes;
        return true;
    }

    void give(long bytes) {
        COMMON.addAndGet(beyondOwn(taken - bytes) - beyondOwn(taken));
        taken -= bytes;
    }

    @Override
    public void close() {
        give(taken);
        TASKS.decrementAndGet();
    }

    private long beyondOwn(long bytes) {
        return Math.max(0, bytes - own);
    }

    private static int tasksAtOnce() {
        int processors = Runtime.getRuntime().availableProcessors();
        SparkEnv spark = SparkEnv.get();
        return spark == null ? processors : Math.max(1, cores(spark.conf(), processors) / cpusOfTask(spark.conf()));
    }

    private static int cpusOfTask(SparkConf conf) {
        return Math.max(1, conf.getInt("spark.task.cpus", 1));
    }

    private static int cores(SparkConf conf, int processors) {
        String master = conf.get("spark.master", "");
        if (master.equals("local")) {
            return 1;
        }
        String threads = master.replaceFirst("^local\\[([0-9]+).*", "$1");
        if (!threads.equals(master)) {
            return Integer.parseInt(threads);
        }
        return conf.getInt("spark.executor.cores", processors);
    }
}

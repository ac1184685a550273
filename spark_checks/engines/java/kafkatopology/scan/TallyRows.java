package kafkatopology.scan;

import java.util.function.Supplier;
import org.apache.spark.unsafe.types.UTF8String;

/** One row: the answer about all records of the task. */
final class TallyRows implements Rows {
    private final Work work;
    private final Supplier<Source> source;
    private boolean done;

    TallyRows(Work work, Supplier<Source> source) {
        this.work = work;
        this.source = source;
    }

    @Override
    public Object[] next() {
        if (done) {
            return null;
        }
        done = true;
        return new Object[] {UTF8String.fromString(work.done(source))};
    }

    @Override
    public void close() {} // the source is closed where it was read
}

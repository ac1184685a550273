package kafkatopology.scan;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The records of a partition that were spilled, one after the other, a part of the keys at a time.
 *
 * A part with more keys than fit is split by a spill of the next level, which comes next.
 */
final class Replay implements AutoCloseable {
    private final Deque<Spill> spills = new ArrayDeque<>();
    private final Judge judge;
    private final Record delayed;
    private SpillFile part;
    private Spill again;

    /** What is done with the records. */
    interface Judge {
        /** Records of other keys follow, so all that is known of keys can be forgotten. */
        void startPart();

        /** False where the record's key finds no room. */
        boolean takes(long mask, Record delayed);

        /** All records of these keys were judged, without those that found no room. */
        void finishPart();
    }

    /** `delayed` gets each record. */
    Replay(Spill spilled, Record delayed, Judge judge) {
        this.judge = judge;
        this.delayed = delayed;
        spills.push(spilled);
    }

    /** Judges the next record; false when there is none. */
    boolean next() {
        while (part != null || startPart()) {
            Spill spilled = spills.peek();
            if (spilled.read(part, delayed)) {
                if (!judge.takes(spilled.mask(), delayed)) {
                    again.add(spilled.mask(), delayed);
                }
                return true;
            }
            judge.finishPart();
            part.close();
            part = null;
            spills.push(again);
            again = null;
        }
        return false;
    }

    private boolean startPart() {
        while (!spills.isEmpty()) {
            part = spills.peek().nextFile();
            if (part != null) {
                again = spills.peek().ofNextLevel();
                judge.startPart();
                return true;
            }
            spills.pop().close();
        }
        return false;
    }

    @Override
    public void close() {
        if (part != null) {
            part.close();
            again.close();
        }
        spills.forEach(Spill::close);
    }
}

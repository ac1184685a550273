package kafkatopology.scan;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/** The largest numbers so far, each as one long: a small one is itself, a big one is the place of it in a list. */
final class Amounts {
    private static final long FIRST_PLACE = Numbers.BIG + 1;
    private static final int BYTES = 100; // that a big one takes, about, and one for every two digits

    private final List<BigDecimal> big = new ArrayList<>();
    private final int[] scales;

    Amounts(int[] scales) {
        this.scales = scales;
    }

    /** How the record's number compares with the one before: as a comparator; positive where one of both is missing. */
    int compare(Record record, int field, long before) {
        long number = record.number(field);
        if (number == Numbers.NONE || before == Numbers.NONE) {
            return 1;
        }
        if (number != Numbers.BIG && !isPlace(before)) {
            return Long.compare(number, before);
        }
        BigDecimal one = number == Numbers.BIG ? record.big(field) : BigDecimal.valueOf(number, scales[field]);
        return one.compareTo(isPlace(before) ? big.get(place(before)) : BigDecimal.valueOf(before, scales[field]));
    }

    /** What stands for the record's number from now on, in place of the one before. */
    long kept(Record record, int field, long before) {
        long number = record.number(field);
        if (number != Numbers.BIG) {
            return number;
        }
        if (isPlace(before)) {
            big.set(place(before), record.big(field));
            return before;
        }
        big.add(record.big(field));
        return FIRST_PLACE + big.size() - 1;
    }

    /** The memory that keeping the record's number takes. */
    static long bytes(Record record, int field) {
        return record.number(field) == Numbers.BIG ? BYTES + record.big(field).precision() / 2 : 0;
    }

    private static boolean isPlace(long number) {
        return number != Numbers.NONE && number < -Numbers.LARGEST;
    }

    private static int place(long number) {
        return (int) (number - FIRST_PLACE);
    }
}

package kafkatopology.scan;

import java.time.ZoneOffset;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import scala.Option;

/** Text as a 64-bit number. */
final class Numbers {
    /** Stands for "no number": one that is never read from text, see `read`. */
    static final long NONE = Long.MIN_VALUE;
    static final int MOST_DIGITS = 18;

    private Numbers() {}

    /** Decimal digits, or with `time` also the text of a timestamp, in microseconds. */
    static long read(Slice text, boolean time) {
        if (text.isNull()) {
            return NONE;
        }
        long number = decimal(text);
        return number != NONE || !time ? number : timestamp(text);
    }

    private static long decimal(Slice text) {
        int end = text.start + text.length;
        boolean negative = text.length > 0 && text.array[text.start] == '-';
        int at = negative ? text.start + 1 : text.start;
        if (at == end || end - at > MOST_DIGITS) {
            return NONE;
        }
        long number = 0;
        for (; at < end; at++) {
            int digit = text.array[at] - '0';
            if (digit < 0 || digit > 9) {
                return NONE;
            }
            number = 10 * number + digit;
        }
        return negative ? -number : number;
    }

    private static long timestamp(Slice text) {
        Option<Object> micros = DateTimeUtils.stringToTimestamp(text.text(), ZoneOffset.UTC);
        if (micros.isEmpty()) {
            return NONE;
        }
        long number = (Long) micros.get();
        if (number == NONE) {
            throw new Refused("a timestamp is the smallest there is");
        }
        return number;
    }
}

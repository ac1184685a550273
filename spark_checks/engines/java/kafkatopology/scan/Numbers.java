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
        if (!hasMomentShape(text)) {
            return NONE;
        }
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

    /** yyyy-mm-dd, or with [T ]hh:mm:ss, up to nine digits of a fraction, and Z, +hh:mm or +hhmm. Spark reads more. */
    private static boolean hasMomentShape(Slice text) {
        int at = matched(text, 0, "0000-00-00");
        if (at == text.length) {
            return true;
        }
        at = Math.max(matched(text, at, "T00:00:00"), matched(text, at, " 00:00:00"));
        if (at > 0 && at < text.length && text.array[text.start + at] == '.') {
            int fraction = at + 1;
            for (at = fraction; matched(text, at, "0") > 0; at++) {}
            if (at == fraction || at - fraction > 9) {
                return false;
            }
        }
        if (at == text.length) {
            return true;
        }
        int zone = Math.max(matched(text, at, "Z"), Math.max(matched(text, at, "+0000"), matched(text, at, "-0000")));
        zone = Math.max(zone, Math.max(matched(text, at, "+00:00"), matched(text, at, "-00:00")));
        return zone == text.length;
    }

    /** Behind the pattern, in which 0 stands for any digit; -1 when the text differs. */
    private static int matched(Slice text, int from, String pattern) {
        if (from < 0 || text.length - from < pattern.length()) {
            return -1;
        }
        for (int index = 0; index < pattern.length(); index++) {
            byte character = text.array[text.start + from + index];
            char wanted = pattern.charAt(index);
            if (wanted == '0' ? character < '0' || character > '9' : character != wanted) {
                return -1;
            }
        }
        return from + pattern.length();
    }
}

package kafkatopology.scan;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;

/**
 * Text as a number of any size, exact. Most are a long: whole numbers, and for times micros of a second. Others are `BIG`,
 * with the number itself beside it.
 */
final class Numbers {
    /** Stands for "no number". */
    static final long NONE = Long.MIN_VALUE;
    /** Stands for a number that is no long of this kind; see `Amounts` for longs below it. */
    static final long BIG = Long.MIN_VALUE + 1;
    /** Longs have no greater size than this, so that others can stand for something. */
    static final long LARGEST = 1L << 62;

    private static final int MOST_DIGITS = 18;
    private static final int TIME_SCALE = 6;
    private static final int LONGEST_EXPONENT = 9;

    /** Decimal places of the longs. */
    final int scale;
    private final Moments moments;
    private BigDecimal big;
    private boolean moment;

    Numbers(boolean time) {
        scale = time ? TIME_SCALE : 0;
        moments = time ? new Moments() : null;
    }

    /** A decimal number, or for times also the text of a moment, in seconds since 1970. `big` follows `BIG`. */
    long read(Slice text) {
        moment = false;
        if (text.isNull()) {
            return NONE;
        }
        long number = whole(text);
        if (number != NONE) {
            return number;
        }
        if (isDecimal(text)) {
            big = new BigDecimal(string(text, 0, text.length));
            return BIG;
        }
        moment = moments != null && moments.matches(text);
        return moment ? moment(text) : NONE;
    }

    /** The number read last, when that was `BIG`. */
    BigDecimal big() {
        return big;
    }

    /** Whether the number read last was the text of a moment. */
    boolean isMoment() {
        return moment;
    }

    /** Numbers are compared with numbers, moments with moments: they have no common unit. */
    int kinds() {
        return moments == null ? 1 : 2;
    }

    /** Digits that make a long, with the places of the scale; `NONE` when the text is anything else. */
    private long whole(Slice text) {
        int end = text.start + text.length;
        boolean negative = text.length > 0 && text.array[text.start] == '-';
        int at = negative ? text.start + 1 : text.start;
        if (at == end || end - at > MOST_DIGITS + 1 - scale) {
            return NONE;
        }
        long number = 0;
        for (; at < end; at++) {
            int digit = text.array[at] - '0';
            if (digit < 0 || digit > 9 || number > (LARGEST - 9) / 10) {
                return NONE;
            }
            number = 10 * number + digit;
        }
        for (int place = 0; place < scale; place++) {
            if (number > LARGEST / 10) {
                return NONE;
            }
            number *= 10;
        }
        return negative ? -number : number;
    }

    private long moment(Slice text) {
        int digits = moments.fractionLength;
        long micros = moments.seconds * 1_000_000;
        if (digits <= TIME_SCALE) {
            long fraction = 0;
            for (int place = 0; place < TIME_SCALE; place++) {
                fraction = 10 * fraction + (place < digits ? text.array[text.start + moments.fraction + place] - '0' : 0);
            }
            return micros + fraction;
        }
        BigDecimal fraction = new BigDecimal("0." + string(text, moments.fraction, digits));
        big = BigDecimal.valueOf(moments.seconds).add(fraction);
        return BIG;
    }

    private static String string(Slice text, int from, int length) {
        return new String(text.array, text.start + from, length, StandardCharsets.US_ASCII);
    }

    /** -?digits[.digits][e[+-]digits], the exponent with up to nine digits. */
    private static boolean isDecimal(Slice text) {
        int at = text.length > 0 && text.array[text.start] == '-' ? 1 : 0;
        int after = digits(text, at);
        if (after == at) {
            return false;
        }
        at = after;
        if (is(text, at, '.')) {
            after = digits(text, at + 1);
            if (after == at + 1) {
                return false;
            }
            at = after;
        }
        if (is(text, at, 'e') || is(text, at, 'E')) {
            at++;
            at += is(text, at, '+') || is(text, at, '-') ? 1 : 0;
            after = digits(text, at);
            if (after == at || after - at > LONGEST_EXPONENT) {
                return false;
            }
            at = after;
        }
        return at == text.length;
    }

    static boolean is(Slice text, int at, char wanted) {
        return at < text.length && text.array[text.start + at] == wanted;
    }

    /** Behind the digits from here. */
    static int digits(Slice text, int from) {
        int at = from;
        while (at < text.length && text.array[text.start + at] >= '0' && text.array[text.start + at] <= '9') {
            at++;
        }
        return at;
    }
}

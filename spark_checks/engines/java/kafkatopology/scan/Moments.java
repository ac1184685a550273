package kafkatopology.scan;

/**
 * The text of a moment: a date, or with a time of day, seconds, a fraction and a zone; in UTC where it names no zone.
 *
 * `2026-03-01`, `2026-03-01T10:00Z`, `2026-03-01 12:30:15.25+02:00`, `2026-03-01t12:30:15,25z`, `…+0200`, `…+02`.
 */
final class Moments {
    private static final int DATE = 10;
    private static final int FARTHEST_ZONE = 18 * 3600;
    private static final int[] BEFORE_MONTH = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};

    /** Since 1970, of the text matched last; without its fraction. */
    long seconds;
    /** Where the digits of the fraction begin, and how many there are. */
    int fraction;
    int fractionLength;

    private Slice text;
    private int at;

    boolean matches(Slice moment) {
        text = moment;
        fractionLength = 0;
        if (text.length < DATE || text.array[text.start + 4] != '-' || text.array[text.start + 7] != '-') {
            return false;
        }
        at = 0;
        int year = number(4);
        at++;
        int month = number(2);
        at++;
        int day = number(2);
        if (year < 0 || month < 1 || month > 12 || day < 1 || day > days(year, month)) {
            return false;
        }
        seconds = 86_400 * daysSince1970(year, month, day);
        return at == text.length || hasTime();
    }

    private boolean hasTime() {
        if (!next('T') && !next('t') && !next(' ')) {
            return false;
        }
        int hour = number(2);
        if (hour < 0 || hour > 23 || !next(':')) {
            return false;
        }
        int minute = number(2);
        if (minute < 0 || minute > 59) {
            return false;
        }
        seconds += 3600L * hour + 60L * minute;
        return (!next(':') || hasSeconds()) && hasZone();
    }

    private boolean hasSeconds() {
        int second = number(2);
        if (second < 0 || second > 59) {
            return false;
        }
        seconds += second;
        if (next('.') || next(',')) {
            fraction = at;
            at = Numbers.digits(text, at);
            fractionLength = at - fraction;
            return fractionLength > 0;
        }
        return true;
    }

    private boolean hasZone() {
        if (at == text.length) {
            return true;
        }
        if (next('Z') || next('z')) {
            return at == text.length;
        }
        boolean east = next('+');
        if (!east && !next('-')) {
            return false;
        }
        int hour = number(2);
        int minute = 0;
        if (at < text.length) {
            next(':');
            minute = number(2);
        }
        int offset = 3600 * hour + 60 * minute;
        if (hour < 0 || minute < 0 || minute > 59 || offset > FARTHEST_ZONE) {
            return false;
        }
        seconds -= east ? offset : -offset;
        return at == text.length;
    }

    private boolean next(char wanted) {
        boolean there = Numbers.is(text, at, wanted);
        at += there ? 1 : 0;
        return there;
    }

    /** The number that these many digits make; negative when there are others. */
    private int number(int digits) {
        int number = 0;
        for (int index = 0; index < digits; index++, at++) {
            int digit = at < text.length ? text.array[text.start + at] - '0' : -1;
            if (digit < 0 || digit > 9) {
                return -1;
            }
            number = 10 * number + digit;
        }
        return number;
    }

    private static int days(int year, int month) {
        boolean small = month == 4 || month == 6 || month == 9 || month == 11;
        return month == 2 ? isLeap(year) ? 29 : 28 : small ? 30 : 31;
    }

    private static boolean isLeap(int year) {
        return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    }

    private static long daysSince1970(int year, int month, int day) {
        int before = year - 1;
        long leapDays = Math.floorDiv(before, 4) - Math.floorDiv(before, 100) + Math.floorDiv(before, 400) - 477;
        int inYear = BEFORE_MONTH[month - 1] + (month > 2 && isLeap(year) ? 1 : 0) + day - 1;
        return 365L * (year - 1970) + leapDays + inYear;
    }
}

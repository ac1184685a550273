package kafkatopology.scan;

/** What bytes look like as text. */
final class Texts {
    private static final int UUID_LENGTH = 36;
    private static final byte[] NO_DIGIT = noDigit();

    private Texts() {}

    static boolean isUuid(Slice key) {
        if (key.length != UUID_LENGTH) {
            return false;
        }
        byte[] bytes = key.array;
        int at = key.start;
        if (bytes[at + 8] != '-' || bytes[at + 13] != '-' || bytes[at + 18] != '-' || bytes[at + 23] != '-') {
            return false;
        }
        return areDigits(bytes, at, 8)
                && areDigits(bytes, at + 9, 4)
                && areDigits(bytes, at + 14, 4)
                && areDigits(bytes, at + 19, 4)
                && areDigits(bytes, at + 24, 12);
    }

    static boolean isUtf8(Slice bytes) {
        for (int at = bytes.start; at < bytes.start + bytes.length; at++) {
            if (bytes.array[at] < 0) {
                return bytes.text().isValid();
            }
        }
        return true;
    }

    private static boolean areDigits(byte[] bytes, int from, int count) {
        int wrong = 0;
        for (int at = from; at < from + count; at++) {
            wrong |= NO_DIGIT[bytes[at] & 0xff];
        }
        return wrong == 0;
    }

    /** By character: 0 for hexadecimal digits, else 1. Without branches, as digits and letters alternate at random. */
    private static byte[] noDigit() {
        byte[] no = new byte[256];
        for (int character = 0; character < no.length; character++) {
            no[character] = (byte) (character < 128 && Character.digit(character, 16) >= 0 ? 0 : 1);
        }
        return no;
    }
}

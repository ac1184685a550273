package kafkatopology.scan;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.XXH64;

/** The record at hand. One object is used for all records of a task, so nothing is allocated for a record. */
final class Record {
    final Slice key = new Slice();
    final Slice value = new Slice();
    final Hash128 keyHash = new Hash128();
    int partition;
    long offset;
    long timestampMs;
    int timestampType;
    /** Answers that Spark has computed already. */
    long prepared;
    /** The partition that a declared table says, where Spark has computed it. */
    int expected = Placing.OPEN;

    private final JsonFields texts;
    private final boolean readsJson;
    private final int[] numberTexts;
    private final Numbers[] readers;
    private final BigDecimal[] bigs;
    private final long[] numbers;
    private final boolean[] moments;
    private long fingerprint;
    private long bytes;

    /** `texts`: the JSON fields in use. `numbers`: objects with `text`, one of these, and `time`. */
    Record(JsonNode texts, JsonNode numbers, boolean judgesJson) {
        this.texts = new JsonFields(texts);
        this.readsJson = texts.size() > 0 || judgesJson;
        this.numbers = new long[numbers.size()];
        this.numberTexts = new int[numbers.size()];
        this.readers = new Numbers[numbers.size()];
        this.bigs = new BigDecimal[numbers.size()];
        this.moments = new boolean[numbers.size()];
        for (int field = 0; field < numbers.size(); field++) {
            numberTexts[field] = numbers.get(field).get("text").asInt();
            readers[field] = new Numbers(numbers.get(field).get("time").asBoolean());
        }
    }

    /** Reads what is asked for from the value that a source has put here. */
    void read() {
        fingerprint = Numbers.NONE;
        bytes = Math.max(key.length, 0) + (long) Math.max(value.length, 0);
        if (readsJson) {
            readFields();
        }
    }

    private void readFields() {
        texts.read(value);
        for (int field = 0; field < numbers.length; field++) {
            numbers[field] = readers[field].read(texts.get(numberTexts[field]));
            moments[field] = readers[field].isMoment();
            bigs[field] = numbers[field] == Numbers.BIG ? readers[field].big() : null;
        }
    }

    /** Makes this a record that was read before: what is known of its key and value without having them. */
    void restore(long itsBytes, long itsFingerprint) {
        bytes = itsBytes;
        fingerprint = itsFingerprint;
    }

    void restoreNumber(int field, long number, boolean moment, BigDecimal big) {
        numbers[field] = number;
        moments[field] = moment;
        bigs[field] = big;
    }

    Slice text(int field) {
        return texts.get(field);
    }

    /** Whether the value is JSON; only where that is asked for, and not of null. */
    boolean isJson() {
        return texts.isJson(value);
    }

    /** See `Numbers`. */
    long number(int field) {
        return numbers[field];
    }

    BigDecimal big(int field) {
        return bigs[field];
    }

    boolean isMoment(int field) {
        return moments[field];
    }

    /** How many kinds there are of each number; see `Numbers`. */
    int[] kinds() {
        return Arrays.stream(readers).mapToInt(Numbers::kinds).toArray();
    }

    /** Decimal places of each number. */
    int[] scales() {
        return Arrays.stream(readers).mapToInt(reader -> reader.scale).toArray();
    }

    long bytes() {
        return bytes;
    }

    /** 64 bits of value and timestamp: equal where both are, and otherwise only by a chance that never comes. */
    long fingerprint() {
        if (fingerprint == Numbers.NONE) {
            long seed = XXH64.hashLong(timestampMs, value.length);
            long bits = value.isNull() ? seed : value.hash(seed);
            fingerprint = bits == Numbers.NONE ? 0 : bits;
        }
        return fingerprint;
    }
}

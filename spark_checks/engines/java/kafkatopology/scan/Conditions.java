package kafkatopology.scan;

import com.fasterxml.jackson.databind.JsonNode;

/** Conditions made from their description; each says what must be kept of the records before. */
final class Conditions {
    private Conditions() {}

    /** The condition when it is about nothing but which parts are null, empty or framed; else null. */
    static Situation.Test ofSituation(JsonNode spec) {
        return switch (spec.get("kind").asText()) {
            case "Undetermined" -> undetermined(Partitioner.of(spec.get("partitioner")));
            case "NullKey" -> Situation::hasNullKey;
            case "EmptyKey" -> Situation::hasEmptyKey;
            case "Tombstone" -> situation -> Situation.hasNullValue(situation) && !Situation.hasNullKey(situation);
            case "NullValue" -> Situation::hasNullValue;
            case "Framed" -> Situation::hasFramedValue;
            case "Unframed" -> situation ->
                    !Situation.hasNullValue(situation) && !Situation.hasFramedValue(situation);
            default -> null;
        };
    }

    /** Whether it looks at other records of the key. */
    static boolean isOfKey(JsonNode spec) {
        return switch (spec.get("kind").asText()) {
            case "FirstOfKey", "SameAsBefore" -> true;
            case "Behind", "Repeated", "Older" -> ofKey(spec);
            default -> false;
        };
    }

    static Condition of(JsonNode spec, Layout layout) {
        return switch (spec.get("kind").asText()) {
            case "Misplaced" -> misplaced(spec);
            case "NotOfType" -> notOfType(spec.get("type").asText());
            case "NotOfFormat" -> notOfFormat(spec.get("format").asText());
            case "DiffersFromField" -> differsFromField(spec.get("text").asInt());
            case "NoNumber" -> noNumber(spec.get("number").asInt());
            case "IsMoment" -> isMoment(spec.get("number").asInt());
            case "InFuture" -> inFuture(spec.get("afterMs").asLong());
            case "NotTimestampType" -> notTimestampType(spec.get("type").asInt());
            case "FirstOfKey" -> firstOfKey(layout);
            case "Behind" -> behind(spec.get("number").asInt(), ofKey(spec), layout);
            case "Repeated" -> repeated(spec.get("number").asInt(), ofKey(spec), layout);
            case "Older" -> older(ofKey(spec), layout);
            case "SameAsBefore" -> sameAsBefore(layout);
            default -> throw new IllegalArgumentException("unknown condition " + spec);
        };
    }

    private static Condition misplaced(JsonNode spec) {
        Placing placing = Placing.of(spec);
        return (record, before) -> {
            int place = placing.partition(record);
            return place != Placing.OPEN && place != record.partition;
        };
    }

    private static Situation.Test undetermined(Partitioner partitioner) {
        return situation -> Situation.hasNullKey(situation)
                ? !partitioner.nullAsEmpty()
                : Situation.hasEmptyKey(situation) && partitioner.emptyAnywhere();
    }

    private static Condition notOfType(String type) {
        return switch (type) {
            case "none" -> (record, before) -> !record.key.isNull();
            case "int" -> (record, before) -> !record.key.isNull() && record.key.length != Integer.BYTES;
            case "long" -> (record, before) -> !record.key.isNull() && record.key.length != Long.BYTES;
            case "uuid" -> (record, before) -> !record.key.isNull() && !Texts.isUuid(record.key);
            case "string" -> (record, before) -> !record.key.isNull() && !Texts.isUtf8(record.key);
            case "bytes" -> (record, before) -> false;
            default -> throw new IllegalArgumentException("unknown key type " + type);
        };
    }

    private static Condition notOfFormat(String format) {
        return switch (format) {
            case "json" -> (record, before) ->
                    !record.value.isNull() && !record.isJson() && !Situation.isFramed(record.value);
            case "string" -> (record, before) -> !record.value.isNull() && !Texts.isUtf8(record.value);
            default -> throw new IllegalArgumentException("unknown format " + format);
        };
    }

    private static Condition differsFromField(int text) {
        return (record, before) -> {
            if (record.key.isNull() || record.value.isNull()) {
                return false;
            }
            Slice field = record.text(text);
            return field.isNull() || !field.sameBytes(record.key);
        };
    }

    private static Condition noNumber(int number) {
        return (record, before) -> record.number(number) == Numbers.NONE;
    }

    private static Condition isMoment(int number) {
        return (record, before) -> record.isMoment(number);
    }

    private static Condition inFuture(long afterMs) {
        return (record, before) -> record.timestampMs > afterMs;
    }

    private static Condition notTimestampType(int type) {
        return (record, before) -> record.timestampType != type;
    }

    private static Condition firstOfKey(Layout layout) {
        layout.keepKeys();
        return (record, before) -> before.isFirstOfKey();
    }

    private static Condition behind(int number, boolean ofKey, Layout layout) {
        if (ofKey) {
            layout.keepLargest(number);
        }
        return (record, before) -> before.compare(record, number, ofKey) < 0;
    }

    private static Condition repeated(int number, boolean ofKey, Layout layout) {
        if (ofKey) {
            layout.keepLargest(number);
        }
        return (record, before) -> before.compare(record, number, ofKey) == 0;
    }

    private static Condition older(boolean ofKey, Layout layout) {
        if (ofKey) {
            layout.keepNewest();
        }
        return (record, before) -> record.timestampMs < before.newest(ofKey);
    }

    private static Condition sameAsBefore(Layout layout) {
        layout.keepLatest();
        return (record, before) -> before.latest() == record.fingerprint();
    }

    private static boolean ofKey(JsonNode spec) {
        return spec.get("scope").asText().equals("key");
    }
}

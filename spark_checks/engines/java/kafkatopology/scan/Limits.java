package kafkatopology.scan;

import com.fasterxml.jackson.databind.JsonNode;

/** How much is remembered of keys, returned of hot ones, and given of the records in which one of some bits holds. */
record Limits(long mostKeys, int mostHotKeys, long hotKeyRecords, int longestKey, long wanted, int mostEvidence) {
    static Limits of(JsonNode spec) {
        return new Limits(
                spec.get("mostKeys").asLong(),
                spec.get("mostHotKeys").asInt(),
                spec.get("hotKeyRecords").asLong(),
                spec.get("longestKey").asInt(),
                spec.get("wanted").asLong(),
                spec.get("mostEvidence").asInt());
    }
}

package kafkatopology.scan;

import com.fasterxml.jackson.databind.JsonNode;

/** How much is remembered of keys, and returned of hot ones. */
record Limits(long mostKeys, int mostHotKeys, long hotKeyRecords, int longestHotKey) {
    static Limits of(JsonNode spec) {
        return new Limits(
                spec.get("mostKeys").asLong(),
                spec.get("mostHotKeys").asInt(),
                spec.get("hotKeyRecords").asLong(),
                spec.get("longestHotKey").asInt());
    }
}

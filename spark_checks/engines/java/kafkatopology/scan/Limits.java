package kafkatopology.scan;

import com.fasterxml.jackson.databind.JsonNode;

/** How much is remembered of keys, and told of hot ones. */
record Limits(long mostKeys, int mostHotKeys, long hotKeyRecords, int longestToldKey) {
    static Limits of(JsonNode spec) {
        return new Limits(
                spec.get("mostKeys").asLong(),
                spec.get("mostHotKeys").asInt(),
                spec.get("hotKeyRecords").asLong(),
                spec.get("longestToldKey").asInt());
    }
}

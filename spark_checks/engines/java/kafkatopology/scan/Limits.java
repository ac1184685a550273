package kafkatopology.scan;

import com.fasterxml.jackson.databind.JsonNode;

/** How much is remembered of keys, returned of hot ones, and located of groups in which one of some bits holds. */
record Limits(
        long mostKeys, int mostHotKeys, long hotKeyRecords, int longestHotKey, long located, int mostPlaces) {
    static Limits of(JsonNode spec) {
        return new Limits(
                spec.get("mostKeys").asLong(),
                spec.get("mostHotKeys").asInt(),
                spec.get("hotKeyRecords").asLong(),
                spec.get("longestHotKey").asInt(),
                spec.get("located").asLong(),
                spec.get("mostPlaces").asInt());
    }
}

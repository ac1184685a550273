"""The names of partitioners, by what can be said about where they put a key."""

from __future__ import annotations

# Partitioners that place a key by its bytes alone; `spark_checks.partitioners` computes them.
HASH_PARTITIONERS = (
    "murmur2",
    "librdkafka-consistent",
    "librdkafka-consistent-random",
    "librdkafka-murmur2",
    "librdkafka-murmur2-random",
    "librdkafka-fnv1a",
    "librdkafka-fnv1a-random",
    "sarama-hash",
    "sarama-reference-hash",
)
# Partitioners that do not look at the key, or that nobody can recompute without more.
KEYLESS_PARTITIONERS = ("round-robin", "sticky", "random")
OPAQUE_PARTITIONERS = ("explicit", "custom")
PARTITIONERS = HASH_PARTITIONERS + KEYLESS_PARTITIONERS + OPAQUE_PARTITIONERS

"""Which client writes with which partitioner, how a topology declares it, and which declarations do not fit it."""

from __future__ import annotations

from dataclasses import dataclass

NULL, EMPTY = None, b""


@dataclass(frozen=True, slots=True)
class Row:
    """`partitioner` is the client's own name for it; "default" means that nothing is set."""

    client: str
    partitioner: str
    declared: str

    @property
    def wrong(self) -> tuple[str, ...]:
        return WRONG[self.declared]

    @property
    def is_computable(self) -> bool:
        return self.declared in ANYWHERE


STICKY = "StickyKeyPartitioner({})".format
ROWS = (
    Row("Java", "default", "murmur2"),
    Row("librdkafka", "default", "librdkafka-consistent-random"),
    Row("librdkafka", "consistent", "librdkafka-consistent"),
    Row("librdkafka", "consistent_random", "librdkafka-consistent-random"),
    Row("librdkafka", "murmur2", "librdkafka-murmur2"),
    Row("librdkafka", "murmur2_random", "librdkafka-murmur2-random"),
    Row("librdkafka", "fnv1a", "librdkafka-fnv1a"),
    Row("librdkafka", "fnv1a_random", "librdkafka-fnv1a-random"),
    Row("kafka-python", "default", "murmur2"),
    Row("kafka-python", "StickyPartitioner", "murmur2"),
    Row("aiokafka", "default", "murmur2"),
    Row("kafkajs", "default", "murmur2"),
    Row("kafkajs", "DefaultPartitioner", "murmur2"),
    Row("kafkajs", "LegacyPartitioner", "custom"),
    Row("franz-go", "default", "murmur2"),
    Row("franz-go", STICKY("nil"), "murmur2"),
    Row("franz-go", STICKY("SaramaCompatHasher(fnv1a)"), "sarama-hash"),
    Row("franz-go", STICKY("SaramaHasher(fnv1a)"), "franz-go-fnv1a"),
    Row("franz-go", STICKY("SaramaHasher(crc32)"), "sarama-consistent-crc"),
    Row("franz-go", STICKY("KafkaHasher(fnv1a)"), "sarama-reference-hash"),
    Row("sarama", "default", "sarama-hash"),
    Row("sarama", "NewHashPartitioner", "sarama-hash"),
    Row("sarama", "NewReferenceHashPartitioner", "sarama-reference-hash"),
    Row("sarama", "NewConsistentCRCHashPartitioner", "sarama-consistent-crc"),
    Row("sarama", "NewMurmur2Partitioner", "murmur2"),
    Row("kafka-go", "default", "round-robin"),
    Row("kafka-go", "Hash", "sarama-hash"),
    Row("kafka-go", "ReferenceHash", "sarama-reference-hash"),
    Row("kafka-go", "CRC32Balancer", "librdkafka-consistent-random"),
    Row("kafka-go", "CRC32Balancer{Consistent}", "librdkafka-consistent"),
    Row("kafka-go", "Murmur2Balancer", "librdkafka-murmur2-random"),
    Row("kafka-go", "Murmur2Balancer{Consistent}", "librdkafka-murmur2"),
)
# The client whose records show where a declaration puts keys.
REFERENCE = {
    "murmur2": ("Java", "default"),
    "librdkafka-consistent": ("librdkafka", "consistent"),
    "librdkafka-consistent-random": ("librdkafka", "consistent_random"),
    "librdkafka-murmur2": ("librdkafka", "murmur2"),
    "librdkafka-murmur2-random": ("librdkafka", "murmur2_random"),
    "librdkafka-fnv1a": ("librdkafka", "fnv1a"),
    "librdkafka-fnv1a-random": ("librdkafka", "fnv1a_random"),
    "sarama-hash": ("sarama", "NewHashPartitioner"),
    "sarama-reference-hash": ("sarama", "NewReferenceHashPartitioner"),
    "sarama-consistent-crc": ("sarama", "NewConsistentCRCHashPartitioner"),
    "franz-go-fnv1a": ("franz-go", STICKY("SaramaHasher(fnv1a)")),
}
# The keys that a partitioner ties to no partition, as its client documents it.
ANYWHERE: dict[str, tuple[bytes | None, ...]] = {
    "murmur2": (NULL,),
    "librdkafka-consistent": (),
    "librdkafka-consistent-random": (NULL, EMPTY),
    "librdkafka-murmur2": (),
    "librdkafka-murmur2-random": (NULL,),
    "librdkafka-fnv1a": (),
    "librdkafka-fnv1a-random": (NULL,),
    "sarama-hash": (NULL,),
    "sarama-reference-hash": (NULL,),
    "sarama-consistent-crc": (NULL,),
    "franz-go-fnv1a": (NULL,),
}
# Two declarations that do not fit: where there is one, the first differs in null, empty or negative hashes only.
WRONG = {
    "murmur2": ("librdkafka-murmur2", "librdkafka-consistent-random"),
    "librdkafka-consistent": ("murmur2", "sarama-reference-hash"),
    "librdkafka-consistent-random": ("librdkafka-consistent", "librdkafka-fnv1a-random"),
    "librdkafka-murmur2": ("librdkafka-consistent", "sarama-hash"),
    "librdkafka-murmur2-random": ("librdkafka-murmur2", "librdkafka-fnv1a"),
    "librdkafka-fnv1a": ("sarama-reference-hash", "murmur2"),
    "librdkafka-fnv1a-random": ("librdkafka-fnv1a", "franz-go-fnv1a"),
    "sarama-hash": ("sarama-reference-hash", "sarama-consistent-crc"),
    "sarama-reference-hash": ("sarama-hash", "librdkafka-murmur2-random"),
    "sarama-consistent-crc": ("librdkafka-consistent", "murmur2"),
    "franz-go-fnv1a": ("sarama-hash", "librdkafka-consistent-random"),
    "custom": ("murmur2", "sarama-hash"),
    "round-robin": ("murmur2", "librdkafka-consistent"),
}

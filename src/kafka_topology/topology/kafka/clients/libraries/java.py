"""The Java client, and those that use it: Spring for Apache Kafka and Kafka Streams."""

from __future__ import annotations

from ...share_groups import OF_SHARE_CONSUMERS
from .library import Library
from .relations import HEARTBEAT_BELOW_SESSION, NO_TRANSACTION_WITHOUT_IDEMPOTENCE, AtLeast, Only, Relation

_RELATIONS: tuple[Relation, ...] = (
    AtLeast(
        "producer",
        "delivery.timeout.ms",
        ("linger.ms", "request.timeout.ms"),
        most=2**31 - 1,
        when=(("delivery.timeout.ms", None),),  # it raises its default itself
        found_by="KT405",
    ),
    NO_TRANSACTION_WITHOUT_IDEMPOTENCE,
    Only("producer", "transaction.timeout.ms", when=(("transaction.two.phase.commit.enable", "true"),)),
    HEARTBEAT_BELOW_SESSION,
    Only("consumer", "group.remote.assignor", unless=(("group.protocol", "consumer"),), found_by="KT518"),
    *(Only("consumer", name, found_by="KT518") for name in OF_SHARE_CONSUMERS),
)
JAVA = Library("java", "the Java client", "properties", "murmur2", has_java_names=True, relations=_RELATIONS)
# Its listener containers commit after the records are processed, unless told otherwise (since 2.3).
SPRING = Library(
    "spring",
    "Spring for Apache Kafka",
    "spring",
    "murmur2",
    has_java_names=True,
    fixed={"consumer": {"enable.auto.commit": "false"}},
    relations=_RELATIONS,
)
# The clients inside a Kafka Streams application, with its defaults. Transactions are those of exactly-once.
STREAMS = Library(
    "streams",
    "Kafka Streams",
    "properties",
    "murmur2",
    has_java_names=True,
    fixed={
        "producer": {"linger.ms": "100"},
        "consumer": {"auto.offset.reset": "earliest", "max.poll.records": "1000"},
    },
    when_transactional={"delivery.timeout.ms": "2147483647", "transaction.timeout.ms": "10000"},
    relations=(
        *_RELATIONS,
        Only("producer", "transaction.two.phase.commit.enable", "false", when=(("transactional.id", None),)),
    ),
)

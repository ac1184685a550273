"""The Java client, and Spring for Apache Kafka, which uses it."""

from __future__ import annotations

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

"""Who built the brokers: Apache Kafka, or a distribution of it with topic settings of its own."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Distribution:
    """`own` are the topic settings that only this distribution has: names, and prefixes that end with a dot.

    `by_majority` says that `acks=all` waits for the majority of the replicas, whatever `min.insync.replicas` is.
    """

    name: str
    title: str
    own: tuple[str, ...] = ()
    by_majority: bool = False

    def has(self, setting: str) -> bool:
        return any(setting == own or (own.endswith(".") and setting.startswith(own)) for own in self.own)


_ALL = (
    Distribution("apache", "Apache Kafka"),
    Distribution("confluent", "Confluent Platform and Confluent Cloud", ("confluent.",)),
    Distribution("msk", "Amazon MSK"),
    Distribution(
        "redpanda",
        "Redpanda",
        (
            "redpanda.",
            # Redpanda takes Confluent's names for its own validation of schema ids.
            "confluent.key.",
            "confluent.value.",
            "flush.bytes",
            "initial.retention.local.target.bytes",
            "initial.retention.local.target.ms",
            "retention.local.target.bytes",
            "retention.local.target.ms",
            "write.caching",
        ),
        by_majority=True,
    ),
    Distribution("aiven", "Aiven for Apache Kafka", ("diskless.enable", "inkless.enable")),
    Distribution("other", "another one"),
)
DISTRIBUTIONS = {distribution.name: distribution for distribution in _ALL}


def distributions_with(setting: str) -> tuple[Distribution, ...]:
    """The distributions that have a topic setting of this name besides Kafka's."""
    return tuple(distribution for distribution in _ALL if distribution.has(setting))

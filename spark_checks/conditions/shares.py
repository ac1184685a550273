"""A declared share of the records, chosen by where they lie: every run chooses the same ones."""

from __future__ import annotations

from dataclasses import dataclass

from kafka_topology.topology.model.declared import Topic

STEPS = 1_000_000  # how finely shares differ


@dataclass(frozen=True, slots=True)
class Share:
    """A record is chosen when a hash of its topic, partition and offset is among the first `steps` of a million."""

    topic: str
    steps: int

    @property
    def bound(self) -> str:
        return (
            f"only a share of {self.steps / STEPS:g} of the records was judged (`value.sample`), chosen by topic,"
            " partition and offset: a re-run judges the same ones"
        )


def share_of(topic: Topic) -> Share | None:
    """None when every record is judged. The smallest share above 0 is one step."""
    if topic.value is None or topic.value.sample >= 1:
        return None
    return Share(topic.name, max(1, round(topic.value.sample * STEPS)) if topic.value.sample > 0 else 0)

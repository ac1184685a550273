"""`kafka-topology what-if --partitions` without a cluster: another partition count, by the declaration alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from ...topology.model.words import did_you_mean
from ..exits import Exit

if TYPE_CHECKING:
    from rich.console import Console

    from ...review.result import EnvironmentReview
    from ...topology.model.declared import Topic, Topology

SOURCE = "the declaration"
ASK = "No cluster was asked. Pass --bootstrap HOST:PORT to count the keys and records that move."


@dataclass(frozen=True, slots=True)
class Declared:
    """What another partition count would mean for one topic; `refused` says why it cannot be."""

    topic: str
    partitions: int
    wanted: int
    refused: str = ""
    review: EnvironmentReview | None = None

    def to_json(self) -> dict[str, Any]:
        changes = self.review.changes if self.review is not None else ()
        findings = self.review.findings if self.review is not None else ()
        return {
            "topic": self.topic,
            "declared": self.partitions,
            "refused": self.refused or None,
            "changes": [
                {
                    "resource": change.title,
                    "change": change.what,
                    "risk": change.risk.value,
                    "reason": change.reason,
                    "effects": [effect.text for effect in change.further_effects],
                }
                for change in changes
            ],
            "findings": [
                {"rule": each.id, "severity": each.severity.value, "message": each.message} for each in findings
            ],
        }


def declared_answers(topology: Topology, names: Sequence[str], partitions: int) -> tuple[Declared, ...]:
    """An answer for each topic, or for all topics. Ends the command if one is not declared."""
    for name in names:
        if name not in topology.topics:
            hint = did_you_mean(name, topology.topics) or "list them with `kafka-topology show PATH`"
            raise click.UsageError(f"no topic is called {name}; {hint}")
    wanted = [topology.topics[name] for name in dict.fromkeys(names)] or list(topology.topics.values())
    if not wanted:
        raise click.UsageError("the topology declares no topic")
    return tuple(_answer(topology, topic, partitions) for topic in wanted)


def _answer(topology: Topology, topic: Topic, partitions: int) -> Declared:
    from ...review.run import Pair, review_pair

    if partitions < topic.partitions:
        refused = f"it has {topic.partitions} partitions, and partitions never shrink"
        return Declared(topic.name, topic.partitions, partitions, refused)
    if partitions == topic.partitions:
        return Declared(topic.name, topic.partitions, partitions, f"it has {topic.partitions} partitions already")
    after = replace(topology, topics={**topology.topics, topic.name: replace(topic, partitions=partitions)})
    review = review_pair(Pair(topology.environment, topology, after))
    return Declared(topic.name, topic.partitions, partitions, review=review)


def as_data(answers: Sequence[Declared], partitions: int) -> dict[str, Any]:
    return {"partitions": partitions, "source": SOURCE, "topics": [each.to_json() for each in answers]}


def print_answers(answers: Sequence[Declared], console: Console) -> None:
    from rich.text import Text

    from ...report.paragraphs import Paragraph

    for each in answers:
        console.print(
            Text.assemble((each.topic, "bold"), f"  {each.partitions} → {each.wanted} partitions, by {SOURCE}")
        )
        for label, said in _lines(each):
            console.print(Paragraph(said, label, indent="  ", hanging="    "))
        console.print()
    console.print(Paragraph(ASK, style="dim", indent="", hanging=""))


def _lines(answer: Declared) -> Iterator[tuple[str, str]]:
    if answer.refused:
        yield "", answer.refused
    if answer.review is None:
        return
    for change in answer.review.changes:
        who = "" if change.name == answer.topic else f"{change.title}: {change.what}: "
        yield f"{change.risk}: ", f"{who}{change.reason}"
        for effect in change.further_effects:
            yield "- ", effect.text
    for finding in sorted(answer.review.findings, key=lambda each: -each.severity.rank):
        yield f"{finding.severity.value} {finding.id}: ", finding.message
    if not answer.review.changes and not answer.review.findings:
        yield "", "nothing else changes"


def exit_of(answers: Sequence[Declared]) -> Exit:
    """As for the live records: a number that cannot be is wrong usage."""
    return Exit.UNUSABLE if any(each.wanted < each.partitions for each in answers) else Exit.FINE

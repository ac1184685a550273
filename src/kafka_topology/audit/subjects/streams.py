"""Compares the internal topics of streams applications with what is declared about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafka_topology.topology.model.words import listed

from ...cluster.outcomes import Failure, FailureKind
from ...topology.model.findings import Severity
from ..check import About, Check, found
from ..observing.snapshot import Asked, Observation, of_each
from ..subject import Subject, without_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...cluster.live.topics import LiveTopic
    from ...cluster.outcomes import Outcome
    from ...topology.model.declared import StreamsApplication, Topology
    from ...topology.model.findings import Finding
    from ..observing.snapshot import Snapshot, Survey

INTERNAL_MISSING: Final = Check(
    "KTA601", "internal-topic-missing", Severity.WARNING,
    "A declared internal topic of a streams application is not on the cluster.",
    "The application creates its internal topics when it starts. If it runs, the declaration names a topic that this "
    "version of the application no longer has, or somebody deleted it: its state is lost.",
    "Start the application, or correct the name.",
    ("R2",),
)  # fmt: skip
INTERNAL_REPLICATION: Final = Check(
    "KTA602", "internal-topic-replication", Severity.ERROR,
    "An internal topic of a streams application has another replication than declared.",
    "A changelog topic is the only copy of the application's state. `replication.factor` counts only when the "
    "application creates the topic, so a topic from before it was raised keeps its replicas.",
    "Reassign the topic's partitions, or declare the replication that it has. Partitions that are being moved to the "
    "declared replication are not reported.",
    ("R2", "R31"),
)  # fmt: skip
INTERNAL_UNDECLARED: Final = Check(
    "KTA603", "internal-topic-undeclared", Severity.WARNING,
    "A topic with the prefix of a streams application is not among its declared internal topics.",
    "It is left over from an earlier version of the application, and uses disk space, or it belongs to somebody else "
    "who uses the application's prefix. Checked only where `internalTopics.topics` lists them.",
    "Declare it, or delete it if the application no longer uses it.",
    ("R35",),
)  # fmt: skip


def _listing(topology: Topology) -> list[StreamsApplication]:
    """The applications that list their internal topics."""
    return [each for each in topology.streams.values() if each.internal_topics and each.internal_topics.topics]


def _take(survey: Survey) -> Mapping[str, Outcome[LiveTopic]]:
    names = [
        name
        for each in _listing(survey.topology)
        for name in (each.internal_topics.topics if each.internal_topics else ())
    ]
    return survey.patient.each(names, survey.cluster.describe_many_topics) if names else {}


def _take_names(survey: Survey) -> Asked[frozenset[str]]:
    return survey.patient.one(survey.cluster.survey.topic_names) if _listing(survey.topology) else None


INTERNAL: Final = Observation("internal_topics", _take, of_each("internal topics"))
"""The declared internal topics."""
INTERNAL_NAMES: Final = Observation("internal_topic_names", _take_names)
"""All topics that the principal can see, if an application lists its internal topics."""


def streams_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    for application in _listing(topology):
        about = About("streams", application.name, application.location)
        yield from _declared(application, about, live)
        yield from _undeclared(topology, application, about, live)


def _declared(application: StreamsApplication, about: About, live: Snapshot) -> Iterator[Finding]:
    declared = application.internal_topics
    for index, name in enumerate(declared.topics if declared is not None else ()):
        seen = live.of(INTERNAL).get(name)
        if isinstance(seen, Failure):
            if seen.kind is FailureKind.MISSING:
                yield found(
                    INTERNAL_MISSING,
                    about,
                    application.place("internalTopics", "topics", index),
                    f"{application.name}: its internal topic {name} is not on the cluster; expected it",
                    "start the application, or correct the name",
                    expected="a topic",
                )
            continue
        wanted = declared.replication if declared is not None else None
        if seen is not None and wanted is not None and not seen.comes_to_replication(wanted):
            yield found(
                INTERNAL_REPLICATION,
                about,
                application.place("internalTopics", "replication"),
                f"{application.name}: internal topic {name} has {seen.replication_text} replicas; expected {wanted}",
                "reassign its partitions, or declare what is there",
                expected=wanted,
                actual=seen.replication if seen.is_even else seen.replication_text,
            )


def _undeclared(topology: Topology, application: StreamsApplication, about: About, live: Snapshot) -> Iterator[Finding]:
    names = live.of(INTERNAL_NAMES)
    if names is None or isinstance(names, Failure) or application.internal_topics is None:
        return
    # Another application's id may begin with this one and a hyphen.
    others = tuple(f"{each}-" for each in topology.streams if each.startswith(f"{application.name}-"))
    extra = sorted(
        name
        for name in names - topology.topics.keys() - set(application.internal_topics.topics)
        if name.startswith(f"{application.name}-") and not name.startswith(others)
    )
    if extra:
        yield found(
            INTERNAL_UNDECLARED,
            about,
            application.place("internalTopics", "topics"),
            f"{application.name}: topics with its prefix are not declared as internal: {listed(extra)}",
            "declare them, or delete them if the application no longer uses them",
            actual=extra,
        )


SUBJECT: Final = Subject(
    order=37,
    words=("streams",),
    compares={"internal topics of streams applications": "missing, another replication, undeclared with its prefix"},
    reads=(INTERNAL, INTERNAL_NAMES),
    checks=(INTERNAL_MISSING, INTERNAL_REPLICATION, INTERNAL_UNDECLARED),
    compare=without_options(streams_findings),
)

"""Topics of a cluster for an import. Fields that many topics share become a profile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from kafka_topology.cluster.live.topics import LiveTopic
from kafka_topology.topology.model.units import LARGEST, format_duration, parse_integer

from ..importer import CLUSTER_FILE, Importer, Plain, unused, written_config
from .inputs import is_owned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka_topology.cluster.cluster import Cluster
    from kafka_topology.provider.config.settings import Owned

    from ..importer import Reading

Topics: TypeAlias = tuple[LiveTopic, ...]
# This many similar topics are worth a profile.
ALIKE: Final = 3
RETENTION: Final = "retention.ms"


def take(cluster: Cluster, owned: Owned, reading: Reading) -> Topics:
    counts = reading.value(reading.one(cluster.survey.partition_counts), {})
    ours = [name for name in counts if is_owned(name, owned.topics)]
    found = [reading.value(each, None) for each in reading.each(ours, cluster.describe_many_topics).values()]
    return tuple(topic for topic in found if topic is not None)


def without(found: Topics, topics: Collection[str]) -> Topics:
    return tuple(topic for topic in found if topic.name not in topics)


def sections(found: Topics) -> Mapping[str, Mapping[str, object]]:
    profiles, topics = _topics(found)
    return {CLUSTER_FILE: {"profiles": profiles}, "topics.yaml": {"topics": topics}}


def _topics(topics: tuple[LiveTopic, ...]) -> tuple[Plain, Plain]:
    """Profiles for the fields that many topics share, and the topics."""
    alike = Counter(_shape(topic) for topic in topics)
    names: dict[tuple[int, frozenset[tuple[str, str]]], str] = {}
    profiles: Plain = {}
    for topic in topics:
        shape = _shape(topic)
        if alike[shape] >= ALIKE and shape not in names:
            names[shape] = unused(_profile_name(topic), profiles)
            profiles[names[shape]] = _settings(topic)
    written: Plain = {}
    for topic in topics:
        profile = names.get(_shape(topic))
        own = {"profile": profile} if profile is not None else _settings(topic)
        written[topic.name] = {**own, "partitions": topic.partitions}
    return dict(sorted(profiles.items())), written


def _shape(topic: LiveTopic) -> tuple[int, frozenset[tuple[str, str]]]:
    return topic.coming_replication, frozenset(topic.config.items())


def _profile_name(topic: LiveTopic) -> str:
    kind = "compacted" if "compact" in topic.config.get("cleanup.policy", "") else "event"
    kept = topic.config.get(RETENTION)
    number = parse_integer(kept) if kept is not None else None
    parts = [kind, *([format_duration(number)] if number is not None else []), f"x{topic.coming_replication}"]
    return "-".join(parts)


def _settings(topic: LiveTopic) -> Plain:
    settings: Plain = {"replication": topic.coming_replication}
    config = dict(topic.config)
    kept = parse_integer(config.get(RETENTION, ""))
    if kept is not None and kept < LARGEST:
        del config[RETENTION]
        settings["retention"] = format_duration(kept)
    if config:
        settings["config"] = written_config(config)
    return settings


def listed(found: Topics) -> Iterator[tuple[str, str]]:
    return ((topic.name, topic.name) for topic in found)


def notes(found: Topics) -> Iterator[str]:
    uneven = ", ".join(f"{topic.name} ({topic.replication_text})" for topic in found if not topic.comes_to_be_even)
    if uneven:
        yield f"topics written with the highest replication of their partitions, so `pulumi up` adds replicas: {uneven}"
    moving = ", ".join(
        f"{topic.name} (now {topic.replication_text}, then {topic.coming_replication})"
        for topic in found
        if topic.is_moving and topic.replication_text != str(topic.coming_replication)
    )
    if moving:
        yield f"topics written with the replication that a running reassignment leads to: {moving}"
    throttled = ", ".join(topic.name for topic in found if topic.throttled)
    if throttled:
        yield f"throttled replicas left out, because they belong to copying and not to the topic: {throttled}"


def names(found: Topics) -> Iterator[str]:
    return (topic.name for topic in found)


IMPORTER: Importer[Topics] = Importer(
    None,
    (),
    take,
    sections,
    listed,
    notes=notes,
    limited_by="topics",
    names=names,
    without=without,
    about="partitions, replication, and the settings made on the topic itself; what at least three topics have in "
    "common becomes a profile",
)

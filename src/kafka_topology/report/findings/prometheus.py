"""Findings, lag and replicas as metrics in the text format of Prometheus, for the textfile collector or a scrape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from kafka_topology.topology import Severity

from ..formats import Format
from ..run import Run

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_PREFIX: Final = "kafka_topology"
_ESCAPES: Final = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
Labels = Mapping[str, object]
Samples = Iterable[tuple[Labels, float | None]]


def render(run: Run) -> str:
    """Every sample has the labels `command`, `topology` and `environment`: the files of several runs fit together."""
    return "".join(_lines(run))


def _lines(run: Run) -> Iterator[str]:
    common = {"command": run.command, "topology": run.path(run.subject), "environment": run.environment or ""}
    for reason in run.unchecked:
        yield f"# could not check: {_escaped(reason)}\n"
    for name, help_text, samples in _metrics(run):
        known = [(labels, value) for labels, value in samples if value is not None]
        if not known:
            continue
        yield f"# HELP {_PREFIX}_{name} {help_text}\n# TYPE {_PREFIX}_{name} gauge\n"
        for labels, value in known:
            text = ",".join(f'{key}="{_escaped(of)}"' for key, of in {**common, **labels}.items())
            yield f"{_PREFIX}_{name}{{{text}}} {_number(value)}\n"


def _escaped(value: object) -> str:
    """A lone surrogate, which no UTF-8 file can hold, becomes a question mark."""
    return str(value).translate(_ESCAPES).encode("utf-8", "replace").decode()


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))


def _metrics(run: Run) -> Iterator[tuple[str, str, Samples]]:
    found = Counter((each.id, each.severity.value, each.kind, each.resource) for each in run.findings)
    keys = ("rule", "severity", "kind", "resource")
    severities = Counter(each.severity for each in run.findings)
    yield (
        "findings",
        "Findings by severity, also 0.",
        [({"severity": severity.value}, severities[severity]) for severity in Severity],
    )
    yield (
        "finding",
        "Findings of a rule about a resource.",
        [(dict(zip(keys, key, strict=True)), count) for key, count in sorted(found.items())],
    )
    yield "could_not_check", "Things that could not be checked.", [({}, len(run.unchecked))]
    yield (
        "success",
        "Whether everything was checked: 1 or 0. It says nothing about findings.",
        [({}, int(not run.unchecked))],
    )
    if run.at is not None:
        yield "last_run_timestamp_seconds", "When the cluster was looked at.", [({}, round(run.at.timestamp(), 3))]
    if run.live is not None:
        yield from _live(run.live)


def _live(live: Mapping[str, Any]) -> Iterator[tuple[str, str, Samples]]:
    brokers, topics, groups = (live.get(part, []) for part in ("brokers", "topics", "groups"))
    yield "broker_up", "Whether the cluster lists a broker as running: 1 or 0.", _each(brokers, "broker", "up")
    yield "broker_leaders", "Partitions of declared topics that a broker leads.", _each(brokers, "broker", "leaders")
    yield "topic_partitions", "Partitions of a topic.", _each(topics, "topic", "partitions")
    yield (
        "topic_partitions_without_leader",
        "Partitions that nobody can read or write.",
        _each(topics, "topic", "withoutLeader"),
    )
    yield (
        "topic_partitions_under_replicated",
        "Partitions with replicas that are not in sync.",
        _each(topics, "topic", "underReplicated"),
    )
    yield (
        "topic_in_sync_replicas",
        "In-sync replicas of the partition that has the fewest.",
        _each(topics, "topic", "fewestInSync"),
    )
    yield "topic_min_in_sync_replicas", "min.insync.replicas of a topic.", _each(topics, "topic", "minInSync")
    yield "group_members", "Members of a group.", _each(groups, "group", "members")
    yield "group_max_lag_records", "maxLag of a group, in records.", _each(groups, "group", "maxLag")
    yield "group_max_lag_seconds", "maxLag of a group, in seconds.", _each(groups, "group", "maxLagSeconds")
    yield "group_lag_records", "Records of a partition that wait for a group.", _partitions(groups, "lag")
    yield (
        "group_lag_seconds",
        "Age of the oldest record of a partition that waits for a group.",
        _partitions(groups, "lagSeconds"),
    )
    yield (
        "group_held_back_offsets",
        "Offsets after an open transaction, for a group that reads committed records.",
        _each(groups, "group", "heldBack"),
    )


def _each(items: Iterable[Mapping[str, Any]], key: str, field: str) -> Samples:
    return [({key: each[key]}, each.get(field)) for each in items]


def _partitions(groups: Iterable[Mapping[str, Any]], field: str) -> Samples:
    return [
        ({"group": group["group"], "topic": each["topic"], "partition": each["partition"]}, each.get(field))
        for group in groups
        for each in group.get("partitions", [])
    ]


FORMAT = Format(
    name="prometheus",
    description="Metrics for Prometheus: findings, lag by partition, in-sync replicas. For the textfile collector.",
    render=render,
)

"""Compares brokers, racks, defaults and controllers with the declared ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafka_topology.topology.kafka.equal import same
from kafka_topology.topology.kafka.synonyms import InForce, in_force, synonyms
from kafka_topology.topology.model.words import counted, listed

from ...cluster.outcomes import Failure
from ...topology.model.findings import Severity
from ..check import Check, about_cluster, found, value_text
from ..observing.live_cluster import BROKER_CONFIGS, BROKERS, QUORUM
from ..subject import Subject, without_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...topology.model.declared import Cluster, Topology
    from ...topology.model.findings import Finding
    from ..check import About
    from ..observing.snapshot import Snapshot

BROKERS_DIFFER: Final = Check(
    "KTA501", "brokers-differ", Severity.ERROR,
    "Fewer brokers are up than declared. If more are up, this is a warning.",
    "Rules about replication and capacity, and what-if, count on the declared brokers.",
    "Start the missing brokers, or declare the brokers that exist.",
    ("R3",),
    transient=True,
)  # fmt: skip
RACKS_DIFFER: Final = Check(
    "KTA502", "racks-differ", Severity.WARNING,
    "The racks of the live brokers differ from the declared ones.",
    "Kafka spreads replicas over the racks that the brokers report, not over those in the file.",
    "Set `broker.rack` on the brokers, or declare the racks that exist.",
    ("R30",),
    transient=True,
)  # fmt: skip
DEFAULTS_DIFFER: Final = Check(
    "KTA503", "broker-default-differs", Severity.ERROR,
    "A setting of a broker differs from the value declared under `cluster.defaults`.",
    "Rules judge topics by the declared default, but topics get the live one.",
    "Configure the brokers, or declare the value that they have.",
    ("R1",),
)  # fmt: skip
CONTROLLERS_DIFFER: Final = Check(
    "KTA504", "controllers-differ", Severity.ERROR,
    "The number of controllers in the quorum differs from the declared one.",
    "The number decides how many controllers the quorum can lose.",
    "Configure the quorum, or declare the number it has.",
    ("R3",),
)  # fmt: skip


def cluster_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    cluster = topology.cluster
    about = about_cluster(topology)
    brokers_up = live.of(BROKERS)
    if not isinstance(brokers_up, Failure):
        yield from _brokers(cluster, about, brokers_up)
        yield from _racks(cluster, about, brokers_up)
    yield from _defaults(cluster, about, live)
    quorum = live.of(QUORUM)
    if isinstance(quorum, Failure) or cluster.controllers is None:
        return
    controllers = len(quorum.voters)
    if controllers != cluster.controllers:
        yield found(
            CONTROLLERS_DIFFER,
            about,
            cluster.place("controllers"),
            f"the quorum has {counted(controllers, 'controller')}; expected {cluster.controllers}",
            "configure the quorum, or declare the number it has",
            expected=cluster.controllers,
            actual=controllers,
        )


def _defaults(cluster: Cluster, about: About, live: Snapshot) -> Iterator[Finding]:
    """A setting may have several names, such as log.retention.hours and .ms: what is in force counts."""
    for key in sorted(cluster.defaults):
        wanted = in_force(cluster.defaults, key)
        if wanted.name != key:
            continue  # another declared name of the same setting wins over this one
        actual: dict[InForce, list[int]] = {}
        first = synonyms(key)[0].name
        for broker, config in sorted(live.of(BROKER_CONFIGS).items()):
            if isinstance(config, Failure):
                continue
            found_there = in_force(config, key)
            if not same("broker", first, wanted.value, found_there.value):
                actual.setdefault(found_there, []).append(broker)
        for there, brokers in actual.items():
            who = f"broker {listed(brokers)} has" if len(brokers) == 1 else f"brokers {listed(brokers)} have"
            yield found(
                DEFAULTS_DIFFER,
                about,
                cluster.place("defaults", key).location,
                f"{who} {there.name} {value_text(first, there.value)}; expected {value_text(first, wanted.value)}",
                "configure the brokers, or declare the value that they have",
                expected=wanted.value,
                actual=there.value,
                setting=there.name,
                brokers=brokers,
            )


def _brokers(cluster: Cluster, about: About, live: Mapping[int, str | None]) -> Iterator[Finding]:
    """Compares the brokers by id if the topology lists them, else only their number."""
    declared = cluster.brokers
    if declared is None:
        return
    ids = {broker.id for broker in declared} if cluster.lists_brokers else set(sorted(live)[: len(declared)])
    missing, more = sorted(ids - live.keys()), sorted(live.keys() - ids)
    short = len(declared) - len(live)
    if missing or short > 0:
        which = f" ({listed(missing)})" if missing else ""
        yield found(
            BROKERS_DIFFER,
            about,
            cluster.place("brokers"),
            f"{counted(max(short, len(missing)), 'broker')}{which} missing: {listed(sorted(live))} up; "
            f"expected {len(declared)} brokers",
            "start the missing brokers, or declare the brokers that exist",
            expected=len(declared),
            actual=len(live),
            missing=missing,
        )
    if more:
        yield found(
            BROKERS_DIFFER,
            about,
            cluster.place("brokers"),
            f"{counted(len(more), 'broker')} ({listed(more)}) not declared; expected {len(declared)} brokers",
            "declare the brokers that exist",
            expected=len(declared),
            actual=len(live),
            severity=Severity.WARNING,
            undeclared=more,
        )


def _racks(cluster: Cluster, about: About, live: Mapping[int, str | None]) -> Iterator[Finding]:
    """Skips brokers that are down, because their racks are unknown; another check reports them."""
    if not cluster.racks:
        return
    if cluster.lists_brokers:
        for broker in cluster.brokers or ():
            if broker.id in live and broker.rack is not None and live[broker.id] != broker.rack:
                yield _in_racks(cluster, about, f"broker {broker.id} is in", live[broker.id], broker.rack)
        return
    racks = {rack for rack in live.values() if rack is not None}
    strangers = racks - set(cluster.racks)
    if strangers or (racks != set(cluster.racks) and len(live) >= len(cluster.brokers or ())):
        yield _in_racks(cluster, about, "the brokers are in", listed(sorted(racks)) or None, listed(cluster.racks))


def _in_racks(cluster: Cluster, about: About, who: str, actual: str | None, expected: str) -> Finding:
    return found(
        RACKS_DIFFER,
        about,
        cluster.place("racks") if not cluster.lists_brokers else cluster.place("brokers"),
        f"{who} {f'rack {actual}' if actual else 'no rack'}; expected {expected}",
        "set broker.rack on the brokers, or declare the racks that exist",
        expected=expected,
        actual=actual,
    )


SUBJECT: Final = Subject(
    order=70,
    words=("cluster",),
    compares={"cluster": "brokers, racks, controllers, and each value under `cluster.defaults` on each broker"},
    reads=(BROKERS, BROKER_CONFIGS, QUORUM),
    checks=(BROKERS_DIFFER, RACKS_DIFFER, DEFAULTS_DIFFER, CONTROLLERS_DIFFER),
    compare=without_options(cluster_findings),
)

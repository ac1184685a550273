"""Brokers, racks, defaults and controllers against what is declared about the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...topology.findings import Severity
from ..config_values import same
from ..outcomes import Failure
from .check import About, Check, found, listed, plural, value_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...topology.findings import Finding
    from ...topology.model import Cluster, Topology
    from .snapshot import Snapshot

BROKERS_DIFFER: Final = Check(
    "KTA501", "brokers-differ", Severity.ERROR,
    "Fewer brokers are up than declared; more of them is a warning.",
    "Replication, capacity and what-if are judged by the declared brokers.",
    "Start the brokers that are missing, or declare those that there are.",
    ("R3",),
)  # fmt: skip
RACKS_DIFFER: Final = Check(
    "KTA502", "racks-differ", Severity.WARNING,
    "The racks of the live brokers are not the declared ones.",
    "Replicas are spread over racks by what the brokers say, not by what the file says.",
    "Set `broker.rack` on the brokers, or declare the racks that there are.",
    ("R30",),
)  # fmt: skip
DEFAULTS_DIFFER: Final = Check(
    "KTA503", "broker-default-differs", Severity.ERROR,
    "A broker has another value for a setting under `cluster.defaults`.",
    "Rules judge topics by the declared default, and topics get the live one.",
    "Configure the brokers, or declare what they have.",
    ("R1",),
)  # fmt: skip
CONTROLLERS_DIFFER: Final = Check(
    "KTA504", "controllers-differ", Severity.ERROR,
    "The quorum has another number of controllers than declared.",
    "It decides how many controllers may be lost.",
    "Configure the quorum, or declare the number it has.",
    ("R3",),
)  # fmt: skip
CHECKS: Final = (BROKERS_DIFFER, RACKS_DIFFER, DEFAULTS_DIFFER, CONTROLLERS_DIFFER)


def cluster_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    cluster = topology.cluster
    about = About("cluster", cluster.name or "cluster", cluster.location)
    if not isinstance(live.brokers, Failure):
        yield from _brokers(cluster, about, live.brokers)
        yield from _racks(cluster, about, live.brokers)
    for key, wanted in sorted(cluster.defaults.items()):
        actual: dict[str | None, list[int]] = {}
        for broker, config in sorted(live.broker_configs.items()):
            if not isinstance(config, Failure) and not same(wanted, config.get(key)):
                actual.setdefault(config.get(key), []).append(broker)
        for value, brokers in actual.items():
            who = f"broker {listed(brokers)} has" if len(brokers) == 1 else f"brokers {listed(brokers)} have"
            yield found(
                DEFAULTS_DIFFER,
                about,
                cluster.place("defaults", key).location,
                f"{who} {key} {value_text(key, value)}; expected {value_text(key, wanted)}",
                "configure the brokers, or declare what they have",
                expected=wanted,
                actual=value,
                setting=key,
                brokers=brokers,
            )
    controllers = live.controllers
    if isinstance(controllers, int) and cluster.controllers is not None and controllers != cluster.controllers:
        yield found(
            CONTROLLERS_DIFFER,
            about,
            cluster.place("controllers"),
            f"the quorum has {plural(controllers, 'controller')}; expected {cluster.controllers}",
            "configure the quorum, or declare the number it has",
            expected=cluster.controllers,
            actual=controllers,
        )


def _brokers(cluster: Cluster, about: About, live: Mapping[int, str | None]) -> Iterator[Finding]:
    """Brokers that are listed are compared by id, others by their number."""
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
            f"{plural(max(short, len(missing)), 'broker')}{which} missing: {listed(sorted(live))} up; "
            f"expected {len(declared)} brokers",
            "start the brokers that are missing, or declare those that there are",
            expected=len(declared),
            actual=len(live),
            missing=missing,
        )
    if more:
        yield found(
            BROKERS_DIFFER,
            about,
            cluster.place("brokers"),
            f"{plural(len(more), 'broker')} ({listed(more)}) not declared; expected {len(declared)} brokers",
            "declare the brokers that there are",
            expected=len(declared),
            actual=len(live),
            severity=Severity.WARNING,
            undeclared=more,
        )


def _racks(cluster: Cluster, about: About, live: Mapping[int, str | None]) -> Iterator[Finding]:
    """A broker that is down tells no rack, and is told elsewhere."""
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
        "set broker.rack on the brokers, or declare the racks that there are",
        expected=expected,
        actual=actual,
    )

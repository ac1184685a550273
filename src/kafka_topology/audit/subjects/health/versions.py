"""Checks the versions of brokers and the features of the cluster, as far as the protocol says them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafka_topology.topology.kafka.releases import METADATA_FEATURE, release_of
from kafka_topology.topology.model.words import agreeing, listed

from ....cluster.outcomes import Failure
from ....topology.model.findings import Severity
from ...check import Check, about_cluster, found
from ...observing.live_cluster import of_each_broker
from ...observing.snapshot import Observation, of_each
from ...subject import Subject, without_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ....cluster.live.features import Software
    from ....cluster.outcomes import Outcome
    from ....topology.model.declared import Topology
    from ....topology.model.findings import Finding
    from ...check import About
    from ...observing.snapshot import Snapshot, Survey

VERSIONS_DIFFER: Final = Check(
    "KTA551", "broker-versions-differ", Severity.WARNING,
    "Brokers run different versions of Kafka.",
    "That is normal during a rolling upgrade only. Afterwards, clients see other features and defaults depending on "
    "the broker that they reach, and the cluster cannot use the features of the newer version. The protocol shows "
    "releases such as 4.1, so a difference of 4.1.0 and 4.1.1 cannot be seen.",
    "Finish the upgrade.",
    ("R3",),
    transient=True,
)  # fmt: skip
METADATA_OLD: Final = Check(
    "KTA552", "metadata-version-behind", Severity.ADVICE,
    "All brokers support a newer `metadata.version` than the cluster uses.",
    "After an upgrade, the cluster keeps the older one until somebody finalizes the new one, so that a downgrade "
    "stays possible. Until then, its new features are off.",
    "When you do not need to go back, run `kafka-features upgrade --release-version VERSION`.",
    ("R3",),
)  # fmt: skip
ELR_OFF: Final = Check(
    "KTA553", "elr-off", Severity.ADVICE,
    "The cluster does not use eligible leader replicas (ELR), although it supports them.",
    "With ELR (KIP-966, on for new clusters since Kafka 4.1), the controller remembers replicas that left the in-sync "
    "replicas with all committed records. If the last leader then loses its disk in an unclean shutdown, one of them "
    "takes over without losing records. Without ELR, committed records are lost. With ELR, `min.insync.replicas` must "
    "be set for the cluster or for topics, and no longer for single brokers.",
    "Run `kafka-features upgrade --feature eligible.leader.replicas.version=1`.",
    ("R1", "R30"),
)  # fmt: skip
_ELR: Final = "eligible.leader.replicas.version"
_ELR_READY: Final = 26  # the metadata.version of Kafka 4.1; before, ELR is not ready for production


def _take(survey: Survey) -> Mapping[int, Outcome[Software]]:
    return of_each_broker(survey, survey.cluster.health.software)


SOFTWARE: Final = Observation("software", _take, of_each("brokers", "the versions of"))
"""The versions and features of each broker that is up."""


def version_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    known = {broker: each for broker, each in sorted(live.of(SOFTWARE).items()) if not isinstance(each, Failure)}
    about = about_cluster(topology)
    highest = {broker: each.supported.get(METADATA_FEATURE, (0, 0))[1] for broker, each in known.items()}
    if len(set(highest.values())) > 1:
        yield _differ(about, highest)
    else:
        yield from _ranges_differ(about, known)
    level = max((each.levels.get(METADATA_FEATURE, 0) for each in known.values()), default=0)
    if not level:
        return  # a cluster with ZooKeeper, or no broker answered
    common = min(highest.values())
    if level < common:
        yield found(
            METADATA_OLD,
            about,
            about.declared,
            f"the cluster uses metadata.version {level}{_of(level)}, and all brokers support {common}{_of(common)}",
            f"finalize it when you do not need to go back: kafka-features upgrade --feature metadata.version={common}",
            expected=common,
            actual=level,
        )
    elr = max(each.levels.get(_ELR, 0) for each in known.values())
    supported = all(each.supported.get(_ELR, (0, 0))[1] > 0 for each in known.values())
    if not elr and supported and level >= _ELR_READY and len(known) > 1:
        yield found(
            ELR_OFF,
            about,
            about.declared,
            f"{_ELR} is 0, so replicas that have all committed records cannot take over after an unclean shutdown; "
            "expected 1",
            f"run kafka-features upgrade --feature {_ELR}=1",
            expected=1,
            actual=0,
        )


def _differ(about: About, highest: Mapping[int, int]) -> Finding:
    by_level: dict[int, list[int]] = {}
    for broker, level in highest.items():
        by_level.setdefault(level, []).append(broker)
    said = [
        f"{agreeing(len(brokers), 'broker', 'brokers')} {listed(brokers)} {agreeing(len(brokers), 'runs', 'run')} "
        f"{_release(level)}"
        for level, brokers in sorted(by_level.items())
    ]
    return found(
        VERSIONS_DIFFER,
        about,
        about.declared,
        f"{', '.join(said)}; expected one version",
        "finish the upgrade",
        expected="one version",
        actual={_release(level): brokers for level, brokers in by_level.items()},
    )


def _ranges_differ(about: About, known: Mapping[int, Software]) -> Iterator[Finding]:
    """Brokers of one release differ in a feature if some of them may use unstable levels, for example."""
    for feature in sorted({name for each in known.values() for name in each.supported}):
        ranges: dict[str, list[int]] = {}
        for broker, each in known.items():
            lowest, most = each.supported.get(feature, (0, 0))
            ranges.setdefault(f"{lowest} to {most}" if most else "none", []).append(broker)
        if len(ranges) > 1:
            said = [
                f"{levels} on {agreeing(len(brokers), 'broker', 'brokers')} {listed(brokers)}"
                for levels, brokers in ranges.items()
            ]
            yield found(
                VERSIONS_DIFFER,
                about,
                about.declared,
                f"brokers support different levels of {feature}: {', '.join(said)}; expected the same everywhere",
                "finish the upgrade, and compare unstable.feature.versions.enable of the brokers",
                expected="the same levels",
                actual=ranges,
            )


def _release(level: int) -> str:
    release = release_of(level)
    return f"Kafka {release}" if release is not None else f"a Kafka with metadata.version {level}"


def _of(level: int) -> str:
    release = release_of(level)
    return "" if release is None else f" (Kafka {release})"


SUBJECT: Final = Subject(
    order=75,
    words=("cluster",),
    compares={
        "versions": "brokers of different releases; a `metadata.version` behind what all brokers support; eligible "
        "leader replicas (ELR) that are off"
    },
    reads=(SOFTWARE,),
    checks=(VERSIONS_DIFFER, METADATA_OLD, ELR_OFF),
    compare=without_options(version_findings),
    is_health=True,
)

"""Checks that the cluster has turned on the features that declared clients need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafka_topology.topology.kafka.clients.libraries import given
from kafka_topology.topology.model.words import agreeing, listed

from ....cluster.outcomes import Failure
from ....topology.model.findings import Severity
from ...check import Check, about_cluster, found
from ...observing.live_cluster import BROKER_CONFIGS
from ...subject import Subject, without_options
from .versions import SOFTWARE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....cluster.live.features import Software
    from ....topology.model.declared import Topology
    from ....topology.model.findings import Finding
    from ...observing.snapshot import Snapshot

FEATURE_OFF: Final = Check(
    "KTA556", "needed-feature-off", Severity.ERROR,
    "A declared group needs a feature that the cluster supports and has not turned on.",
    "Kafka refuses the members of the group with UnsupportedVersionException. After an upgrade, features stay off "
    "until somebody turns them on.",
    "Run `kafka-features upgrade --feature NAME=LEVEL`.",
    ("R3", "R18"),
)  # fmt: skip
TRANSACTIONS_OLD: Final = Check(
    "KTA557", "transactions-v1", Severity.ADVICE,
    "Declared clients write in transactions, and the cluster does not use transactions of version 2, although all "
    "brokers support them.",
    "With version 2 (KIP-890), each transaction has an epoch of its own, so a late record of an earlier one cannot "
    "become part of the next, or keep it open for ever.",
    "Run `kafka-features upgrade --feature transaction.version=2`.",
    ("R18",),
)  # fmt: skip
_GROUPS: Final = "group.version"
_SHARES: Final = "share.version"
_TRANSACTIONS: Final = "transaction.version"
_PROTOCOLS: Final = "group.coordinator.rebalance.protocols"


def feature_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    known = [each for each in live.of(SOFTWARE).values() if not isinstance(each, Failure)]
    about = about_cluster(topology)
    for feature, names, why in _needed(topology, live):
        if names and _is_off(known, feature, 1):
            yield found(
                FEATURE_OFF,
                about,
                about.declared,
                f"{feature} is 0, and {listed(names)} {agreeing(len(names), 'uses', 'use')} {why}; expected 1",
                f"run kafka-features upgrade --feature {feature}=1",
                expected=1,
                actual=0,
                groups=names,
            )
    if _writes_in_transactions(topology) and _is_off(known, _TRANSACTIONS, 2):
        level = _level(known, _TRANSACTIONS)
        yield found(
            TRANSACTIONS_OLD,
            about,
            about.declared,
            f"{_TRANSACTIONS} is {level}, and all brokers support 2; expected 2",
            f"run kafka-features upgrade --feature {_TRANSACTIONS}=2",
            expected=2,
            actual=level,
        )


def _needed(topology: Topology, live: Snapshot) -> Iterator[tuple[str, list[str], str]]:
    new = [
        group.name
        for group in topology.consumer_groups.values()
        if given(group).get("group.protocol", "").lower() == "consumer" and not group.assign
    ]
    yield _GROUPS, new, "group.protocol=consumer"
    if not _may_share_without(live):
        yield _SHARES, list(topology.share_groups), "the protocol of share groups"


def _may_share_without(live: Snapshot) -> bool:
    """Brokers can be told to offer share groups whatever the level of the feature is."""
    configs = live.of(BROKER_CONFIGS).values()
    return not configs or any(
        isinstance(config, Failure)
        or config.get("group.share.enable", "").lower() == "true"
        or "share" in config.get(_PROTOCOLS, "").lower()
        for config in configs
    )


def _writes_in_transactions(topology: Topology) -> bool:
    return any(each.transactional_id is not None for each in topology.producers.values()) or any(
        each.delivery == "exactly-once" for each in topology.streams.values()
    )


def _is_off(known: list[Software], feature: str, needed: int) -> bool:
    """Whether all brokers that answered support the level, and none of them knows that it is in use."""
    supported = [each.supported.get(feature, (0, 0))[1] for each in known]
    return bool(known) and min(supported) >= needed and _level(known, feature) < needed


def _level(known: list[Software], feature: str) -> int:
    return max((each.levels.get(feature, 0) for each in known), default=0)


SUBJECT: Final = Subject(
    order=78,
    words=("cluster",),
    compares={
        "features": "those that declared groups need and the cluster has not turned on; transactions of version 2 that "
        "are off"
    },
    reads=(SOFTWARE, BROKER_CONFIGS),
    checks=(FEATURE_OFF, TRANSACTIONS_OLD),
    compare=without_options(feature_findings),
    is_health=True,
)

"""The effects of losing a broker or a rack, by the declaration or by the live placement of replicas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from ...topology.model.declared import Broker, Topology
from ...topology.model.words import listed
from ..live import Live
from ..versions import Version, Versions
from .loads import BrokerChange, BrokerLoad, loads
from .losses import Loss, Losses, TopicLoss
from .needs import Needs
from .quorum import QuorumLoss, quorum_after

__all__ = [
    "BrokerChange",
    "BrokerLoad",
    "CannotTell",
    "Loss",
    "TopicLoss",
    "WhatIf",
    "any_broker",
    "lose_broker",
    "lose_brokers",
    "lose_rack",
    "lose_racks",
]


class CannotTell(Exception):
    """The question does not fit the cluster; the message says why."""


@dataclass(frozen=True, slots=True)
class WhatIf:
    loss: Loss
    source: Literal["declaration", "live placement"]
    quorum: QuorumLoss
    topics: tuple[TopicLoss, ...]
    before: BrokerLoad  # on average, of those that run
    after: BrokerLoad  # after re-replication to the remaining brokers
    brokers: tuple[BrokerChange, ...]  # those that are left
    disk: int | None  # declared for each broker
    limit: int | None  # partitions of a broker, as declared
    notes: tuple[str, ...]
    unplaced: int = 0  # lost replicas that no remaining broker can take: each has a replica of the partition already
    down: tuple[int, ...] = ()  # brokers that hold replicas and do not run
    unchecked: tuple[str, ...] = ()  # topics whose live min.insync.replicas is not known

    @property
    def lose_writes(self) -> tuple[TopicLoss, ...]:
        return tuple(topic for topic in self.topics if topic.state != "fewer copies")

    @property
    def stalled_groups(self) -> tuple[str, ...]:
        """Groups that wait for records. Which ones stop with Kafka's own topics is not known."""
        stops = [topic for topic in self.lose_writes if topic.effect is None]
        return tuple(dict.fromkeys(reader for topic in stops for reader in topic.readers))


def lose_broker(topology: Topology, broker: int, live: Live | None = None) -> WhatIf:
    return lose_brokers(topology, (broker,), live)


def lose_brokers(topology: Topology, lost: Sequence[int], live: Live | None = None) -> WhatIf:
    """All of them at the same time."""
    brokers, chosen = _brokers(topology, live), tuple(dict.fromkeys(lost))
    down = _down(brokers, live)
    for broker in chosen:
        if broker not in brokers and broker not in down:
            there = ", ".join(map(str, sorted({*brokers, *down})))
            raise CannotTell(f"there is no broker {broker}; choose from {there}")
    # One that is down already has replicas that others would have to take over.
    everyone = {**brokers, **{broker: None for broker in chosen if broker in down}}
    title = f"{'broker' if len(chosen) == 1 else 'brokers'} {listed([str(broker) for broker in chosen])}"
    return _what_if(Version(topology), Loss(title, chosen, everyone, tuple(down)), live)


def lose_rack(topology: Topology, rack: str, live: Live | None = None) -> WhatIf:
    return lose_racks(topology, (rack,), live)


def lose_racks(topology: Topology, racks: Sequence[str], live: Live | None = None) -> WhatIf:
    """All brokers of all of them at the same time."""
    brokers = _brokers(topology, live)
    there = sorted({where for where in brokers.values() if where is not None})
    for rack in racks:
        if rack not in there:
            known = f"choose from {', '.join(there)}" if there else "no broker has a rack"
            raise CannotTell(f"there is no rack {rack}; {known}")
    chosen = tuple(dict.fromkeys(racks))
    lost = tuple(broker for broker, where in brokers.items() if where in chosen)
    title = f"{'rack' if len(chosen) == 1 else 'racks'} {listed(chosen)}"
    return _what_if(Version(topology), Loss(title, lost, brokers), live)


def any_broker(topology: Topology, live: Live | None = None, base: Topology | None = None) -> WhatIf | None:
    """The loss of any one broker, or of the worst one if they differ; None if no brokers are declared.

    With `base`, the topology is a change that is not deployed: what it sets counts, not what the cluster has.
    """
    try:
        brokers = _brokers(topology, live)
    except CannotTell:
        return None
    version = Version(topology)
    earlier = Version(base) if base is not None else None
    if live is not None:
        chosen = sorted(brokers)
    else:
        # Brokers differ by the size of their rack, and by being a controller.
        sizes = Counter(brokers.values())
        controllers = topology.cluster.controller_ids
        kinds = {(sizes[brokers[broker]], broker in controllers): broker for broker in sorted(brokers, reverse=True)}
        chosen = sorted(kinds.values())
    losses = [Loss(f"broker {broker}", (broker,), brokers) for broker in chosen]
    if len(losses) == 1 and live is None:
        return _what_if(version, Loss("any one broker", (chosen[0],), brokers), live)
    needs = Needs(version, live, earlier)
    return _what_if(version, max(losses, key=lambda loss: _how_bad(version, loss, needs)), live, needs)


def _how_bad(version: Version, loss: Loss, needs: Needs) -> tuple[bool, int, int]:
    quorum = quorum_after(version.topology.cluster, loss.lost, needs.live)
    topics = Losses(version, loss, needs.live, quorum, needs).all()
    stops = [topic for topic in topics if topic.state != "fewer copies"]
    return quorum.verdict == "lost", len(stops), sum(topic.partitions for topic in topics)


def _brokers(topology: Topology, live: Live | None) -> dict[int, str | None]:
    if live is not None and live.brokers:
        return dict(live.brokers)
    declared = topology.cluster.brokers
    if not declared:
        raise CannotTell("the topology declares no brokers; add cluster.brokers, or ask a live cluster")
    return {broker.id: _rack(topology, broker, place) for place, broker in enumerate(declared)}


def _down(brokers: Collection[int], live: Live | None) -> list[int]:
    """Brokers that hold replicas and do not run."""
    if live is None:
        return []
    used = {broker for topic in live.topics.values() for part in topic.partitions for broker in part.replicas}
    return sorted(used.difference(brokers))


def _rack(topology: Topology, broker: Broker, place: int) -> str | None:
    """The rack of a broker. If only a number of brokers and racks are declared, they alternate."""
    racks = topology.cluster.racks
    return broker.rack if broker.rack is not None or not racks else racks[place % len(racks)]


def _what_if(version: Version, loss: Loss, live: Live | None, needs: Needs | None = None) -> WhatIf:
    topology = version.topology
    needs = needs or Needs(version, live)
    quorum = quorum_after(topology.cluster, loss.lost, live)
    placed = live is not None and any(name in live.topics for name in topology.topics)
    notes: list[str] = []
    down = tuple(_down(live.brokers or loss.running, live)) if live is not None else ()
    unchecked = needs.unknown()
    if live is not None:
        absent = [name for name in topology.topics if name not in live.topics and name not in live.unread_topics]
        if unchecked:
            notes.append(
                "could not check, because the min.insync.replicas of the cluster could not be read: "
                f"{listed(unchecked)}"
            )
        if differing := needs.differing():
            notes.append(f"by the min.insync.replicas of the cluster, not by the declared one: {listed(differing)}")
        if absent and placed:
            notes.append(f"by the declaration, because they are not on the cluster: {listed(absent)}")
        if down:
            notes.append(f"lost already, because no such broker runs: {listed([str(broker) for broker in down])}")
        notes += live.unread
    carried = loads(Versions(topology, topology, live), loss, live)
    return WhatIf(
        loss,
        "live placement" if placed else "declaration",
        quorum,
        Losses(version, loss, live, quorum, needs).all(),
        carried.before,
        carried.after,
        carried.brokers,
        topology.cluster.disk,
        topology.cluster.limits.partitions_per_broker,
        (*notes, *carried.notes),
        carried.unplaced,
        down,
        unchecked,
    )

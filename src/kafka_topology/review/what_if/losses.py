"""What happens to the partitions of topics when brokers are lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ...topology.kafka.clients.promises import writes_in_transactions
from ...topology.kafka.internal_topics import InternalShape, internal_shapes
from ...topology.kafka.placement import placements
from ...topology.model.declared import Topic
from ..live import Live, LivePartition, LiveTopic
from ..versions import Version
from .needs import Needs
from .quorum import QuorumLoss

State = Literal["offline", "no writes", "fewer copies"]
ORDER: dict[State, int] = {"offline": 0, "no writes": 1, "fewer copies": 2}


@dataclass(frozen=True, slots=True)
class Loss:
    """The brokers that are lost. Those in `down` did not run before either."""

    title: str
    lost: tuple[int, ...]
    brokers: Mapping[int, str | None]  # all of them, each with its rack
    down: tuple[int, ...] = ()

    @property
    def running(self) -> Mapping[int, str | None]:
        """Those that run before the loss."""
        return {broker: rack for broker, rack in self.brokers.items() if broker not in self.down}

    @property
    def left(self) -> tuple[int, ...]:
        return tuple(broker for broker in self.brokers if broker not in self.lost)


@dataclass(frozen=True, slots=True)
class TopicLoss:
    """The worst state of a topic's partitions after the loss, and how many have it at most.

    `no_writes` partitions take no acks=all writes: those, and the offline ones if that is the worst state.
    `effect` says what stops with one of Kafka's own topics; its writers and readers may be affected, not all of them.
    """

    topic: str
    owner: str | None
    state: State
    partitions: int
    of: int
    copies_left: int
    no_writes: int
    min_isr: int
    writers: tuple[str, ...]
    readers: tuple[str, ...]
    effect: str | None = None


@dataclass(frozen=True, slots=True)
class _Hit:
    """One shape of topic after the loss."""

    state: State
    partitions: int
    copies_left: int
    no_writes: int
    min_isr: int  # of the partition with the fewest copies left


@dataclass(frozen=True, slots=True)
class Losses:
    """The losses of all topics. Topics of the same shape are placed once.

    `needs` says how many replicas must be in sync, and where that is not known.
    """

    version: Version
    loss: Loss
    live: Live | None
    quorum: QuorumLoss
    needs: Needs
    _known: dict[tuple[int, int, int], _Hit | None] = field(default_factory=dict)

    def all(self) -> tuple[TopicLoss, ...]:
        found = [loss for topic in self.version.topology.topics.values() for loss in self._topic(topic)]
        found += [loss for shape in internal_shapes(self.version.settings) for loss in self._internal(shape)]
        return tuple(sorted(found, key=lambda loss: (ORDER[loss.state], loss.topic)))

    def _topic(self, topic: Topic) -> Iterator[TopicLoss]:
        found, needed = self._live_topic(topic.name), self.needs.of(topic)
        if needed is None:
            return
        of, hit = self._hit(found, topic.partitions, topic.replication, needed)
        if hit is None:
            return
        writers = self.version.index.clients.writers_of(topic.name)
        waits = [w for w in writers if hit.state == "offline" or (w.acks is not None and w.acks.value in ("all", "-1"))]
        stops = hit.state != "fewer copies"
        yield TopicLoss(
            topic.name,
            topic.owner,
            hit.state,
            hit.partitions,
            of,
            hit.copies_left,
            hit.no_writes,
            hit.min_isr,
            tuple(writer.name for writer in waits) if stops else (),
            self.version.reader_names(topic.name) if stops else (),
        )

    def _internal(self, shape: InternalShape) -> Iterator[TopicLoss]:
        name = shape.topic.name
        found = self._live_topic(name)
        users = self._users(name)
        if found is None and not users and not shape.is_declared:
            return  # brokers create it for its first user
        needed = found.min_isr if found is not None else shape.min_isr
        if needed is None:
            return
        of, hit = self._hit(found, shape.partitions, shape.replication, needed)
        if hit is None:
            return
        stops = hit.state != "fewer copies"
        writers, readers = (users, ()) if name == "__transaction_state" else ((), users)
        yield TopicLoss(
            name,
            None,
            hit.state,
            hit.partitions,
            of,
            hit.copies_left,
            hit.no_writes,
            hit.min_isr,
            writers if stops else (),
            readers if stops else (),
            shape.topic.effect if stops else None,
        )

    def _users(self, internal: str) -> tuple[str, ...]:
        topology = self.version.topology
        if internal == "__share_group_state":
            return tuple(topology.share_groups)
        if internal == "__consumer_offsets":
            return (*topology.consumer_groups, *topology.streams)
        producers = (name for name, producer in topology.producers.items() if writes_in_transactions(producer))
        streams = (name for name, application in topology.streams.items() if writes_in_transactions(application))
        return (*producers, *streams)

    def _live_topic(self, name: str) -> LiveTopic | None:
        return self.live.topics.get(name) if self.live is not None else None

    def _hit(self, found: LiveTopic | None, partitions: int, replication: int, needed: int) -> tuple[int, _Hit | None]:
        """The number of partitions, and what is hit."""
        if found is not None:
            return len(found.partitions), self._worst(found.partitions, needed)
        brokers = self.loss.running
        copies = min(replication, len(brokers))
        key = (partitions, copies, needed)
        if key not in self._known:
            each = placements(partitions, copies, brokers)
            hits = [self._worst([LivePartition(p[0], p, p) for p in placement], needed) for placement in each]
            worst = [hit for hit in hits if hit is not None]
            self._known[key] = min(worst, key=lambda h: (ORDER[h.state], -h.partitions), default=None)
        return partitions, self._known[key]

    def _worst(self, partitions: Sequence[LivePartition], needed: int) -> _Hit | None:
        """A broker that holds a replica and does not run is lost already, so it counts as lost."""
        left = set(self.loss.left)
        hit = [partition for partition in partitions if not left.issuperset(partition.replicas)]
        if not hit:
            return None
        states = Counter(self._state(partition, _min_isr(partition, needed)) for partition in hit)
        worst = min(states, key=lambda state: ORDER[state])
        stopped = states["offline"] + states["no writes"]
        fewest = min(hit, key=lambda partition: len(left.intersection(partition.in_sync)))
        copies = len(left.intersection(fewest.in_sync))
        return _Hit(worst, states[worst], copies, stopped, _min_isr(fewest, needed))

    def _state(self, partition: LivePartition, min_isr: int) -> State:
        running = set(self.loss.left)
        left = running.intersection(partition.in_sync)
        if not left:
            return "offline"
        if self.quorum.verdict == "lost":
            # Nobody elects another leader, and the leader waits for the lost replicas that stay in the ISR.
            if partition.leader not in running:
                return "offline"
            return "no writes" if len(left) < len(partition.in_sync) or len(left) < min_isr else "fewer copies"
        return "no writes" if len(left) < min_isr else "fewer copies"


def _min_isr(partition: LivePartition, needed: int) -> int:
    """What Kafka asks of this partition: never more replicas than it has, which may be fewer than others have."""
    return min(needed, len(partition.replicas))

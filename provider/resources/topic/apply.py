"""Creates, updates, reads and deletes sets of topics. Each item gets its own outcome, in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from kafka_topology.cluster.attempts import is_unanswered
from kafka_topology.cluster.live.topics import LiveTopic, TopicContents, Writer
from kafka_topology.cluster.outcomes import Failure, FailureKind, Outcome

from ..admin import TopicAdmin
from ..converge import Answer, Applier, Missing, Settled, answers_to, is_accepted, once_read
from . import outcomes
from .inputs import DeclaredTopic
from .plan import differences, why_not_delete
from .update import TopicUpdate, TopicUpdater
from .usage import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["TopicApplier", "TopicCreation", "TopicDeletion", "TopicUpdate"]


@dataclass(frozen=True, slots=True)
class TopicCreation:
    declared: DeclaredTopic
    deadline: float


@dataclass(frozen=True, slots=True)
class TopicDeletion:
    declared: DeclaredTopic
    topic_id: str | None
    deadline: float


@dataclass(frozen=True, slots=True)
class _Asked:
    """The brokers' answer to a creation: None if they created the topic."""

    answer: Failure | None


_UNUSED: Final = Usage()
_LOOKED_FOR: Final = (FailureKind.EXISTS, FailureKind.UNCERTAIN)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A topic to delete, and its usage. `live` is None once it is deleted."""

    live: LiveTopic | None
    usage: Outcome[Usage] = _UNUSED


@dataclass(frozen=True, slots=True)
class TopicApplier(Applier[TopicAdmin]):
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC), kw_only=True)
    report: Callable[[str], None] = field(default=lambda _: None, kw_only=True)

    def create(self, items: Sequence[TopicCreation]) -> list[Outcome[outcomes.Applied]]:
        settled = self.until_settled(
            {item.declared.name: item for item in items},
            lambda pending, _: self.admin.describe_topics(pending.keys()),
            _judge_creation,
            self._send_creations,
            stopped=outcomes.stopped,
            first={item.declared.name: item.declared for item in items},
        )
        return [settled[item.declared.name] for item in items]

    def _send_creations(self, topics: Mapping[str, DeclaredTopic]) -> dict[str, _Asked | Settled[outcomes.Applied]]:
        answers = self.admin.create_topics(topics.values())
        return {
            name: _Asked(answer) if answer is None or answer.kind in _LOOKED_FOR else Settled(answer)
            for name, answer in answers.items()
        }

    def update(self, items: Sequence[TopicUpdate]) -> list[Outcome[outcomes.Applied]]:
        return TopicUpdater(self.admin, self.pause, self.clock).update(items)

    def judge_deletions(self, items: Sequence[TopicDeletion]) -> list[Outcome[None]]:
        """Why each topic must stay, or None: the checks of `delete`, without deleting."""
        return self._delete(items, lambda going: dict.fromkeys(going, Settled(None)))

    def delete(self, items: Sequence[TopicDeletion]) -> list[Outcome[None]]:
        """Checks only what needs the cluster; the caller checks protection and ownership."""
        return self._delete(items, self._send_deletions)

    def _delete(
        self,
        items: Sequence[TopicDeletion],
        send: Callable[[Mapping[str, Usage]], Mapping[str, Answer | Settled[None]]],
    ) -> list[Outcome[None]]:
        """Judges each topic by a read right before its deletion is sent; without an answer, it is judged again."""

        def warn_and_send(going: Mapping[str, Usage]) -> Mapping[str, Answer | Settled[None]]:
            for name, usage in going.items():
                if usage.writers is None:
                    self.report(outcomes.producers_unknown(name))
            return send(going)

        settled = self.until_settled(
            {item.declared.name: item for item in items},
            self._look_at_usage,
            once_read(self._judge_deletion),
            warn_and_send,
            stopped=outcomes.still_there,
        )
        return [settled[item.declared.name] for item in items]

    def _send_deletions(self, going: Mapping[str, Usage]) -> dict[str, Answer | Settled[None]]:
        answers = self.admin.delete_topics(going.keys())
        gone: dict[str, Answer | Settled[None]] = {
            n: Settled(None) for n, answer in answers.items() if _is_gone(answer)
        }
        return gone | answers_to({name: answer for name, answer in answers.items() if name not in gone})

    def _look_at_usage(
        self, pending: Mapping[str, TopicDeletion], said: Mapping[str, Answer]
    ) -> dict[str, Outcome[_Seen]]:
        """Reads the usage of a topic only until its deletion is accepted."""
        described = self.admin.describe_topics(pending.keys())
        live = {name: topic for name, topic in described.items() if isinstance(topic, LiveTopic)}
        usage = self._usage_of(
            {
                name: topic
                for name, topic in live.items()
                if pending[name].declared.deletion != "force" and not is_accepted(said.get(name))
            }
        )
        seen: dict[str, Outcome[_Seen]] = {n: _Seen(topic, usage.get(n, _UNUSED)) for n, topic in live.items()}
        for name, topic in described.items():
            if isinstance(topic, Failure):
                seen[name] = _Seen(None) if _is_gone(topic) else topic
        return seen

    def _usage_of(self, topics: Mapping[str, LiveTopic]) -> dict[str, Outcome[Usage]]:
        """Who uses each topic and what it holds. A new topic may have no leader yet."""
        if not topics:
            return {}
        counts = {name: topic.partitions for name, topic in topics.items()}
        before = self.admin.contents_of(counts)
        readers = self.admin.readers_of(topics.keys())
        writers = self.admin.writers_of(topics)
        # The second read comes last, so it shows records that arrive during the other reads.
        after = self.admin.contents_of(counts)
        return {name: _usage(before[name], readers[name], writers[name], after[name]) for name in topics}

    def _judge_deletion(
        self, item: TopicDeletion, seen: _Seen, said: Answer | None, late: bool
    ) -> Outcome[None] | Missing[Usage, None]:
        name, used = item.declared.name, seen.usage
        if seen.live is None:
            return None
        if is_accepted(said) or _is_gone(used):
            return outcomes.still_there(name) if late else Missing()
        if isinstance(used, Failure):
            if is_unanswered(used) and not late:
                return Missing()
            why = f"because it could not be checked whether it is in use: {used.message}"
            return Failure(used.kind, f"topic '{name}' is not deleted, {why}")
        reason = why_not_delete(item.declared, item.topic_id, seen.live, used, self.now())
        if reason is not None:
            return Failure(FailureKind.REFUSED, reason)
        return outcomes.still_there(name) if late and said is not None else Missing(used)


def _judge_creation(
    item: TopicCreation, live: Outcome[LiveTopic], said: _Asked | None, late: bool
) -> Outcome[outcomes.Applied] | Missing[DeclaredTopic, outcomes.Applied]:
    declared, answer = item.declared, said.answer if said is not None else None
    if answer is None:
        # It was created, so it must end up in the state, even if the run is cancelled before the cluster shows it.
        made = outcomes.made(declared, live)
        is_equal = isinstance(live, LiveTopic) and not differences(declared, live)
        return made if is_equal or late else Missing(so_far=made)
    if isinstance(live, LiveTopic):
        return outcomes.adopted(declared, live)
    if answer.kind is FailureKind.EXISTS:
        # A broker may report that a topic exists before it can describe it.
        return live if late else Missing()
    # Without an answer, sending again is safe: if the topic was created, the brokers now answer that it exists.
    return answer if late else Missing(declared)


def _usage(
    before: Outcome[TopicContents],
    readers: Outcome[tuple[str, ...]],
    writers: Outcome[tuple[Writer, ...] | None],
    after: Outcome[TopicContents],
) -> Outcome[Usage]:
    if isinstance(readers, Failure):
        return readers
    if isinstance(before, Failure):
        return before
    if isinstance(after, Failure):
        return after
    if isinstance(writers, Failure):
        return writers
    return Usage(readers, after, writers, after.written - before.written)


def _is_gone(answer: object) -> bool:
    return isinstance(answer, Failure) and answer.kind is FailureKind.MISSING

"""The one loop that changes things on a cluster: read, judge, send what is missing, and read again.

A change is done when the cluster shows it, not when a broker accepted it or time has passed. So the next read resolves
a lost answer, and nothing is sent again without a read in between.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from kafka_topology.cluster.attempts import attempts, is_unanswered, until_answered, until_one_answer
from kafka_topology.cluster.outcomes import Failure, FailureKind, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Mapping


class Timed(Protocol):
    """An item of a set, which must be settled by its deadline."""

    @property
    def deadline(self) -> float: ...


Cluster = TypeVar("Cluster")
Key = TypeVar("Key", bound="Hashable")
Item = TypeVar("Item", bound=Timed)
Live = TypeVar("Live")
Said = TypeVar("Said")
Step = TypeVar("Step")
Done = TypeVar("Done")


@dataclass(frozen=True, slots=True)
class Missing(Generic[Step, Done]):
    """An item that is not settled. Without a `step`, the loop waits and reads again.

    `so_far` is its outcome if the run is cancelled now; by default, that it was stopped.
    """

    step: Step | None = None
    so_far: Outcome[Done] | None = None


@dataclass(frozen=True, slots=True)
class Settled(Generic[Done]):
    """An answer that settles an item without another read, such as a refusal."""

    outcome: Outcome[Done]


@dataclass(frozen=True, slots=True)
class Applier(Generic[Cluster]):
    """`pause` waits for some seconds and returns whether to go on: False after the run was cancelled."""

    admin: Cluster
    pause: Callable[[float], bool]
    clock: Callable[[], float] = field(default=time.monotonic)
    patience: float = 60.0  # of reads, in seconds

    def is_late(self, item: Timed) -> bool:
        return self.clock() >= item.deadline

    def each_answer(
        self, names: Iterable[Key], ask: Callable[[Collection[Key]], Mapping[Key, Outcome[Live]]]
    ) -> dict[Key, Outcome[Live]]:
        """Reads each name. Repeats reads without an answer for `patience` seconds."""
        deadline = self.clock() + self.patience
        return until_answered(names, ask, self.pause, lambda _: self.clock() >= deadline)

    def one_answer(self, ask: Callable[[], Outcome[Live]]) -> Outcome[Live]:
        deadline = self.clock() + self.patience
        return until_one_answer(ask, self.pause, lambda: self.clock() >= deadline)

    def until_settled(
        self,
        items: Mapping[Key, Item],
        look: Callable[[Mapping[Key, Item], Mapping[Key, Said]], Mapping[Key, Outcome[Live]]],
        judge: Callable[[Item, Outcome[Live], Said | None, bool], Outcome[Done] | Missing[Step, Done]],
        send: Callable[[Mapping[Key, Step]], Mapping[Key, Said | Settled[Done]]],
        *,
        stopped: Callable[[Key], Outcome[Done]],
        first: Mapping[Key, Step] | None = None,
    ) -> dict[Key, Outcome[Done]]:
        """Reads all pending items, judges each, and sends what is missing, until every item has an outcome.

        `judge` gets the item, the result of `look`, the last answer to a step of the item (None before any), and
        whether its deadline has passed. `look` gets the pending items and those last answers. `first` is sent before
        the first read, for changes that need none. If the run is cancelled, a pending item gets the `so_far` of its
        last verdict, or `stopped`.
        """
        run: _Progress[Key, Item, Said, Step, Done] = _Progress(dict(items))
        if first:
            run.hear(send(first))
        for _ in attempts(run.pending, self.pause):
            steps: dict[Key, Step] = {}
            for key, live in look(run.pending, run.said).items():
                item = run.pending[key]
                verdict = judge(item, live, run.said.get(key), self.is_late(item))
                if (step := run.note(key, verdict)) is not None:
                    steps[key] = step
            if steps:
                run.hear(send(steps))
        run.outcomes.update((key, run.so_far[key] if key in run.so_far else stopped(key)) for key in run.pending)
        return run.outcomes


@dataclass(slots=True)
class _Progress(Generic[Key, Item, Said, Step, Done]):
    """The pending items of one set, with their last answers, and the outcomes of the others."""

    pending: dict[Key, Item]
    outcomes: dict[Key, Outcome[Done]] = field(default_factory=dict)
    said: dict[Key, Said] = field(default_factory=dict)
    so_far: dict[Key, Outcome[Done]] = field(default_factory=dict)

    def hear(self, answers: Mapping[Key, Said | Settled[Done]]) -> None:
        for key, answer in answers.items():
            if isinstance(answer, Settled):
                self._settle(key, answer.outcome)
            else:
                self.said[key] = answer

    def note(self, key: Key, verdict: Outcome[Done] | Missing[Step, Done]) -> Step | None:
        """Takes a verdict. Returns the step to send, if any."""
        if not isinstance(verdict, Missing):
            self._settle(key, verdict)
            return None
        if verdict.so_far is not None:
            self.so_far[key] = verdict.so_far
        return verdict.step

    def _settle(self, key: Key, outcome: Outcome[Done]) -> None:
        self.outcomes[key] = outcome
        del self.pending[key]


def once_read(
    judge: Callable[[Item, Live, Said | None, bool], Outcome[Done] | Missing[Step, Done]],
) -> Callable[[Item, Outcome[Live], Said | None, bool], Outcome[Done] | Missing[Step, Done]]:
    """A judge that only gets successful reads. Unanswered reads are repeated; other failures are final."""

    def judge_if_read(
        item: Item, live: Outcome[Live], said: Said | None, late: bool
    ) -> Outcome[Done] | Missing[Step, Done]:
        if not isinstance(live, Failure):
            return judge(item, live, said, late)
        return live if late or not is_unanswered(live) else Missing()

    return judge_if_read


def cancelled(what: str) -> Failure:
    return Failure(FailureKind.CANCELLED, f"{what}: stopped before it was done.")


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of the brokers to a step: `unanswered` is the failure if there was none, or None if they accepted."""

    unanswered: Failure | None = None


def answers_to(
    outcomes: Mapping[Key, Outcome[None]], accepted: Collection[FailureKind] = ()
) -> dict[Key, Answer | Settled[Done]]:
    """Settles refused items. `accepted` has the kinds of failure that mean that it is done already."""
    heard: dict[Key, Answer | Settled[Done]] = {}
    for key, outcome in outcomes.items():
        if outcome is None or outcome.kind in accepted:
            heard[key] = Answer()
        elif is_unanswered(outcome):
            heard[key] = Answer(outcome)
        else:
            heard[key] = Settled(outcome)
    return heard


def is_accepted(said: Answer | None) -> bool:
    return said is not None and said.unanswered is None

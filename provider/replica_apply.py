"""Changes the replication of sets of topics, by reassignment.

One loop: look at what moves, wait while it does, plan what is still missing, start it. A run that was
killed leaves its reassignment going and its throttles set: the next one finds both, waits, and cleans up.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .attempts import attempts
from .outcomes import Failure, FailureKind, Outcome
from .replica_plan import Movement, bytes_to_move, in_words, plan_movements, throttled, why_impossible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .group_plan import Partition
    from .replica_admin import ReplicaAdmin


@dataclass(frozen=True, slots=True)
class Replication:
    topic: str
    target: int
    deadline: float


@dataclass(frozen=True, slots=True)
class Moved:
    """`unfinished` says what still moves when the deadline has come; `warnings` what went wrong and does no harm."""

    unfinished: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplicaApplier:
    """`rate` is how many bytes a second a broker may send and receive for it; 0 sets no throttle."""

    admin: ReplicaAdmin
    pause: Callable[[float], bool]
    rate: int
    tell: Callable[[str], None] = field(default=lambda _: None)
    clock: Callable[[], float] = field(default=time.monotonic)

    def preview(self, topic: str, target: int) -> Outcome[str]:
        """What would be copied, in words."""
        layout, brokers = self.admin.layouts([topic])[topic], self.admin.brokers()
        if isinstance(layout, Failure):
            return layout
        if isinstance(brokers, Failure):
            return brokers
        refusal = why_impossible(topic, target, brokers)
        if refusal is not None:
            return Failure(FailureKind.REFUSED, refusal)
        movements = plan_movements(layout, brokers, target)
        copies = sum(len(movement.added) for movement in movements.values())
        if not copies:
            return f"topic '{topic}': replicas of {len(movements)} partitions are removed, none is copied."
        sizes = self.admin.sizes({topic: list(layout)})
        if isinstance(sizes, Failure):
            size = f"an unknown size ({sizes.message})"
        else:
            size = in_words(bytes_to_move(movements, {partition: size for (_, partition), size in sizes.items()}))
        rate = f"at most {in_words(self.rate)} a second for each broker" if self.rate else "without a throttle"
        return f"topic '{topic}': {copies} replicas of {len(movements)} partitions are copied, {size} in all, {rate}."

    def move(self, items: Sequence[Replication]) -> list[Outcome[Moved]]:
        pending = {item.topic: item for item in items}
        outcomes: dict[str, Outcome[Moved]] = {}
        left: dict[str, int] = {}
        for _ in attempts(pending, self.pause):
            moving, brokers = self.admin.moving(), self.admin.brokers()
            failure = next((f for f in (moving, brokers) if isinstance(f, Failure)), None)
            if failure is not None or isinstance(moving, Failure) or isinstance(brokers, Failure):
                self._settle(pending, outcomes, failure)
                continue
            starts = self._plan(pending, moving, brokers, outcomes, left)
            done = [name for name, outcome in outcomes.items() if name in pending and not _moves_on(outcome)]
            self._finish(done, outcomes, {p for p in moving if p[0] not in done}, brokers, busy=bool(starts))
            for name in outcomes:
                pending.pop(name, None)
            self._start(starts, outcomes)
        outcomes.update((name, Moved(unfinished=(_STILL_MOVING.format(name=name),))) for name in pending)
        return [outcomes[item.topic] for item in items]

    def _settle(
        self, pending: dict[str, Replication], outcomes: dict[str, Outcome[Moved]], failure: Failure | None
    ) -> None:
        """Nothing could be read: an answer may come yet, unless it was no."""
        for name, item in tuple(pending.items()):
            if failure is not None and (failure.kind is not FailureKind.UNCERTAIN or self.clock() >= item.deadline):
                outcomes[name] = failure
                del pending[name]

    def _plan(
        self,
        pending: Mapping[str, Replication],
        moving: frozenset[Partition],
        brokers: Mapping[int, str | None],
        outcomes: dict[str, Outcome[Moved]],
        left: dict[str, int],
    ) -> dict[str, dict[int, Movement]]:
        """What is to be started. Topics that are done, refused or late get their outcome."""
        starts: dict[str, dict[int, Movement]] = {}
        for name, layout in self.admin.layouts(pending).items():
            item = pending[name]
            late = self.clock() >= item.deadline
            count = sum(topic == name for topic, _ in moving)
            if isinstance(layout, Failure):
                if late or layout.kind is not FailureKind.UNCERTAIN:
                    outcomes[name] = layout
                continue
            refusal = why_impossible(name, item.target, brokers)
            if count:
                if left.get(name) != count:
                    self.tell(f"topic '{name}': {count} of {len(layout)} partitions are still being copied.")
                left[name] = count
                if late:
                    outcomes[name] = Moved(unfinished=(_STILL_MOVING.format(name=name),))
            elif refusal is not None:
                outcomes[name] = Failure(FailureKind.REFUSED, refusal)
            elif movements := plan_movements(layout, brokers, item.target):
                if late:
                    outcomes[name] = Moved(unfinished=(_STILL_MOVING.format(name=name),))
                else:
                    starts[name] = movements
            else:
                outcomes[name] = Moved()
        return starts

    def _finish(
        self,
        done: Sequence[str],
        outcomes: dict[str, Outcome[Moved]],
        others: set[Partition],
        brokers: Mapping[int, str | None],
        *,
        busy: bool,
    ) -> None:
        """Throttles go when nothing moves any more, and every partition is led by its first replica."""
        if not done:
            return
        # While anything else moves, on this cluster, its brokers need their throttles.
        failures = list(self.admin.unthrottle(done, () if others or busy else brokers))
        led = [name for name in done if isinstance(outcomes[name], Moved)]
        layouts = self.admin.layouts(led) if led else {}
        partitions = [(n, p) for n, layout in layouts.items() if not isinstance(layout, Failure) for p in layout]
        if partitions:
            failures += self.admin.elect_preferred(partitions)
        for name in led:
            outcomes[name] = Moved(warnings=tuple(f"topic '{name}': {failure.message}" for failure in failures))

    def _start(self, starts: Mapping[str, dict[int, Movement]], outcomes: dict[str, Outcome[Moved]]) -> None:
        if not starts:
            return
        limits = {name: limit for name, plan in starts.items() if (limit := throttled(plan)) is not None}
        brokers = {b for plan in starts.values() for m in plan.values() if m.added for b in (*m.before, *m.added)}
        if self.rate and limits:
            failures = self.admin.throttle(limits, sorted(brokers), self.rate)
            if any(failure.kind is not FailureKind.UNCERTAIN for failure in failures):
                # Moving without the throttle that was asked for could fill the network: stop here.
                self.admin.unthrottle(limits, sorted(brokers))
                outcomes.update((name, failures[0]) for name in starts)
                return
        wanted = {(name, partition): m.after for name, plan in starts.items() for partition, m in plan.items()}
        answer = self.admin.reassign(wanted)
        if isinstance(answer, Failure):
            if answer.kind is not FailureKind.UNCERTAIN:
                self.admin.unthrottle(starts, sorted(brokers))
                outcomes.update(dict.fromkeys(starts, answer))
            return
        refused = {name: f for (name, _), f in answer.items() if f.kind is not FailureKind.UNCERTAIN}
        outcomes.update(refused)
        if refused:
            self.admin.unthrottle(refused, () if len(refused) < len(starts) else sorted(brokers))


_STILL_MOVING = (
    "topic '{name}': its replicas are still being copied, throttled. Run 'pulumi up' again to wait for the rest; "
    "the throttles are removed then. Give it more time with the resource option customTimeouts."
)


def _moves_on(outcome: Outcome[Moved]) -> bool:
    return isinstance(outcome, Moved) and bool(outcome.unfinished)

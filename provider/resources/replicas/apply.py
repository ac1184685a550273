"""Changes the replication of sets of topics, by reassignment.

A killed run leaves its reassignment running and its throttles set. The next run finds both, waits, and cleans up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from kafka_topology.cluster.attempts import is_unanswered
from kafka_topology.cluster.outcomes import Failure, FailureKind, Outcome

from ..converge import Applier, Missing, Settled
from .admin import ReplicaAdmin
from .plan import Movement, Throttled, brokers_down, bytes_to_move, in_words, plan_movements, throttled, why_impossible
from .throttles import is_ours, marked, removing, setting, slowed_by_us

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from kafka_topology.cluster.live.replicas import Layout


@dataclass(frozen=True, slots=True)
class Replication:
    topic: str
    target: int
    deadline: float


@dataclass(frozen=True, slots=True)
class Moved:
    """`unfinished` says what still moves at the deadline; `warnings` are about harmless failures."""

    unfinished: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Seen:
    """A topic's replicas, how many of its partitions move, and the brokers and moves of the whole cluster."""

    layout: Outcome[Layout]
    moving: int
    brokers: Mapping[int, str | None]
    busy: frozenset[str]  # topics that move, whoever moves them


@dataclass(frozen=True, slots=True)
class _Start:
    movements: Mapping[int, Movement]
    seen: _Seen


@dataclass(frozen=True, slots=True)
class _Finish:
    """Remove our throttles and elect preferred leaders; after that, the outcome is `outcome`."""

    outcome: Outcome[Moved]
    seen: _Seen
    late: bool


_Heard: TypeAlias = dict[str, Settled[Moved]]


@dataclass(frozen=True, slots=True)
class ReplicaApplier(Applier[ReplicaAdmin]):
    """`rate` limits the bytes per second that a broker sends and receives for copies; 0 sets no throttle."""

    rate: int = field(kw_only=True)
    report: Callable[[str], None] = field(default=lambda _: None, kw_only=True)

    def preview(self, topic: str, target: int) -> Outcome[str]:
        """What would be copied, in words."""
        layout = self.one_answer(lambda: self.admin.layouts([topic])[topic])
        brokers = self.one_answer(self.admin.brokers)
        if isinstance(layout, Failure):
            return layout
        if isinstance(brokers, Failure):
            return brokers
        refusal = self._refusal(topic, target, layout, brokers)
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
        rate = f"at most {in_words(marked(self.rate))} a second for each broker" if self.rate else "without a throttle"
        return f"topic '{topic}': {copies} replicas of {len(movements)} partitions are copied, {size} in all, {rate}."

    def _refusal(self, topic: str, target: int, layout: Layout, brokers: Mapping[int, str | None]) -> str | None:
        if target <= len(brokers):
            return None
        return why_impossible(topic, target, brokers, brokers_down(layout, brokers, self.admin.fenced()))

    def move(self, items: Sequence[Replication]) -> list[Outcome[Moved]]:
        ours = {item.topic: item for item in items}
        reported: set[str] = set()

        def report_once(line: str) -> None:
            if line not in reported:
                reported.add(line)
                self.report(line)

        def look(pending: Mapping[str, Replication], _: object) -> dict[str, Outcome[_Seen]]:
            return self._look(pending, report_once)

        def send(steps: Mapping[str, _Start | _Finish]) -> _Heard:
            finishes = {name: step for name, step in steps.items() if isinstance(step, _Finish)}
            starts = {name: step for name, step in steps.items() if isinstance(step, _Start)}
            return self._finish(finishes, ours.keys(), keeps_rates=bool(starts)) | self._start(
                starts, ours.keys(), report_once
            )

        outcomes = self.until_settled(ours, look, self._judge, send, stopped=_still_moving)
        return [outcomes[item.topic] for item in items]

    def _look(self, pending: Mapping[str, Replication], report: Callable[[str], None]) -> dict[str, Outcome[_Seen]]:
        moving, brokers = self.admin.moving(), self.admin.brokers()
        if isinstance(moving, Failure):
            return dict.fromkeys(pending, moving)
        if isinstance(brokers, Failure):
            return dict.fromkeys(pending, brokers)
        busy = frozenset(topic for topic, _ in moving)
        seen: dict[str, Outcome[_Seen]] = {}
        for name, layout in self.admin.layouts(pending.keys()).items():
            count = sum(topic == name for topic, _ in moving)
            if count and not isinstance(layout, Failure):
                report(f"topic '{name}': {count} of {len(layout)} partitions are still being copied.")
            seen[name] = _Seen(layout, count, brokers, busy)
        return seen

    def _judge(
        self, item: Replication, seen: Outcome[_Seen], _: object, late: bool
    ) -> Outcome[Moved] | Missing[_Start | _Finish, Moved]:
        if isinstance(seen, Failure):
            return seen if late or not is_unanswered(seen) else Missing()
        if isinstance(seen.layout, Failure):
            is_final = late or not is_unanswered(seen.layout)
            return Missing(_Finish(seen.layout, seen, late)) if is_final else Missing()
        if seen.moving:
            return _still_moving(item.topic) if late else Missing()
        refusal = self._refusal(item.topic, item.target, seen.layout, seen.brokers)
        if refusal is not None:
            return Missing(_Finish(Failure(FailureKind.REFUSED, refusal), seen, late))
        movements = plan_movements(seen.layout, seen.brokers, item.target)
        if not movements:
            return Missing(_Finish(Moved(), seen, late))
        return Moved(unfinished=(_NOT_STARTED.format(name=item.topic),)) if late else Missing(_Start(movements, seen))

    def _finish(self, finishes: Mapping[str, _Finish], ours: AbstractSet[str], *, keeps_rates: bool) -> _Heard:
        """Removes our throttles once nothing of ours moves any more, and elects preferred leaders.

        If the throttles get no answer, topics stay pending until their deadlines.
        """
        if not finishes:
            return {}
        seen = next(iter(finishes.values())).seen
        busy = seen.busy - finishes.keys()
        keeps_rates = keeps_rates or bool(busy & ours)
        failures = self._unthrottle(finishes, seen.brokers, busy - ours, keeps_rates=keeps_rates)
        is_unsettled = any(map(is_unanswered, failures))
        settled = {name: step for name, step in finishes.items() if step.late or not is_unsettled}
        led = [name for name, step in settled.items() if isinstance(step.outcome, Moved)]
        layouts = self.admin.layouts(led) if led else {}
        partitions = [(n, p) for n, layout in layouts.items() if not isinstance(layout, Failure) for p in layout]
        if partitions:
            failures += self.admin.elect_preferred(partitions)
        heard: _Heard = {name: Settled(step.outcome) for name, step in settled.items()}
        for name in led:
            heard[name] = Settled(Moved(warnings=tuple(f"topic '{name}': {failure.message}" for failure in failures)))
        return heard

    def _unthrottle(
        self, topics: Collection[str], brokers: Collection[int], others: Collection[str], *, keeps_rates: bool = False
    ) -> list[Failure]:
        """Keeps the rates while topics of this run move, or topics with the marks of another run of ours."""
        live = self.admin.throttles([*topics, *others], [] if keeps_rates else sorted(brokers))
        if isinstance(live, Failure):
            return [live]
        keeps_rates = keeps_rates or any(is_ours(live, name) for name in others)
        return list(self.admin.set_throttles(removing(live, topics, () if keeps_rates else brokers)))

    def _start(self, starts: Mapping[str, _Start], ours: AbstractSet[str], report: Callable[[str], None]) -> _Heard:
        """Settles refused topics. Topics that cannot start yet stay pending, and `report` gets the reason."""
        if not starts:
            return {}
        plans = {name: start.movements for name, start in starts.items()}
        others = next(iter(starts.values())).seen.busy - ours
        limits = {name: limit for name, plan in plans.items() if (limit := throttled(plan)) is not None}
        brokers = {b for plan in plans.values() for m in plan.values() if m.added for b in (*m.before, *m.added)}
        if self.rate and limits:
            failure = self._throttle(limits, brokers, others)
            if failure is not None:
                if is_unanswered(failure):
                    report(failure.message)
                    return {}
                # Moving without the configured throttle could saturate the network: stop here.
                self._unthrottle(limits, brokers, others)
                return {name: Settled(failure) for name in starts}
        wanted = {(name, partition): m.after for name, plan in plans.items() for partition, m in plan.items()}
        answer = self.admin.reassign(wanted)
        if isinstance(answer, Failure):
            if is_unanswered(answer):
                return {}
            self._unthrottle(starts, brokers, others)
            return {name: Settled(answer) for name in starts}
        refused = {name: f for (name, _), f in answer.items() if not is_unanswered(f)}
        if refused:
            self._unthrottle(refused, brokers, others, keeps_rates=len(refused) < len(starts))
        return {name: Settled(failure) for name, failure in refused.items()}

    def _throttle(
        self, limits: Mapping[str, Throttled], brokers: Collection[int], others: Collection[str]
    ) -> Failure | None:
        """Sets the throttles. A failure says why copying must not start yet, or at all."""
        live = self.admin.throttles([*limits, *others], sorted(brokers))
        if isinstance(live, Failure):
            return live
        slowed = slowed_by_us(live, others, brokers)
        if slowed:
            return Failure(FailureKind.UNCERTAIN, _WAITS.format(name=next(iter(limits)), other=slowed[0]))
        is_shared = any(is_ours(live, name) for name in others)
        failures = self.admin.set_throttles(setting(live, limits, brokers, self.rate, keep_ours=is_shared))
        return next((f for f in failures if not is_unanswered(f)), next(iter(failures), None))


_STILL_MOVING = (
    "topic '{name}': its replicas are still being copied, throttled. Run 'pulumi up' again to wait for the rest; "
    "the throttles are removed then. Give it more time with the resource option customTimeouts."
)

_WAITS = "topic '{name}': waiting until topic '{other}' is copied: a throttle of ours would slow that down."
_NOT_STARTED = (
    "topic '{name}': its replicas could not be copied yet. Run 'pulumi up' again, or give it more time with the "
    "resource option customTimeouts."
)


def _still_moving(name: str) -> Moved:
    return Moved(unfinished=(_STILL_MOVING.format(name=name),))

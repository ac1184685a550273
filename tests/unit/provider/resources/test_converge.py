"""The loop that every kind changes a cluster by: what it sends, when it looks, and what it answers at the end."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.provider.resources.converge import (
    Answer,
    Applier,
    Missing,
    Settled,
    answers_to,
    cancelled,
    is_accepted,
    once_read,
)

LOST = Failure(FailureKind.UNCERTAIN, "no answer")
DENIED = Failure(FailureKind.DENIED, "not allowed")


@dataclass(frozen=True)
class Wanted:
    value: int
    deadline: float = 10


@dataclass
class Values:
    """Keeps a number for each name. Everything that happens is written down, in its order."""

    live: dict[str, int] = field(default_factory=dict)
    looks: list[dict] = field(default_factory=list)  # what the next looks show instead
    answers: dict[str, list] = field(default_factory=dict)  # what the next steps are answered
    stale: int = 0  # so many looks until a change can be seen
    log: list = field(default_factory=list)

    def look(self, pending, _said):
        self.log.append(("look", sorted(pending)))
        if self.looks:
            return {name: self.looks.pop(0).get(name, 0) for name in pending}
        self.stale -= 1
        return {name: 0 if self.stale >= 0 else self.live.get(name, 0) for name in pending}

    def send(self, steps):
        self.log.append(("send", dict(steps)))
        said = {}
        for name, value in steps.items():
            answer = self.answers.get(name, [None]).pop(0) if self.answers.get(name) else None
            if answer is None:
                self.live[name] = value
            said[name] = answer
        return answers_to(said)


def judge(item, live, said, late):
    if live == item.value:
        return live
    if late:
        return Failure(FailureKind.UNCERTAIN, "late")
    return Missing(None if is_accepted(said) else item.value)


def settle(values, items, *, cancelled_after=1000, judge=judge, first=None):
    now = [0]

    def pause(_seconds):
        now[0] += 1
        return now[0] < cancelled_after

    applier = Applier(values, pause, clock=lambda: now[0])
    return applier.until_settled(items, values.look, once_read(judge), values.send, stopped=cancelled, first=first)


def test_what_is_there_already_is_not_sent():
    values = Values({"a": 1})
    assert settle(values, {"a": Wanted(1)}) == {"a": 1}
    assert values.log == [("look", ["a"])]


def test_a_set_goes_in_one_request_and_is_done_when_it_shows():
    values = Values({"a": 1}, stale=3)
    assert settle(values, {"a": Wanted(2), "b": Wanted(3)}) == {"a": 2, "b": 3}
    assert [entry for entry in values.log if entry[0] == "send"] == [("send", {"a": 2, "b": 3})]
    assert values.log[-1] == ("look", ["a", "b"])


def test_without_an_answer_it_looks_before_it_sends_again():
    values = Values(answers={"a": [LOST, LOST, None]})
    assert settle(values, {"a": Wanted(1)}) == {"a": 1}
    assert values.log == [("look", ["a"]), ("send", {"a": 1})] * 3 + [("look", ["a"])]


def test_a_lost_answer_to_what_was_done_is_resolved_by_the_look():
    values = Values(answers={"a": [LOST]})
    values.looks = [{"a": 0}, {"a": 1}]
    assert settle(values, {"a": Wanted(1)}) == {"a": 1}
    assert sum(what == "send" for what, _ in values.log) == 1


def test_a_refusal_settles_its_item_at_once_and_the_others_go_on():
    values = Values(answers={"a": [DENIED]}, stale=2)
    assert settle(values, {"a": Wanted(1), "b": Wanted(1)}) == {"a": DENIED, "b": 1}
    assert values.log[2:] == [("look", ["b"])] * 2


def test_an_unanswered_look_is_repeated_and_another_failure_is_final():
    values = Values({"a": 1}, looks=[{"a": LOST}, {"a": LOST}])
    assert settle(values, {"a": Wanted(1)}) == {"a": 1}
    assert settle(Values(looks=[{"a": DENIED}]), {"a": Wanted(1)}) == {"a": DENIED}
    lost = Values(looks=[{"a": LOST}] * 100)
    assert settle(lost, {"a": Wanted(1)}) == {"a": LOST}
    assert ("send", {"a": 1}) not in lost.log


def test_the_last_answer_is_remembered_over_a_look_that_got_none():
    values = Values(looks=[{"a": 0}, {"a": LOST}, {"a": 0}, {"a": 1}])
    assert settle(values, {"a": Wanted(1)}) == {"a": 1}
    assert sum(what == "send" for what, _ in values.log) == 1


def test_each_item_has_its_own_deadline():
    values = Values(looks=[{}] * 100)
    assert settle(values, {"a": Wanted(1, deadline=3)}) == {"a": Failure(FailureKind.UNCERTAIN, "late")}
    assert sum(what == "look" for what, _ in values.log) == 4


def test_a_cancelled_run_answers_with_what_is_known_so_far():
    def with_so_far(item, live, said, late):
        verdict = judge(item, live, said, late)
        return Missing(verdict.step, so_far=live) if isinstance(verdict, Missing) and said else verdict

    stopped = settle(Values(stale=100), {"a": Wanted(1)}, cancelled_after=1)
    assert stopped == {"a": Failure(FailureKind.CANCELLED, "a: stopped before it was done.")}
    assert settle(Values(stale=100), {"a": Wanted(1)}, cancelled_after=3, judge=with_so_far) == {"a": 0}


def test_what_needs_no_look_is_sent_first():
    values = Values(answers={"b": [DENIED]})
    assert settle(values, {"a": Wanted(1), "b": Wanted(1)}, first={"a": 1, "b": 1}) == {"a": 1, "b": DENIED}
    assert values.log == [("send", {"a": 1, "b": 1}), ("look", ["a"])]


@pytest.mark.parametrize(
    ("outcome", "heard"),
    [
        (None, Answer()),
        (LOST, Answer(LOST)),
        (DENIED, Settled(DENIED)),
        (Failure(FailureKind.MISSING, "gone"), Answer()),
    ],
)
def test_answers(outcome, heard):
    assert answers_to({"a": outcome}, accepted={FailureKind.MISSING}) == {"a": heard}

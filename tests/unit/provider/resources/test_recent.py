"""A look is shared for a moment, until something changes."""

from __future__ import annotations

from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.provider.resources.recent import Recent


def test_a_look_serves_for_a_moment_and_until_a_change():
    now, looks = [0.0], iter(range(10))
    recent = Recent(lambda: next(looks), clock=lambda: now[0])
    assert [recent(), recent()] == [0, 0]
    recent.forget()
    assert [recent(), recent()] == [1, 1]
    now[0] = 1.5
    assert recent() == 2


def test_a_failure_is_not_kept_and_a_change_during_a_look_makes_it_old():
    failure = Failure(FailureKind.UNCERTAIN, "no answer")
    answers = [failure, 1, 2]

    def look():
        recent.forget()
        return answers.pop(0)

    recent = Recent(look, clock=lambda: 0.0)
    assert [recent(), recent(), recent()] == [failure, 1, 2]

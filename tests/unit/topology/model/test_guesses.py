"""Guesses of what was meant: cheap enough for thousands of unknown names, and never the reason for a silent rule."""

from __future__ import annotations

import pytest

from kafka_topology.topology.model.words import TooManyNames, did_you_mean, fresh_guesses, meant, one_edit_away

KNOWN = [f"{word}.{number}" for word in ("retention", "segment", "compression") for number in range(100)]


@pytest.fixture(autouse=True)
def fresh():
    fresh_guesses()
    yield
    fresh_guesses()


def test_hints_end_after_many_unknown_names_and_start_again_with_the_next_load():
    hints = [did_you_mean(f"retentoin.{number}", KNOWN) for number in range(1000)]
    assert hints[0]
    assert hints[-1] == ""
    fresh_guesses()
    assert did_you_mean("retentoin.999", KNOWN)


def test_the_same_question_costs_nothing():
    assert len({did_you_mean("retentoin.5", KNOWN) for _ in range(100_000)}) == 1


def test_ids_are_guessed_within_the_same_effort():
    ids = [f"KT{number}" for number in range(100, 999)]
    assert one_edit_away("KT1011", ids) == "did you mean `KT101`?"
    for number in range(20_000):
        one_edit_away(f"KTX{number}", ids)
    assert one_edit_away("KT1022", ids) == ""


def test_a_guess_that_decides_is_never_left_out_silently():
    assert meant("retentoin.5", KNOWN) == "retention.5"
    unknown = (f"retentoin.{number}" for number in range(100_000))
    with pytest.raises(TooManyNames):
        any(meant(name, KNOWN) is None for name in unknown)

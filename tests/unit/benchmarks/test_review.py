"""A review costs little more than validating both versions. `make bench` measures it; this notices when it is lost."""

from __future__ import annotations

import pytest
import review

# The promise is 1.5 at 1,000 topics, on a quiet machine.
GENEROUS = 2.0
CHANGE = "every name"  # the change that costs most


def test_a_review_takes_at_most_twice_as_long_as_validating_both_versions(monkeypatch):
    monkeypatch.setattr(review, "CHANGES", {CHANGE: review.CHANGES[CHANGE]})
    (goal,) = review.measure(300, 2, with_environment=False)
    assert 0 < goal.measured < GENEROUS


def test_a_command_that_fails_is_no_measurement(tmp_path):
    with pytest.raises(SystemExit, match="ended with 2"):
        review.Repository(tmp_path).seconds("validate", "missing.yaml")

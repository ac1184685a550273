"""The state says which version wrote a resource; an older plugin changes nothing of a newer one."""

from __future__ import annotations

import pytest

from kafka_topology import __version__
from kafka_topology.provider.plugin.versions import WRITTEN_BY, marked, marked_as_before, readable
from kafka_topology.provider.resources.base import Old, OperationError, State

INPUTS = {"name": "t", "partitions": 1}


def old(version=None):
    return Old("t", INPUTS, {**INPUTS, **({} if version is None else {WRITTEN_BY: version})})


@pytest.mark.parametrize("written", [None, "0.0.9", "0.4.0", "0.5.0", "0.5.7", "v1", "nonsense", "0.5.1-rc.1+x"])
def test_states_of_this_version_and_of_older_ones_are_read(written):
    assert readable(old(written), "topic 't'", "0.5.0") == Old("t", INPUTS, INPUTS)


@pytest.mark.parametrize("written", ["0.6.0", "0.10.0", "1.0.0", "0.6.0-rc.1"])
def test_a_state_of_a_newer_version_is_refused_with_the_reason(written):
    with pytest.raises(OperationError) as refused:
        readable(old(written), "topic 't'", "0.5.3")
    assert refused.value.failure.message == (
        f"topic 't': kafka-topology {written} wrote this resource into the state, and this plugin is 0.5.3."
        f" Nothing was changed. Install kafka-topology {written} or newer, and run this again."
    )


def test_writing_marks_a_resource_and_looking_at_it_does_not():
    state = State("t", INPUTS, INPUTS)
    assert marked(state).properties == {**INPUTS, WRITTEN_BY: __version__}
    assert marked_as_before(state, old()).properties == INPUTS
    assert marked_as_before(state, Old("t", {}, {})).properties == {**INPUTS, WRITTEN_BY: __version__}  # an import
    assert marked_as_before(state, old("0.0.1")).properties == {**INPUTS, WRITTEN_BY: "0.0.1"}

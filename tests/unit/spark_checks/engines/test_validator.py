"""JSON Schema judged in a worker's function, without Spark."""

from __future__ import annotations

import json

import pytest

from kafka_topology.spark_checks.conditions.record import Outcome
from kafka_topology.spark_checks.conditions.schemas import JsonSchema
from kafka_topology.spark_checks.engines.validator import _judge


@pytest.mark.parametrize(
    ("schema", "value", "outcome"),
    [
        ({"maximum": 10}, b"10.0000000000000000000001", Outcome.BREAKS_SCHEMA),
        ({"maximum": 10}, b"10.0", Outcome.FINE),
        ({"type": "integer"}, b"0.99999999999999999999999999", Outcome.BREAKS_SCHEMA),
        ({"type": "integer"}, b"1e400", Outcome.FINE),
        ({"type": "integer"}, b"1.0", Outcome.FINE),
        ({"type": "number"}, b"NaN", Outcome.UNREADABLE),
        ({"multipleOf": 0.01}, b"1.10", Outcome.FINE),
        ({"enum": [1]}, b"1.0", Outcome.FINE),
    ],
)
def test_numbers_are_judged_as_they_are_written(schema: dict[str, object], value: bytes, outcome: Outcome) -> None:
    judge = _judge(JsonSchema("memory:a", (("memory:a", json.dumps(schema)),)))
    assert judge(value) == outcome

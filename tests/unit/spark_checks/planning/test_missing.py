"""Which columns a condition reads."""

from __future__ import annotations

from kafka_topology.spark_checks.conditions.record import Behind, HeaderMissing, NullKey, NumberField
from kafka_topology.spark_checks.planning.missing import OPTIONAL, columns_of


def test_an_unknown_condition_needs_every_column() -> None:
    """Safe, if more than needed: a new condition need not be listed."""

    class Other:
        pass

    assert columns_of(Other()) == set(OPTIONAL)  # type: ignore[arg-type]
    assert columns_of(NullKey()) == {"key"}
    assert columns_of(Behind(NumberField(("n",)), "key")) == {"key", "value"}
    assert columns_of(HeaderMissing(("a",))) == {"headers"}

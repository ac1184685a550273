"""How fields of a value are named."""

from __future__ import annotations

import pytest

from kafka_topology.topology.model.field_paths import field_path


@pytest.mark.parametrize(
    ("field", "path"),
    [
        ("id", ("id",)),
        ("order.id", ("order", "id")),
        (r"order\.id", ("order.id",)),
        (r"a\.b.c\\.d", ("a.b", "c\\", "d")),
        (r"a\b", (r"a\b",)),
        ("it's", ("it's",)),
        ("a..b", ("a", "", "b")),
        ("end\\", ("end\\",)),
    ],
)
def test_dots_lead_into_objects_unless_escaped(field: str, path: tuple[str, ...]) -> None:
    assert field_path(field) == path

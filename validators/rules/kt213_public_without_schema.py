from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..rule import Bad, Context, Problem, Rule

WITHOUT_SCHEMA = ("string", "bytes")  # formats that no schema describes


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if topic.visibility != "public":
            continue
        value = topic.value
        if value is not None and (value.schema is not None or value.format in WITHOUT_SCHEMA):
            continue
        found = "no value is declared" if value is None else f"value is {value.format} without a schema"
        yield Problem(
            f"{topic.name}: it is public and {found}; expected a schema",
            topic.place() if value is None else topic.place("value"),
            topic.name,
            "add the schema, such as `value: {format: json, schema: schemas/order.schema.json}`",
        )


RULE = Rule(
    id="KT213",
    name="public-without-schema",
    severity=Severity.WARNING,
    summary="A public topic whose values have no declared schema.",
    why="""\
Teams that read a public topic know nothing of its producer's code. Without a schema they find out what the records hold
when they break, and records of another kind get in unseen.""",
    fix="Declare `value` with its format and schema. Text and bytes have no schema: then declare that format.",
    requirements=("R14",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
    visibility: public
    value: {format: json, schema: order.schema.json}
  clicks: {partitions: 6, replication: 3, visibility: private}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
    visibility: public
""",
            line=3,
            column=3,
        ),
        Bad(
            """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
    visibility: public
    value:
      format: avro
""",
            line=7,
            column=5,
        ),
    ),
)

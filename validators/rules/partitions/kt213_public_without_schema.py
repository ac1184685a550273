from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS_BLOCK
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT213: public-without-schema

The values of a public topic have no declared schema.

Teams that read a public topic do not know its producer's code. Without a schema they learn what the records contain
when they break on one, and records of another kind slip in unnoticed.

Fix: Declare `value` with its format and schema. Text and bytes have no schema: declare that format.
"""

WITHOUT_SCHEMA = ("string", "bytes")  # formats that no schema describes


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if topic.visibility != "public":
            continue
        value = topic.value
        if value is not None and (value.schema is not None or value.format in WITHOUT_SCHEMA):
            continue
        found = "no value is declared" if value is None else f"its value is {value.format} without a schema"
        yield Problem(
            f"{topic.name}: the topic is public, but {found}; expected a schema",
            topic.place() if value is None else topic.place("value"),
            topic.name,
            "add the schema, such as `value: {format: json, schema: schemas/order.schema.json}`",
        )


GOOD = (
    ORDERS_BLOCK
    + """\
    visibility: public
    value: {format: json, schema: order.schema.json}
  clicks: {partitions: 6, replication: 3, visibility: private}
""",
)
BAD = (
    Bad(ORDERS_BLOCK + "    visibility: public\n", line=3, column=3),
    Bad(ORDERS_BLOCK + "    visibility: public\n    value:\n      format: avro\n", line=7, column=5),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R14",))

from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import kafka_true
from kafka_topology.validators.engine.examples import ORDERS_BLOCK
from kafka_topology.validators.engine.rule import Bad, Context, Option, Problem, rule

DOCS = """\
# KT213: public-without-schema

The values of a public topic have no declared schema.

Teams that read a public topic do not know its producer's code. Without a schema they learn what the records contain
when they break on one, and records of another kind slip in unnoticed. If a client of the topic sets
`schema.registry.url` or another setting of a schema registry, or the brokers validate its schema
(`confluent.value.schema.validation`), the registry has the schema, and the rule reports nothing.

Fix: Declare `value` with its format and schema. Text and bytes have no schema: declare that format. If a registry holds
the schemas of clients that do not declare it, set the option `registry`.
"""

WITHOUT_SCHEMA = ("string", "bytes")  # formats that no schema describes
BROKER_VALIDATION = "confluent.value.schema.validation"
# In settings of Confluent's and Apicurio's serializers, also with a prefix of Kafka Streams.
OF_REGISTRIES = ("schema.registry.", "apicurio.registry.")


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if topic.visibility != "public":
            continue
        value = topic.value
        if value is not None and (value.schema is not None or value.format in WITHOUT_SCHEMA):
            continue
        if _is_registered(context, topic):
            continue
        found = "no value is declared" if value is None else f"its value is {value.format} without a schema"
        yield Problem(
            f"{topic.name}: the topic is public, but {found}; expected a schema",
            topic.place() if value is None else topic.place("value"),
            topic.name,
            "add the schema, such as `value: {format: json, schema: schemas/order.schema.json}`",
        )


def _is_registered(context: Context, topic: Topic) -> bool:
    """Whether a schema registry has the schema: somebody who uses the topic, or the brokers, ask one for it."""
    if context.options["registry"] or kafka_true(topic.config.get(BROKER_VALIDATION)):
        return True
    users = context.index.clients.users_of(topic.name)
    return any(part in name for client in users for name in client.declared.config for part in OF_REGISTRIES)


OPTIONS = (Option("registry", False, "Whether a schema registry has the schemas of all public topics."),)
GOOD = (
    ORDERS_BLOCK
    + """\
    visibility: public
    value: {format: json, schema: order.schema.json}
  clicks: {partitions: 6, replication: 3, visibility: private}
""",
    ORDERS_BLOCK
    + """\
    visibility: public
    value: {format: avro}
producers:
  checkout: {topics: [orders], config: {schema.registry.url: "https://schemas"}}
""",
    ORDERS_BLOCK + "    visibility: public\n    value: {format: protobuf}\nrules:\n  KT213: {registry: true}\n",
)
BAD = (
    Bad(ORDERS_BLOCK + "    visibility: public\n", line=3, column=3),
    Bad(ORDERS_BLOCK + "    visibility: public\n    value:\n      format: avro\n", line=7, column=5),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, options=OPTIONS, requirements=("R14",))

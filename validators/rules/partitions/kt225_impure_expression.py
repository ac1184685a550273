from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.language.expressions import ImpureExpression, pure_sql
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import orders_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT225: impure-expression

A partitioner's expression does more than compute a number from the key.

Spark SQL can read files and environment variables, call Java and load native code. An expression that arrives with a
pull request would do so with the rights of the job that checks records, so `kafka-topology check` does not run it:
placement could not be checked, with exit code 3.

Fix: Use the columns `key`, `key_text`, `partitions` and `timestamp`, operators, and the functions that
[the language allows](../language.md#keys). If you trust the files as you trust code, ignore this rule, and run
`kafka-topology check --allow-expression`.
"""


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if topic.key is None or topic.key.partitioner.expression is None:
            continue
        try:
            pure_sql(topic.key.partitioner.expression)
        except ImpureExpression as error:
            yield Problem(
                f"{topic.name}: the expression of key.partitioner is not run by `kafka-topology check`: {error}",
                topic.place("key", "partitioner"),
                topic.name,
                "compute the partition with the allowed functions only",
            )


GOOD = (orders_with('key: {type: string, partitioner: {expression: "crc32(key) % partitions"}}'),)
BAD = (
    Bad(
        orders_with(
            "key: {type: string, partitioner: {expression: \"length(reflect('java.lang.System', 'getenv', 'HOME'))\"}}"
        ),
        line=3,
        column=76,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R10",))

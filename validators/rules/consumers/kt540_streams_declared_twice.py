from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import StreamsApplication
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.units import kafka_integer
from kafka_topology.validators.engine.examples import ORDERS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT540: streams-declared-twice

A streams application's `threads` or `internalTopics` says something else than its config.

`threads` is `num.stream.threads`, and `internalTopics.replication` is `replication.factor`. If both are written and
differ, the application runs with the config, while audits and capacity use the fields.

Fix: Remove the setting from `config`; `kafka-topology clients` prints it from the field.
"""


def check(context: Context) -> Iterator[Problem]:
    for application in context.topology.streams.values():
        internal = application.internal_topics
        replication = internal.replication if internal is not None else None
        yield from _compared(application, ("threads",), application.threads, "num.stream.threads")
        yield from _compared(application, ("internalTopics", "replication"), replication, "replication.factor")


def _compared(
    application: StreamsApplication, path: tuple[str, ...], declared: int | None, setting: str
) -> Iterator[Problem]:
    configured = kafka_integer(application.config.get(setting, ""))
    if declared is None or configured is None or declared == configured:
        return
    yield Problem(
        f"{application.name}: {setting} is {configured}, but {'.'.join(path)} is {declared}; expected {declared}",
        application.place("config", setting),
        application.name,
        f"remove {setting} from the config, or make the two agree",
        related=(Related(application.place(*path).location, f"{declared} here"),),
    )


EXAMPLE = (
    ORDERS
    + """\
streams:
  summing: {reads: [orders], threads: 2, internalTopics: {replication: 3}, config: {replication.factor: 3}}
"""
)
GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"replication.factor: 3": "replication.factor: 1"}), line=5, column=105),
    Bad(changed(EXAMPLE, {"replication.factor: 3": "num.stream.threads: 4"}), line=5, column=105),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R17",))

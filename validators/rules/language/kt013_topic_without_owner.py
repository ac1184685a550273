from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS_BLOCK, inheriting
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT013: topic-without-owner

A topic has no owner.

When records go missing or a format has to change, people need to know whom to ask. The owner also decides who may
use a private topic.

Fix: Add `owner:` with the team's name to the topic or its profile.
"""


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if not topic.owner:
            yield Problem(
                f"{topic.name}: no owner is declared; expected the team responsible for the topic",
                topic.place(),
                topic.name,
                "add `owner:` to the topic or its profile",
            )


GOOD = (inheriting("owner: checkout, replication: 3"),)
BAD = (Bad(ORDERS_BLOCK, line=3, column=3),)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD)

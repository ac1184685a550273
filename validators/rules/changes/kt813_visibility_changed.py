from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, ORDERS_BLOCK, changed, orders_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT813: visibility-changed

A topic becomes public or private.

A public topic is a promise to people you do not know: you can no longer change its name, key and schema at will, and
its content is for everyone. Making it private again breaks everyone who relied on it.

Fix: Ask the topic's owner and its readers to approve the change.
"""

_EFFECT = {
    "public": (
        "other teams may read it from now on",
        "make sure that it contains nothing private, and that it has a schema",
    ),
    "private": (
        "its readers in other teams lose their access",
        "ask its readers first, and move them to another topic",
    ),
}


def check(context: Context) -> Iterator[Problem]:
    for old, new in context.changes.topics:
        if old.visibility == new.visibility:
            continue
        effect, fix = _EFFECT[new.visibility]
        yield Problem(
            f"{new.name}: visibility goes from {old.visibility} to {new.visibility}, so {effect}; expected"
            f" {old.visibility}, unless this is intended",
            new.place("visibility"),
            new.name,
            fix,
        )


BEFORE = orders_with("visibility: public")

GOOD = (changed(BEFORE, {"partitions: 6": "partitions: 12"}),)
BAD = (
    Bad(changed(BEFORE, {"visibility: public": "visibility: private"}), line=3, column=55),
    Bad(ORDERS_BLOCK, line=3, column=3),
    Bad(BEFORE, line=3, column=55, before=ORDERS),
)

RULE = rule(
    DOCS, Severity.WARNING, check, GOOD, BAD, before=BEFORE, changed=("topic.visibility",), requirements=("R15",)
)

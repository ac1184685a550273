from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kafka_topology.topology.model.declared import Declared
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import SHOP_ORDERS
from kafka_topology.validators.engine.rule import Bad, Context, Option, Problem, rule

DOCS = """\
# KT012: name-against-convention

A name does not follow the team's convention.

You cannot change names later, and prefixed ACLs and quotas rely on them. This rule is off until you set a
convention.

Fix: Rename the resource before you create it, or change the convention.
"""


def check(context: Context) -> Iterator[Problem]:
    yield from _names(context, "topics", "topic", context.topology.topics)
    yield from _names(context, "groups", "group", context.topology.consumer_groups)
    yield from _names(context, "groups", "share group", context.topology.share_groups)
    yield from _names(context, "groups", "application", context.topology.streams)


def _names(context: Context, option: str, what: str, named: Mapping[str, Declared]) -> Iterator[Problem]:
    pattern = context.text(option)
    if not pattern:
        return
    try:
        fits = re.compile(pattern).fullmatch
    except re.error as error:
        setting = context.topology.rules[RULE.id]
        yield Problem(
            f"{RULE.id}: option {option} is `{pattern}`, which is not a regular expression: {error}; expected"
            " a valid one",
            setting.place(option),
            RULE.id,
            "correct the regular expression",
        )
        return
    for name, declared in named.items():
        if not fits(name):
            yield Problem(
                f"{name}: the name of the {what} does not follow the convention; expected `{pattern}`",
                declared.name_place(),
                name,
                "rename it before you create it, or change the convention",
            )


OPTIONS = (
    Option("topics", r"[a-z][a-z0-9-]*(\.[a-z0-9-]+)+", "Pattern that the whole name of a topic must match."),
    Option(
        "groups",
        "",
        "Pattern that the whole id of a group, share group or Streams application must match; empty accepts any id.",
    ),
)
GOOD = (
    SHOP_ORDERS + "rules:\n  KT012: {severity: warning, topics: 'shop\\.[a-z]+'}\n",
    "version: 1\ntopics:\n  Orders: {partitions: 6, replication: 3}\n",
)
BAD = (
    Bad(
        """\
version: 1
topics:
  shop.Orders:
    partitions: 6
    replication: 3
rules:
  KT012: {severity: warning, topics: 'shop\\.[a-z]+'}
""",
        line=3,
        column=3,
    ),
    Bad(
        SHOP_ORDERS
        + """\
consumerGroups:
  billing:
    topics: [shop.orders]
rules:
  KT012: {severity: warning, groups: 'shop\\..+'}
""",
        line=5,
        column=3,
    ),
    Bad(SHOP_ORDERS + "rules:\n  KT012:\n    severity: warning\n    topics: 'shop.('\n", line=7, column=13),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, options=OPTIONS, enabled=False)

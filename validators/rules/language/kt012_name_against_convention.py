from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ...topology.findings import Severity
from ...topology.model import Declared
from ..rule import Bad, Context, Option, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    yield from _names(context, "topics", "topic", context.topology.topics)
    yield from _names(context, "groups", "group", context.topology.consumer_groups)
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
            f"{RULE.id}: option {option} is not a regular expression: {error}; found `{pattern}`",
            setting.place(option),
            RULE.id,
            "mend the expression",
        )
        return
    for name, declared in named.items():
        if not fits(name):
            yield Problem(
                f"{name}: the {what}'s name does not follow the convention; expected `{pattern}`",
                declared.place(),
                name,
                "rename it before it is created, or change the convention",
            )


RULE = Rule(
    id="KT012",
    name="name-against-convention",
    severity=Severity.WARNING,
    enabled=False,
    summary="A name that does not follow the team's convention.",
    why="""\
Names cannot be changed later, and prefixed access rules and quotas rely on them. This rule is off until a convention is
given.""",
    fix="Rename the resource before it is created, or change the convention.",
    options=(
        Option("topics", r"[a-z][a-z0-9-]*(\.[a-z0-9-]+)+", "What the whole name of a topic must match."),
        Option("groups", "", "What the whole id of a group or Streams application must match; empty: anything."),
    ),
    check=check,
    good=(
        """\
version: 1
topics:
  shop.orders: {partitions: 6, replication: 3}
rules:
  KT012: {severity: warning, topics: 'shop\\.[a-z]+'}
""",
        "version: 1\ntopics:\n  Orders: {partitions: 6, replication: 3}\n",
    ),
    bad=(
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
            """\
version: 1
topics:
  shop.orders: {partitions: 6, replication: 3}
consumerGroups:
  billing:
    topics: [shop.orders]
rules:
  KT012: {severity: warning, groups: 'shop\\..+'}
""",
            line=5,
            column=3,
        ),
        Bad(
            """\
version: 1
topics:
  shop.orders: {partitions: 6, replication: 3}
rules:
  KT012:
    severity: warning
    topics: 'shop.('
""",
            line=7,
            column=13,
        ),
    ),
)

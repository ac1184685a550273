from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kafka_topology.topology.model.declared import Declared
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import SHOP_ORDERS
from kafka_topology.validators.engine.patterns import BadPattern, StoppedPattern, not_fitting
from kafka_topology.validators.engine.rule import Bad, Context, Option, Problem, rule

DOCS = """\
# KT012: name-against-convention

A name does not follow the team's convention.

You cannot change names later, and prefixed ACLs and quotas rely on them. This rule is off until you set a
convention.

Fix: Rename the resource before you create it, or change the convention.
"""


def check(context: Context) -> Iterator[Problem]:
    topology = context.topology
    groups = (("group", topology.consumer_groups), ("share group", topology.share_groups))
    yield from _names(context, "topics", (("topic", topology.topics),))
    yield from _names(context, "groups", (*groups, ("application", topology.streams)))


def _names(context: Context, option: str, kinds: Iterable[tuple[str, Mapping[str, Declared]]]) -> Iterator[Problem]:
    pattern = context.text(option)
    if not pattern:
        return
    named = [(name, what, declared) for what, held in kinds for name, declared in held.items()]
    try:
        failed = set(not_fitting(pattern, tuple(name for name, _, _ in named)))
    except BadPattern as error:
        yield _wrong(context, option, f"is not a regular expression: {error}; expected a valid one")
        return
    except StoppedPattern as stopped:
        yield _wrong(context, option, f"{stopped.why}, so no name was checked", Severity.ERROR)
        return
    for name, what, declared in named:
        if name in failed:
            yield Problem(
                f"{name}: the name of the {what} does not follow the convention; expected `{pattern}`",
                declared.name_place(),
                name,
                "rename it before you create it, or change the convention",
            )


def _wrong(context: Context, option: str, what: str, severity: Severity | None = None) -> Problem:
    return Problem(
        f"{RULE.id}: option {option} is `{context.text(option)}`, which {what}",
        context.topology.rules[RULE.id].place(option),
        RULE.id,
        "correct the regular expression" if severity is None else "avoid repetitions inside of repetitions, as (a+)+",
        severity=severity,
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

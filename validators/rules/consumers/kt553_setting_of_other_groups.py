from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import PACKERS, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT553: setting-of-other-groups

A share group has a group setting that only other types of groups use.

Brokers accept every group setting for every group. A share group uses only those that begin with `share.`, so
`consumer.session.timeout.ms` looks right and has no effect. Settings of its consumers belong in `config`.

Fix: Use the setting that begins with `share.`, or remove it.
"""


def check(context: Context) -> Iterator[Problem]:
    known = context.settings.catalogue.group
    for name, group in context.topology.share_groups.items():
        for key in group.group_config:
            if key.startswith("share.") or key not in known:
                continue  # KT411 reports an unknown name
            own = f"share.{key.partition('.')[2]}"
            fix = f"set {own} instead" if own in known else f"remove {key}"
            yield Problem(
                f"{name}: share groups do not use {key}; expected a setting that begins with share.",
                group.name_place("groupConfig", key),
                name,
                fix,
            )


GOOD = (on_cluster('kafka: "4.2"', PACKERS + "    groupConfig: {share.session.timeout.ms: 50s}\n"),)
BAD = (
    Bad(
        on_cluster('kafka: "4.2"', PACKERS + "    groupConfig: {consumer.session.timeout.ms: 50s}\n"), line=8, column=19
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD)

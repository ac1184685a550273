from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.share_groups import possible_share_groups
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import PACKERS, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT559: share-start-not-chosen

A share group does not declare where it starts.

A share group starts where its setting `share.auto.offset.reset` says: by default at `latest`, which skips everything
written before the first member joins. The same happens for every partition that is added later, so `start: earliest`
and `latest` contradict each other.

Fix: Set `share.auto.offset.reset` in `groupConfig` to `earliest`, `latest` or `by_duration:…`.
"""

_KEY = "share.auto.offset.reset"


def check(context: Context) -> Iterator[Problem]:
    for name, group in possible_share_groups(context.topology).items():
        reset = group.group_config.get(_KEY)
        if reset is None and group.start is None:
            yield Problem(
                f"{name}: nothing declares where the share group starts, and Kafka's default, latest, skips existing"
                f" records; expected {_KEY} in `groupConfig`",
                group.name_place(),
                name,
                f"set {_KEY} to earliest (all records) or latest (only new ones)",
            )
        elif group.start == "earliest" and reset in (None, "latest"):
            yield Problem(
                f"{name}: start is earliest, but {_KEY} is {reset or 'latest by default'}, so records in a new"
                " partition are skipped; expected earliest",
                group.place("groupConfig", _KEY) if reset is not None else group.place("start"),
                name,
                f"set {_KEY} to earliest",
                related=(Related(group.place("start").location, "the declared start"),) if reset is not None else (),
            )


GOOD = (
    on_cluster('kafka: "4.2"', PACKERS + "    groupConfig: {share.auto.offset.reset: earliest}\n"),
    on_cluster('kafka: "4.2"', PACKERS + "    start: latest\n"),
)
BAD = (
    Bad(on_cluster('kafka: "4.2"', PACKERS), line=6, column=3),
    Bad(on_cluster('kafka: "4.2"', PACKERS + "    start: earliest\n"), line=8, column=12),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD)

from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT010: unused-profile

A profile is unused: no topic refers to it.

Readers assume that a declared profile is in effect. Often it is unused because a topic that should have it names
another one.

Fix: Remove the profile, or use it in the topics it was written for.
"""


def check(context: Context) -> Iterator[Problem]:
    profiles = context.topology.profiles
    if not profiles:
        return
    used: set[str] = set()
    pending = {topic.profile for topic in context.topology.topics.values()} | context.topology.environment_profiles
    while pending:
        name = pending.pop()
        if name is not None and name in profiles and name not in used:
            used.add(name)
            pending.add(profiles[name].extends)
    for name, profile in profiles.items():
        if name not in used:
            yield Problem(
                f"profile {name}: no topic uses it in any environment; expected at least one",
                profile.location,
                name,
                "remove the profile, or use it",
            )


GOOD = (
    """\
version: 1
profiles:
  base: {replication: 3}
  event: {extends: base, retention: 7d}
  small: {extends: base, partitions: 1}
topics:
  orders: {profile: event, partitions: 6}
environments:
  dev:
    topics:
      orders: {profile: small}
""",
)
BAD = (
    Bad(
        """\
version: 1
profiles:
  event:
    replication: 3
  state:
    replication: 3
topics:
  orders: {profile: event, partitions: 6}
""",
        line=5,
        column=3,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD)

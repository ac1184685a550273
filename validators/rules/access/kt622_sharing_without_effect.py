from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import Topic, Topology
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import nearest
from kafka_topology.validators.engine.examples import changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import roles

DOCS = """\
# KT622: sharing-without-effect

An entry of `sharedWith` lets nobody in.

`sharedWith` names the other owners whose clients may use a private topic. On a public topic it says nothing, and
neither does the name of the topic's own owner. A team that owns no client of this topology is a misspelled name, or
one that left: the entry still lets in whoever takes that name next. A team whose clients are declared in an
environment counts.

Fix: Correct the name, or remove the entry. To keep it for clients that another topology declares, suppress the rule
and say so.
"""


def check(context: Context) -> Iterator[Problem]:
    sharing = [topic for topic in context.topology.topics.values() if topic.shared_with]
    if not sharing:
        return
    teams = _teams(context.topology)
    for topic in sharing:
        for index, team in enumerate(topic.shared_with):
            found = _without_effect(topic, team, teams)
            if found is not None:
                why, fix = found
                yield Problem(
                    f"{topic.name}: sharedWith names {team}, but {why}; expected another team with clients",
                    topic.place("sharedWith", index),
                    topic.name,
                    fix,
                )


def _without_effect(topic: Topic, team: str, teams: frozenset[str]) -> tuple[str, str] | None:
    """Why an entry changes nothing, and the fix."""
    if topic.visibility == "public":
        return "the topic is public", "remove sharedWith, or make the topic private"
    if team == topic.owner:
        return "that team owns the topic", "remove the entry"
    if team not in teams:
        near = nearest(team, sorted(teams))
        return "no client has that owner", f"did you mean {near}?" if near else "correct the name, or remove the entry"
    return None


def _teams(topology: Topology) -> frozenset[str]:
    """The owners of clients, in all environments."""
    everywhere = (topology, *topology.elsewhere())
    return frozenset(role.owner for each in everywhere for _, role in roles(each) if role.owner is not None)


EXAMPLE = """\
version: 1
topics:
  carts: {owner: checkout, partitions: 6, replication: 3, sharedWith: [data]}
producers:
  carts-connector: {owner: data, topics: [carts]}
"""

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"[data]": "[dat]"}), line=3, column=72),
    Bad(changed(EXAMPLE, {"[data]": "[data, checkout]"}), line=3, column=78),
    Bad(changed(EXAMPLE, {"[data]": "[data], visibility: public"}), line=3, column=72),
)

RULE = rule(DOCS, Severity.ADVICE, check, GOOD, BAD, requirements=("R15",))

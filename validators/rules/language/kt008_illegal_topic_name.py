from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.names import LONGEST_TOPIC_NAME, illegal_characters, is_legal_topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import spelled
from kafka_topology.validators.engine.examples import changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT008: illegal-topic-name

A topic's name is too long, or contains characters that Kafka refuses.

The name becomes part of a folder name on the broker's disk. Kafka accepts at most 249 characters from `a-z A-Z 0-9
. _ -`, and refuses to create a topic with any other name.

Fix: Choose a legal name. You cannot rename a topic later.
"""


def check(context: Context) -> Iterator[Problem]:
    for name, topic in context.topology.topics.items():
        if not is_legal_topic(name):
            yield Problem(_message(name), topic.name_place(), name, "choose a legal name before you create the topic")


def _message(name: str) -> str:
    if len(name) > LONGEST_TOPIC_NAME:
        return f"{name[:40]}…: the name has {len(name)} characters; expected at most {LONGEST_TOPIC_NAME}"
    if name in (".", ".."):
        return f"{name}: a topic cannot be named `.` or `..`; expected another name"
    wrong = spelled(illegal_characters(name))
    return f"{spelled(name)}: the name contains `{wrong}`; expected only letters a-z and A-Z, digits, `.`, `_` and `-`"


EXAMPLE = "version: 1\ntopics:\n  shop/orders:\n    partitions: 6\n    replication: 3\n"

GOOD = ("version: 1\ntopics:\n  shop.orders-v1: {partitions: 6, replication: 3}\n",)
BAD = (
    Bad(EXAMPLE, line=3, column=3),
    Bad(f"version: 1\ntopics:\n  {'o' * 250}:\n    partitions: 6\n    replication: 3\n", line=3, column=3),
    Bad("version: 1\ntopics: {shop/orders: {partitions: 6, replication: 3}}\n", line=2, column=10),
    Bad(changed(EXAMPLE, {"shop/orders": '".."'}), line=3, column=3),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, judges_parts=True)

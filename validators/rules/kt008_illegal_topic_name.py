from __future__ import annotations

import re
from collections.abc import Iterator

from ...topology.findings import Severity
from ..rule import Bad, Context, Problem, Rule

MAX_LENGTH = 249
_LEGAL = re.compile(r"[a-zA-Z0-9._-]+")


def check(context: Context) -> Iterator[Problem]:
    legal = _LEGAL.fullmatch
    for name, topic in context.topology.topics.items():
        if legal(name) and len(name) <= MAX_LENGTH and name not in (".", ".."):
            continue
        yield Problem(_message(name), topic.place(), name, "rename the topic before it is created")


def _message(name: str) -> str:
    if len(name) > MAX_LENGTH:
        return f"{name[:40]}…: the name has {len(name)} characters; expected at most {MAX_LENGTH}"
    if name in (".", ".."):
        return f"{name}: a topic cannot be called `.` or `..`; expected another name"
    wrong = "".join(dict.fromkeys(character for character in name if not _LEGAL.fullmatch(character)))
    return f"{name}: the name holds `{wrong}`; expected only letters a-z and A-Z, digits, `.`, `_` and `-`"


RULE = Rule(
    id="KT008",
    name="illegal-topic-name",
    severity=Severity.ERROR,
    summary="A topic's name is too long, or holds characters that Kafka refuses.",
    why="""\
A name becomes part of a folder on the broker's disk. Kafka takes at most 249 characters out of `a-z A-Z 0-9 . _ -`,
and refuses to create any other topic.""",
    fix="Choose a legal name. A topic cannot be renamed later.",
    check=check,
    good=("version: 1\ntopics:\n  shop.orders-v1: {partitions: 6, replication: 3}\n",),
    bad=(
        Bad("version: 1\ntopics:\n  shop/orders:\n    partitions: 6\n    replication: 3\n", line=3, column=3),
        Bad(f"version: 1\ntopics:\n  {'o' * 250}:\n    partitions: 6\n    replication: 3\n", line=3, column=3),
        Bad('version: 1\ntopics:\n  "..":\n    partitions: 6\n    replication: 3\n', line=3, column=3),
    ),
)

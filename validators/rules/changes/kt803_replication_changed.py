from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.examples import changed
from kafka_topology.validators.engine.helpers import count_place
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.changes import about
from kafka_topology.validators.facts.storage import Storage, disk_bytes

DOCS = """\
# KT803: replication-changed

A topic's replication changes, so its records are copied, or copies are dropped.

A new replica fetches the whole partition from its leader. For a large topic, that is terabytes through the same
network and disks that serve the readers; without a throttle, they suffer for hours. Removing replicas costs nothing,
but less is left when a broker is lost.

Fix: Apply it at a quiet time. The reassignment is throttled and can be resumed.
"""


def check(context: Context) -> Iterator[Problem]:
    for old, new in context.changes.topics:
        if new.replication == old.replication:
            continue
        more = new.replication > old.replication
        effect = (
            _bytes_to_move(context, old, new)
            if more
            else f"no bytes move, but records survive {counted(new.replication - 1, 'lost broker')}, not"
            f" {old.replication - 1}"
        )
        yield Problem(
            f"{new.name}: replication goes from {old.replication} to {new.replication}: {effect}; expected"
            f" {old.replication}, or a quiet time to apply it",
            count_place(context.topology, new, "replication"),
            new.name,
            "apply it at a quiet time, with a throttle"
            if more
            else f"keep {old.replication}, unless you need the disk space",
        )


def _bytes_to_move(context: Context, old: Topic, new: Topic) -> str:
    copies = new.replication - old.replication
    size = disk_bytes(new, Storage(context))
    if size is None:
        return f"every record is copied {copies} times more (declare throughput and retention to see the size)"
    return f"about {about(size * copies)} to copy, by the declared throughput and retention"


BEFORE = """\
version: 1
topics:
  orders: {partitions: 6, replication: 2, retention: 7d, throughput: {average: 5MB/s}}
"""

GOOD = (changed(BEFORE, {"average: 5MB/s": "average: 8MB/s"}),)
BAD = (
    Bad(changed(BEFORE, {"replication: 2": "replication: 3"}), line=3, column=40),
    Bad(changed(BEFORE, {"replication: 2": "replication: 1"}), line=3, column=40),
)

RULE = rule(
    DOCS, Severity.WARNING, check, GOOD, BAD, before=BEFORE, changed=("topic.replication",), requirements=("R2", "R31")
)

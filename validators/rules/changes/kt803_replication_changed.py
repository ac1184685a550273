from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ...topology.model import Topic
from ..changes import about
from ..helpers import count_place
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for old, new in context.changes.topics:
        if new.replication == old.replication:
            continue
        more = new.replication > old.replication
        effect = (
            _bytes_to_move(context, old, new)
            if more
            else f"no bytes move, and records survive {new.replication - 1} lost brokers instead of"
            f" {old.replication - 1}"
        )
        yield Problem(
            f"{new.name}: replication goes from {old.replication} to {new.replication}: {effect};"
            f" expected {old.replication}, or a quiet time to apply it",
            count_place(context.topology, new, "replication"),
            new.name,
            "apply it at a quiet time, with a throttle"
            if more
            else f"keep {old.replication}, unless the disk is needed",
        )


def _bytes_to_move(context: Context, old: Topic, new: Topic) -> str:
    copies = new.replication - old.replication
    size = _kept_bytes(context, new)
    if size is None:
        return f"every record is copied {copies} times more (throughput or retention is not declared, so no bytes here)"
    return f"about {about(size * copies)} to copy, by the declared throughput and retention"


def _kept_bytes(context: Context, topic: Topic) -> float | None:
    """What one replica of all partitions holds, by the declared load and retention."""
    load = topic.throughput
    rate = (load.average or load.peak) if load is not None else None
    kept = context.index.topic_number("retention.ms")(topic)
    if rate is None or kept is None or kept < 0 or "delete" not in context.index.topic_items("cleanup.policy")(topic):
        return None
    size = rate * kept / 1000
    limit = context.index.topic_number("retention.bytes")(topic)
    if limit is not None and limit >= 0:
        size = min(size, limit * topic.partitions)
    return size


RULE = Rule(
    id="KT803",
    name="replication-changed",
    severity=Severity.WARNING,
    summary="A topic's replication changes, so its records are copied, or copies are dropped.",
    why="""\
A new replica fetches the whole partition from its leader. For a large topic that is terabytes through the same network
and disks that serve the readers; without a throttle they suffer for hours. Fewer replicas cost nothing to make, and
less is left when a broker is lost.""",
    fix="Apply it at a quiet time. The reassignment is throttled and can be resumed.",
    requirements=("R2", "R31"),
    about_changes=True,
    before="""\
version: 1
topics:
  orders: {partitions: 6, replication: 2, retention: 7d, throughput: {average: 5MB/s}}
""",
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 2, retention: 7d, throughput: {average: 8MB/s}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, retention: 7d, throughput: {average: 5MB/s}}
""",
            line=3,
            column=40,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 1, retention: 7d, throughput: {average: 5MB/s}}
""",
            line=3,
            column=40,
        ),
    ),
)

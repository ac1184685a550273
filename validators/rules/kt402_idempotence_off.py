from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..client_roles import means_all
from ..helpers import own_edit, place_of
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.writers:
        if writer.value("enable.idempotence") == "true" or not means_all(writer.value("acks") or ""):
            continue  # KT401 speaks of other acks
        idempotence = writer.setting("enable.idempotence")
        if idempotence is None:
            continue
        transactional = writer.transactional_id is not None
        if not transactional and writer.number("retries") == 0:
            continue  # nothing is sent twice; KT404 speaks of what is lost
        effect = (
            "a producer with a transactional id refuses to start"
            if transactional
            else "a retry can write a record twice, or after a later one"
        )
        yield Problem(
            f"{writer.name}: enable.idempotence is {idempotence.value} with acks=all, so {effect}; expected true",
            place_of(idempotence, writer.declared),
            writer.name,
            "remove enable.idempotence, or set it to true",
            edits=own_edit(idempotence, "true"),
            severity=Severity.ERROR if transactional else None,
        )


RULE = Rule(
    id="KT402",
    name="idempotence-off",
    severity=Severity.WARNING,
    summary="A producer waits for all replicas, yet has idempotence turned off.",
    why="""\
When an acknowledgement is lost, the producer sends the batch again. With idempotence the broker knows the batch and
drops the copy; without it the record is there twice, or stands behind a later one. Idempotence costs next to nothing
and has been Kafka's default since 3.0. A producer with a transactional id does not even start without it: then this
is an error.""",
    fix="Remove `enable.idempotence: false`.",
    requirements=("R17", "R18"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout:
    topics: [orders]
    config: {acks: all, enable.idempotence: true}
""",
        """\
version: 1
topics:
  clicks: {partitions: 6, replication: 3}
producers:
  tracker:
    topics: [clicks]
    delivery: at-most-once
    config: {acks: 1, enable.idempotence: false}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout:
    topics: [orders]
    config: {acks: all, enable.idempotence: false}
""",
            line=7,
            column=45,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout:
    topics: [orders]
    delivery: exactly-once
    transactionalId: checkout-
    config:
      enable.idempotence: false
""",
            line=10,
            column=27,
        ),
    ),
)

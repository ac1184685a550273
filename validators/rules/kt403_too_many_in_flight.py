from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..client_roles import Writer
from ..helpers import own_edit, place_of, shown
from ..rule import Bad, Context, Problem, Rule

IN_FLIGHT = "max.in.flight.requests.per.connection"
MOST_WITH_IDEMPOTENCE = 5


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.writers:
        number = writer.number(IN_FLIGHT)
        if number is None or number <= 1 or (number <= MOST_WITH_IDEMPOTENCE and writer.is_idempotent):
            continue
        in_flight = writer.setting(IN_FLIGHT)
        if in_flight is None or in_flight.number is None:
            continue
        if in_flight.number > MOST_WITH_IDEMPOTENCE and _wants_idempotence(context, writer):
            yield Problem(
                f"{writer.name}: {IN_FLIGHT} is {in_flight.number} with idempotence;"
                f" expected at most {MOST_WITH_IDEMPOTENCE}",
                place_of(in_flight, writer.declared),
                writer.name,
                f"set {IN_FLIGHT} to {MOST_WITH_IDEMPOTENCE} or less",
                edits=own_edit(in_flight, str(MOST_WITH_IDEMPOTENCE)),
            )
            continue
        yield from _unordered(context, writer)


def _wants_idempotence(context: Context, writer: Writer) -> bool:
    """Kafka 4 checks the limit wherever idempotence is not turned off by name, older ones where it is in force."""
    if writer.value("enable.idempotence") != "true":
        return False
    return not context.topology.cluster.kafka.startswith("3.") or writer.is_idempotent


def _unordered(context: Context, writer: Writer) -> Iterator[Problem]:
    """Without idempotence, a batch that is sent again arrives behind the ones that were already on their way."""
    if writer.is_idempotent or writer.number("retries") == 0:
        return
    decides, in_flight = writer.turns_idempotence_off(), writer.setting(IN_FLIGHT)
    if decides is None or in_flight is None:
        return
    topics = context.topology.topics
    ordered = next((t for t in writer.topics if t in topics and topics[t].ordering != "none"), None)
    if ordered is None:
        return
    at = in_flight if in_flight.is_declared else decides
    yield Problem(
        f"{writer.name}: {IN_FLIGHT} is {shown(in_flight)} without idempotence ({decides.name} is {decides.value}),"
        f" and {ordered} promises {topics[ordered].ordering} order; expected 1, or idempotence",
        place_of(at, writer.declared),
        writer.name,
        f"turn idempotence on with acks=all, or set {IN_FLIGHT} to 1",
    )


RULE = Rule(
    id="KT403",
    name="too-many-in-flight",
    severity=Severity.ERROR,
    summary="A producer has more requests in flight than its order can bear.",
    why="""\
A broker remembers the last five batches of an idempotent producer, so order survives retries up to five requests in
flight. Above that, a producer of Kafka 4 refuses to start, and an older one turns idempotence off without a word.
Without idempotence, two requests in flight are already enough: the first fails, the second succeeds, the first is
sent again, and its records now stand behind later ones.""",
    fix="""\
Keep `max.in.flight.requests.per.connection` at 5 or less with idempotence, and at 1 without it where a topic declares
an order.""",
    requirements=("R9", "R17"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, ordering: per-key, key: {type: uuid}}
producers:
  checkout:
    topics: [orders]
    config: {max.in.flight.requests.per.connection: 5}
""",
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, ordering: per-key, key: {type: uuid}}
producers:
  checkout:
    topics: [orders]
    config: {enable.idempotence: false, max.in.flight.requests.per.connection: 1}
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
    config:
      max.in.flight.requests.per.connection: 10
""",
            line=8,
            column=46,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, ordering: per-key, key: {type: uuid}}
producers:
  checkout:
    topics: [orders]
    config:
      enable.idempotence: false
      max.in.flight.requests.per.connection: 3
""",
            line=9,
            column=46,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, ordering: per-key, key: {type: uuid}}
producers:
  checkout:
    topics: [orders]
    delivery: at-most-once
    config:
      acks: 1
""",
            line=9,
            column=13,
        ),
    ),
)

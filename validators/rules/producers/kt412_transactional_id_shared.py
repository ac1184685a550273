from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ..client_roles import Writer
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    """Sorted by id, what lies inside a prefix comes right after it, so one pass with a stack of prefixes is enough."""
    ids = [(writer.transactional_id, writer) for writer in context.index.clients.writers]
    holders = sorted(((text, order, writer) for order, (text, writer) in enumerate(ids) if text), key=lambda h: h[:2])
    open_prefixes: list[tuple[str, Writer]] = []
    for text, _, writer in holders:
        while open_prefixes and not _covers(open_prefixes[-1][0], text):
            open_prefixes.pop()
        if open_prefixes:
            yield _problem(text, writer, *open_prefixes[-1])
        open_prefixes.append((text, writer))


def _covers(outer: str, inner: str) -> bool:
    return inner == outer or (outer.endswith("-") and inner.startswith(outer))


def _problem(text: str, writer: Writer, outer: str, other: Writer) -> Problem:
    shared = (
        f"is also that of {other.name}, so the two fence each other off"
        if text == outer
        else f"lies within the prefix {outer} of {other.name}, so the two can fence each other off"
    )
    return Problem(
        f"{writer.name}: the transactional id {text} {shared}; expected one of its own",
        writer.transactional_id_place,
        writer.name,
        f"give {writer.name} a transactional id that {other.name} cannot use, such as {writer.name}-",
        related=(Related(other.transactional_id_place.location, f"{other.name} has {outer}"),),
        severity=None if text == outer else Severity.WARNING,
    )


RULE = Rule(
    id="KT412",
    name="transactional-id-shared",
    severity=Severity.ERROR,
    summary="Two producers have the same transactional id.",
    why="""\
Whoever comes with a transactional id last is taken for the restarted owner: the broker aborts the open transaction of
the other and fences it off. Two producers with one id stop each other again and again. Where one id only lies within
the other's prefix, it depends on what the instances add: then this is a warning. Kafka Streams uses ids that start with
its application id and `-`.""",
    fix="Give each producer an id, or a prefix, of its own.",
    requirements=("R18", "R21"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], delivery: exactly-once, transactionalId: checkout-}
  returns: {topics: [orders], delivery: exactly-once, transactionalId: returns-}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], delivery: exactly-once, transactionalId: shop}
  returns:
    topics: [orders]
    delivery: exactly-once
    transactionalId: shop
""",
            line=9,
            column=22,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], delivery: exactly-once, transactionalId: shop-}
  returns: {topics: [orders], delivery: exactly-once, config: {transactional.id: shop-returns}}
""",
            line=6,
            column=82,
        ),
    ),
)

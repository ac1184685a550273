from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import ConsumerGroup, Producer
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import CHECKOUT_EXACTLY_ONCE, ORDERS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import Writer
from kafka_topology.validators.facts.halves import transactional_halves

DOCS = """\
# KT412: transactional-id-shared

Two producers, or several instances of one, have the same transactional id.

The broker treats the last producer with a transactional id as the restarted owner: it aborts the open transaction of
the other and fences it. Two producers with one id stop each other again and again. If one id is only inside the
other's prefix, it depends on what the instances append: then this is a warning. Kafka Streams uses ids that start with
its application id and `-`.

The instances of one application fence each other, too. A `transactionalId` that ends with `-` is a prefix, to which
each instance appends something of its own. The rule reports a fixed id of an application whose exactly-once group has
several `members`: the same principal or the same name shows that producer and group belong together.

Fix: Give each producer its own id or prefix, and each instance an id of its own.
"""


def check(context: Context) -> Iterator[Problem]:
    """Sorted by id, everything inside a prefix directly follows it, so one pass with a stack of prefixes is enough."""
    ids = [(writer.transactional_id, writer) for writer in context.index.clients.senders]
    holders = sorted(((text, order, writer) for order, (text, writer) in enumerate(ids) if text), key=lambda h: h[:2])
    open_prefixes: list[tuple[str, Writer]] = []
    for text, _, writer in holders:
        while open_prefixes and not _covers(open_prefixes[-1][0], text):
            open_prefixes.pop()
        if open_prefixes:
            yield _problem(text, writer, *open_prefixes[-1])
        open_prefixes.append((text, writer))
    for group in context.topology.consumer_groups.values():
        if group.delivery == "exactly-once" and (group.members or 0) > 1:
            yield from _instances(context, group)


def _instances(context: Context, group: ConsumerGroup) -> Iterator[Problem]:
    halves = {producer.name for producer in transactional_halves(context.topology, group)}
    for writer in context.index.clients.senders:
        text = writer.transactional_id
        if writer.name not in halves or not isinstance(writer.declared, Producer) or text is None or text.endswith("-"):
            continue
        yield Problem(
            f"{writer.name}: the transactional id {text} is no prefix, but its group {group.name} has {group.members}"
            f" members, so its instances fence each other; expected an id for each, such as the prefix {text}-",
            writer.transactional_id_place,
            writer.name,
            f"declare `transactionalId: {text}-`, and let each instance append something of its own",
            related=(Related(group.place("members").location, f"{group.name} has {group.members} members"),),
            severity=Severity.WARNING,
        )


def _covers(outer: str, inner: str) -> bool:
    return inner == outer or (outer.endswith("-") and inner.startswith(outer))


def _problem(text: str, writer: Writer, outer: str, other: Writer) -> Problem:
    shared = (
        f"is also that of {other.name}, so the two fence each other"
        if text == outer
        else f"is inside the prefix {outer} of {other.name}, so the two can fence each other"
    )
    return Problem(
        f"{writer.name}: the transactional id {text} {shared}; expected its own id",
        writer.transactional_id_place,
        writer.name,
        f"give {writer.name} a transactional id that {other.name} cannot use, such as {writer.name}-",
        related=(Related(other.transactional_id_place.location, f"{other.name} has {outer}"),),
        severity=None if text == outer else Severity.WARNING,
    )


SEVERAL = (
    ORDERS
    + CHECKOUT_EXACTLY_ONCE
    + "consumerGroups:\n  checkout: {topics: [orders], delivery: exactly-once, members: 6}\n"
)

GOOD = (
    SEVERAL,
    changed(SEVERAL, {"checkout-": "checkout", "members: 6": "members: 1"}),
    ORDERS
    + CHECKOUT_EXACTLY_ONCE
    + "  returns: {topics: [orders], delivery: exactly-once, transactionalId: returns-}\n",
)
BAD = (
    Bad(
        ORDERS
        + """\
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
        ORDERS
        + """\
producers:
  checkout: {topics: [orders], delivery: exactly-once, transactionalId: shop-}
  returns: {topics: [orders], delivery: exactly-once, config: {transactional.id: shop-returns}}
""",
        line=6,
        column=82,
    ),
    Bad(changed(SEVERAL, {"checkout-": "checkout"}), line=5, column=73),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R18", "R21"))

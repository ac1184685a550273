from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for producer in context.topology.producers.values():
        declared, configured = producer.transactional_id, producer.config.get("transactional.id")
        if declared is None or configured is None or configured == declared:
            continue
        if declared.endswith("-") and configured.startswith(declared):
            continue
        expected = f"one that starts with {declared}" if declared.endswith("-") else declared
        yield Problem(
            f"{producer.name}: transactional.id is {configured}, but transactionalId is {declared}, and access is"
            f" granted for that one; expected {expected}",
            producer.place("config", "transactional.id"),
            producer.name,
            "remove transactional.id from the config, or make the two agree",
            related=(Related(producer.place("transactionalId").location, "access is granted for this one"),),
        )


RULE = Rule(
    id="KT416",
    name="transactional-ids-disagree",
    severity=Severity.ERROR,
    summary="A producer's `transactionalId` and its config `transactional.id` differ.",
    why="""\
Access to a transactional id is granted for what `transactionalId` says. A client that comes with another one is refused
with TransactionalIdAuthorizationException, and does not write at all.""",
    fix="Keep `transactionalId` only; the client's config follows from it.",
    requirements=("R18", "R33"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], transactionalId: checkout-, config: {transactional.id: checkout-0}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], transactionalId: checkout-, config: {transactional.id: shop-0}}
""",
            line=5,
            column=87,
        ),
    ),
)

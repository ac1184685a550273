from __future__ import annotations

from collections.abc import Iterator, Mapping

from kafka_topology.topology.kafka.clients.libraries import config_place, given
from kafka_topology.topology.kafka.clients.promises import contradicts_idempotence
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.units import kafka_true
from kafka_topology.validators.engine.examples import CLICKS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT418: idempotence-contradicted

A producer turns on idempotence explicitly, together with a setting that rules it out.

Idempotence needs `acks=all` and retries. A producer that sets `enable.idempotence: true` and contradicts it throws a
ConfigException and does not start. So does one with a `transactional.id`, which needs idempotence. (If only the default
applies, idempotence is silently turned off.) For a producer that promises at-least-once, KT401 and KT404 report the
same values.

Fix: Remove one of the two.
"""


_EXPECTED = {"acks": "all", "retries": "1 or more"}


def check(context: Context) -> Iterator[Problem]:
    for producer in context.topology.producers.values():
        config = given(producer)
        by = _turned_on_by(config)
        if producer.delivery != "at-most-once" or by is None:
            continue  # KT401 and KT404 report the others
        for name in contradicts_idempotence(config):
            expected = _EXPECTED[name]
            yield Problem(
                f"{producer.name}: {name} is {config[name]} with {by}, so the client does not start;"
                f" expected {expected}, or no idempotence",
                config_place(producer, name),
                producer.name,
                f"remove {by}, or set {name} to {expected}",
                related=(Related(config_place(producer, by).location, "idempotence is turned on here"),),
            )


def _turned_on_by(config: Mapping[str, str]) -> str | None:
    """The setting that turns on idempotence; a transactional id needs it."""
    name = "enable.idempotence"
    if name in config:
        return name if kafka_true(config[name]) else None
    return "transactional.id" if "transactional.id" in config else None


EXAMPLE = CLICKS + "producers:\n  tracker: {topics: [clicks], delivery: at-most-once, config: {acks: 1}}\n"
OTHER = changed(EXAMPLE, {"acks: 1": "acks: 1, enable.idempotence: true"})

GOOD = (EXAMPLE,)
BAD = (
    Bad(OTHER, line=5, column=70),
    Bad(changed(OTHER, {"acks: 1": "retries: 0"}), line=5, column=73),
    Bad(changed(OTHER, {"acks: 1": 'retries: " 00"'}), line=5, column=73),
    Bad(changed(OTHER, {"enable.idempotence: true": "transactional.id: track"}), line=5, column=70),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R17",))

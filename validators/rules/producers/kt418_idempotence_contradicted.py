from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.units import kafka_true
from kafka_topology.validators.engine.examples import CLICKS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import means_all

DOCS = """\
# KT418: idempotence-contradicted

A producer turns on idempotence explicitly, together with a setting that rules it out.

Idempotence needs `acks=all` and retries. A producer that sets `enable.idempotence: true` and contradicts it throws a
ConfigException and does not start. (If only the default applies, idempotence is silently turned off.) For a producer
that promises at-least-once, KT401 and KT404 report the same values.

Fix: Remove one of the two.
"""


def check(context: Context) -> Iterator[Problem]:
    for producer in context.topology.producers.values():
        config = producer.config
        if producer.delivery != "at-most-once" or not kafka_true(config.get("enable.idempotence")):
            continue  # KT401 and KT404 report the others
        for name, expected, fits in (
            ("acks", "all", means_all(config.get("acks", "all"))),
            ("retries", "1 or more", config.get("retries") != "0"),
        ):
            if fits:
                continue
            yield Problem(
                f"{producer.name}: {name} is {config[name]} with enable.idempotence, so the client does not start;"
                f" expected {expected}, or no idempotence",
                producer.place("config", name),
                producer.name,
                f"remove enable.idempotence, or set {name} to {expected}",
                related=(
                    Related(producer.place("config", "enable.idempotence").location, "idempotence is turned on here"),
                ),
            )


EXAMPLE = CLICKS + "producers:\n  tracker: {topics: [clicks], delivery: at-most-once, config: {acks: 1}}\n"
OTHER = changed(EXAMPLE, {"acks: 1": "acks: 1, enable.idempotence: true"})

GOOD = (EXAMPLE,)
BAD = (Bad(OTHER, line=5, column=70), Bad(changed(OTHER, {"acks: 1": "retries: 0"}), line=5, column=73))

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R17",))

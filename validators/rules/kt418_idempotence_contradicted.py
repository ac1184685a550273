from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ..client_roles import means_all
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for producer in context.topology.producers.values():
        config = producer.config
        if producer.delivery != "at-most-once" or config.get("enable.idempotence") != "true":
            continue  # KT401 and KT404 speak of the others
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
                related=(Related(producer.place("config", "enable.idempotence").location, "idempotence is asked for"),),
            )


RULE = Rule(
    id="KT418",
    name="idempotence-contradicted",
    severity=Severity.ERROR,
    summary="A producer asks for idempotence by name, and for something that rules it out.",
    why="""\
Idempotence needs `acks=all` and retries. A producer that sets `enable.idempotence: true` and contradicts it throws a
ConfigException and does not start. (Left to its default, idempotence goes away without a word.) Where a producer
promises at least once, KT401 and KT404 speak of the same values.""",
    fix="Drop one of the two.",
    requirements=("R17",),
    check=check,
    good=(
        """\
version: 1
topics:
  clicks: {partitions: 6, replication: 3}
producers:
  tracker: {topics: [clicks], delivery: at-most-once, config: {acks: 1}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  clicks: {partitions: 6, replication: 3}
producers:
  tracker: {topics: [clicks], delivery: at-most-once, config: {acks: 1, enable.idempotence: true}}
""",
            line=5,
            column=70,
        ),
        Bad(
            """\
version: 1
topics:
  clicks: {partitions: 6, replication: 3}
producers:
  tracker: {topics: [clicks], delivery: at-most-once, config: {retries: 0, enable.idempotence: true}}
""",
            line=5,
            column=73,
        ),
    ),
)

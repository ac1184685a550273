from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from kafka_topology.topology.kafka.clients.libraries import config_place, given, library_of, side_of
from kafka_topology.topology.kafka.clients.libraries.java import JAVA
from kafka_topology.topology.kafka.clients.libraries.relations import Relation, Values
from kafka_topology.topology.model.declared import ConsumerGroup, Producer
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import BILLING, CHECKOUT, CLICKS, ORDERS, changed
from kafka_topology.validators.engine.in_library import called, compared, own_setting, to_set
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT432: settings-refused-together

A client has settings that its library takes one by one, but not together.

Some libraries compare their settings when a client is created, and refuse to start if two do not fit. kafka-python
refuses a consumer whose `request_timeout_ms` is not below `connections_max_idle_ms`. librdkafka refuses a
`receive.message.max.bytes` that is below `fetch.max.bytes` + 512, a `socket.timeout.ms` above `transaction.timeout.ms`
+ 100, and an idempotent producer with `queuing.strategy: lifo`. Defaults count: one setting can be enough. Other rules
report the pairs that matter for every library, such as KT405, KT504 and KT518.

`kafka-topology clients` prints values with which the client starts.

Fix: Change one of the settings as the message describes it.
"""


def check(context: Context) -> Iterator[Problem]:
    clients: list[Producer | ConsumerGroup] = [
        *context.topology.producers.values(),
        *context.topology.consumer_groups.values(),
    ]
    for client in clients:
        library, side = library_of(client) or JAVA, side_of(client)
        values = compared(client)
        for relation in library.relations:
            if relation.side != side or not relation.is_broken(values) or _is_found(relation, values):
                continue
            at = next((name for name in relation.names if name in given(client)), None)
            if at is None:
                continue  # nothing that a file declares
            yield Problem(
                f"{client.name}: {_shown(client, relation, values)}, which {library.title} refuses together; expected"
                f" {relation.expected(partial(called, client))}",
                config_place(client, at),
                client.name,
                _fix(client, relation, values),
            )


def _is_found(relation: Relation, values: Values) -> bool:
    """Whether another rule reports it."""
    return relation.found_by is not None and values.meet(relation.found_if)


def _shown(client: Producer | ConsumerGroup, relation: Relation, values: Values) -> str:
    each = [
        f"{called(client, name)} is {_written(client, name, values.value(name))}"
        f"{'' if name in values.given else ' (the default)'}"
        for name in relation.names
    ]
    return " and ".join(each)


def _written(client: Producer | ConsumerGroup, name: str, value: str | None) -> str | None:
    """The value as the client's library writes it."""
    own = own_setting(client, name)
    return value if own is None or value is None else own[1].from_java(value) or value


def _fix(client: Producer | ConsumerGroup, relation: Relation, values: Values) -> str:
    ways = [
        f"remove {called(client, name)}" if value is None else to_set(client, name, value)
        for name, value in relation.moves(values)
    ]
    return ", or ".join(ways)


SEARCH = ORDERS + BILLING + "    library: kafka-python\n    config: {request_timeout_ms: 60s}\n"
TRACKER = (
    CLICKS
    + "producers:\n  tracker: {topics: [clicks], delivery: at-most-once, library: librdkafka, config: {linger.ms: 5}}\n"
)

GOOD = (SEARCH, TRACKER)
BAD = (
    Bad(changed(SEARCH, {"60s": "10m"}), line=8, column=34),
    Bad(
        ORDERS + BILLING + "    library: librdkafka\n    config: {receive.message.max.bytes: 600000}\n",
        line=8,
        column=41,
    ),
    Bad(changed(TRACKER, {"linger.ms: 5": "enable.gapless.guarantee: true"}), line=5, column=111),
    Bad(
        ORDERS + CHECKOUT + "    library: librdkafka\n    config: {enable.idempotence: true, queuing.strategy: lifo}\n",
        line=8,
        column=58,
    ),
    Bad(
        changed(
            TRACKER,
            {"library: librdkafka, ": "", "linger.ms: 5": "transactional.id: a, acks: 1, enable.idempotence: false"},
        ),
        line=5,
        column=82,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R17", "R23"))

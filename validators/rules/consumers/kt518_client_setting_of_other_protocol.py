from __future__ import annotations

from collections.abc import Iterator, Mapping

from kafka_topology.topology.kafka.clients.libraries import config_place, given
from kafka_topology.topology.kafka.clients.streams_clients import has_streams_protocol, names_of, refused_members
from kafka_topology.topology.kafka.share_groups import OF_SHARE_CONSUMERS
from kafka_topology.topology.model.declared import StreamsApplication
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.places import Place
from kafka_topology.validators.engine.examples import BILLING, ORDERS, SUMMING, changed, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT518: client-setting-of-other-protocol

A consumer has a setting that its group protocol does not allow.

With `group.protocol: consumer`, the Kafka 4 group protocol, the brokers decide session timeout, heartbeat and
assignment for all members alike. A Java consumer that sets them anyway throws a ConfigException and does not start.
With the classic protocol, the same applies to `group.remote.assignor`. A Kafka Streams application with
`group.protocol: streams` has no static members and does not start with a `group.instance.id`; KT544 reports what it
ignores. Settings such as `share.acknowledgement.mode` are for share consumers: every other consumer refuses them.

Fix: Move the timeouts to `groupConfig` (or to the brokers), the assignor to `group.remote.assignor`, and a share group
to `shareGroups`.
"""

_OF_SHARING = dict.fromkeys(OF_SHARE_CONSUMERS, "remove it, or declare the group under `shareGroups`")
# The settings that ConsumerConfig refuses, by protocol, and their fixes.
_REFUSED: Mapping[str, Mapping[str, str]] = {
    "consumer": {
        "session.timeout.ms": "remove it, and set consumer.session.timeout.ms under `groupConfig`",
        "heartbeat.interval.ms": "remove it, and set consumer.heartbeat.interval.ms under `groupConfig`",
        "partition.assignment.strategy": "remove it, and choose with group.remote.assignor",
        **_OF_SHARING,
    },
    "classic": {"group.remote.assignor": "remove it, or set group.protocol to consumer", **_OF_SHARING},
}


def check(context: Context) -> Iterator[Problem]:
    for reader in context.index.clients.groups:
        if reader.group is None:
            continue
        config = given(reader.group)
        for name, fix in _REFUSED.get(reader.protocol, {}).items():
            if name in config:
                at = config_place(reader.group, name)
                yield _problem(reader.name, name, config[name], reader.protocol, at=at, fix=fix)
    for name, application in context.topology.streams.items():
        yield from _in_streams(name, application)


def _in_streams(name: str, application: StreamsApplication) -> Iterator[Problem]:
    config = application.config
    for own in refused_members(application):
        fix = "remove it, or set group.protocol to classic"
        yield _problem(name, own, config[own], "streams", at=application.place("config", own), fix=fix)
    protocol = "streams" if has_streams_protocol(application) else "classic"
    for setting in ("group.remote.assignor", *OF_SHARE_CONSUMERS):
        for own in names_of(config, "consumer", setting):
            yield _problem(name, own, config[own], protocol, at=application.place("config", own), fix="remove it")


def _problem(name: str, setting: str, value: str, protocol: str, *, at: Place, fix: str) -> Problem:
    plain = setting.removeprefix("main.").removeprefix("consumer.")
    why = _WHY.get(plain, "the members decide it" if protocol == "classic" else "the brokers decide it")
    return Problem(
        f"{name}: {setting} is {value} with the {protocol} group protocol, where {why}; expected no such setting",
        at,
        name,
        fix,
    )


_WHY = {
    "group.instance.id": "no member is static",
    **dict.fromkeys(OF_SHARE_CONSUMERS, "no consumer shares records"),
}


STATIC = "    config: {group.protocol: streams, group.instance.id: summing-1}\n"

GOOD = (
    on_cluster('kafka: "4.2"', ORDERS + SUMMING + changed(STATIC, {"streams": "classic"})),
    ORDERS
    + BILLING
    + """\
    config: {group.protocol: consumer, group.remote.assignor: uniform}
    groupConfig: {consumer.session.timeout.ms: 45s}
""",
)
BAD = (
    Bad(
        ORDERS + BILLING + "    config:\n      group.protocol: consumer\n      session.timeout.ms: 10s\n",
        line=9,
        column=27,
    ),
    Bad(
        ORDERS + "consumerGroups:\n  billing: {topics: [orders], config: {group.remote.assignor: uniform}}\n",
        line=5,
        column=63,
    ),
    Bad(ORDERS + BILLING + "    config: {share.acknowledgement.mode: explicit}\n", line=7, column=42),
    Bad(
        on_cluster(
            'kafka: "4.2"',
            ORDERS + BILLING + "    config: {group.protocol: consumer, share.acquire.mode: record_limit}\n",
        ),
        line=8,
        column=60,
    ),
    Bad(on_cluster('kafka: "4.2"', ORDERS + SUMMING + STATIC), line=10, column=58),
    Bad(ORDERS + SUMMING + "    config: {consumer.group.remote.assignor: uniform}\n", line=9, column=46),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R23", "R24"))

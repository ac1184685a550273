from __future__ import annotations

from collections.abc import Iterator, Mapping

from kafka_topology.topology.kafka.catalogue import ConfigKey
from kafka_topology.topology.kafka.clients.libraries import given
from kafka_topology.topology.kafka.share_groups import possible_share_groups
from kafka_topology.topology.model.declared import ConsumerGroup, ShareGroup
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import BILLING, ORDERS, PACKERS, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT553: setting-of-other-groups

A group has a group setting that only other types of groups use.

Brokers accept every group setting for every group, and each type of group reads only its own: those of a share group
begin with `share.`, those of a consumer group with `consumer.`. So `consumer.session.timeout.ms` of a share group looks
right and has no effect. So do settings of a consumer group whose `group.protocol` is `classic`, and `streams.` settings
of one whose protocol is declared. A group under `consumerGroups` stays a consumer group, whatever its settings.
Settings of its consumers belong in `config`.

Fix: Use the setting of the group's own type, remove it, or declare a share group under `shareGroups`.
"""


def check(context: Context) -> Iterator[Problem]:
    for share_group in possible_share_groups(context.topology).values():
        yield from _foreign(context, share_group, "share", "share groups")
    for group in context.topology.consumer_groups.values():
        yield from _foreign(context, group, "consumer", "consumer groups")


def _foreign(context: Context, group: ConsumerGroup | ShareGroup, type_: str, groups: str) -> Iterator[Problem]:
    known = context.settings.catalogue.group
    protocol = _protocol(group)
    # The group of a Kafka Streams application can be declared as a consumer group, if nothing says what it is.
    uses = ("consumer.", "streams.") if type_ == "consumer" and protocol is None else (f"{type_}.",)
    for key in group.group_config:
        if key.startswith(uses) and protocol == "classic" and key in known:
            yield _of_classic(group, key)
        elif key.startswith(uses) or key not in known:
            continue  # KT411 reports an unknown name
        else:
            yield _of_other_type(known, group, key, type_, groups)


def _of_other_type(
    known: Mapping[str, ConfigKey], group: ConsumerGroup | ShareGroup, key: str, type_: str, groups: str
) -> Problem:
    own = f"{type_}.{key.partition('.')[2]}"
    fix = f"set {own} instead" if own in known else f"remove {key}"
    if key.startswith("share."):
        fix += ", or declare the group under `shareGroups`"
    return Problem(
        f"{group.name}: {groups} do not use {key}; expected a setting that begins with {type_}.",
        group.name_place("groupConfig", key),
        group.name,
        fix,
    )


def _protocol(group: ConsumerGroup | ShareGroup) -> str | None:
    """The declared `group.protocol`; None if its members may have any."""
    declared = given(group).get("group.protocol") if isinstance(group, ConsumerGroup) else None
    return declared.lower() if declared is not None and declared.lower() in ("classic", "consumer") else None


def _of_classic(group: ConsumerGroup | ShareGroup, key: str) -> Problem:
    """With the classic protocol, brokers take these times from the members."""
    own = key.partition(".")[2]
    return Problem(
        f"{group.name}: group.protocol is classic, so brokers do not use {key}; expected no such setting, or the"
        " protocol consumer",
        group.name_place("groupConfig", key),
        group.name,
        f"remove {key}, set {own} in `config` if its members have it, or set group.protocol to consumer",
    )


GOOD = (
    on_cluster('kafka: "4.2"', PACKERS + "    groupConfig: {share.session.timeout.ms: 50s}\n"),
    ORDERS + BILLING + "    groupConfig: {consumer.session.timeout.ms: 50s}\n",
)
BAD = (
    Bad(
        on_cluster('kafka: "4.2"', PACKERS + "    groupConfig: {consumer.session.timeout.ms: 50s}\n"), line=8, column=19
    ),
    Bad(ORDERS + BILLING + "    groupConfig: {share.auto.offset.reset: earliest}\n", line=7, column=19),
    Bad(
        ORDERS
        + BILLING
        + "    config: {group.protocol: consumer}\n    groupConfig: {streams.num.standby.replicas: 1}\n",
        line=8,
        column=19,
    ),
    Bad(
        ORDERS
        + BILLING
        + "    config: {group.protocol: classic}\n    groupConfig: {consumer.session.timeout.ms: 50s}\n",
        line=8,
        column=19,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD)

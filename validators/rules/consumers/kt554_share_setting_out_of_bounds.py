from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.share_groups import possible_share_groups
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.units import format_duration, kafka_integer
from kafka_topology.validators.engine.examples import PACKERS, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT554: share-setting-out-of-bounds

A setting of a share group is outside the bounds of the brokers.

The brokers refuse a session timeout, heartbeat interval or record lock outside `group.share.min.…` and
`group.share.max.…`, and `pulumi up` fails. By default, a session takes 45 to 60 seconds, a heartbeat 5 to 15, and a
record lock 15 to 60. If your brokers have other bounds, declare them in `cluster.defaults`.

Fix: Choose a value within the bounds.
"""

_BOUNDED = ("session.timeout.ms", "heartbeat.interval.ms", "record.lock.duration.ms")


def check(context: Context) -> Iterator[Problem]:
    for name, group in possible_share_groups(context.topology).items():
        for setting in _BOUNDED:
            key = f"share.{setting}"
            number = kafka_integer(group.group_config.get(key, ""))
            if number is None:
                continue  # not declared, or KT417 reports it
            for side, is_wrong in (("min", int.__lt__), ("max", int.__gt__)):
                bound = context.settings.broker(f"group.share.{side}.{setting}")
                limit = bound.number if bound is not None else None
                if bound is None or limit is None or not is_wrong(number, limit):
                    continue
                expected = f"at {'least' if side == 'min' else 'most'} {format_duration(limit)}"
                related = (Related(bound.place.location, "the bound of the brokers"),) if bound.is_declared else ()
                yield Problem(
                    f"{name}: {key} is {format_duration(number)}, which the brokers refuse; expected {expected}"
                    f" ({bound.name})",
                    group.place("groupConfig", key),
                    name,
                    f"set {key} to {expected}",
                    related=related,
                )


GOOD = (
    on_cluster('kafka: "4.2"', PACKERS + "    groupConfig: {share.record.lock.duration.ms: 45s}\n"),
    on_cluster(
        'kafka: "4.2", defaults: {group.share.max.record.lock.duration.ms: 10m}',
        PACKERS + "    groupConfig: {share.record.lock.duration.ms: 5m}\n",
    ),
)
BAD = (
    Bad(
        on_cluster('kafka: "4.2"', PACKERS + "    groupConfig: {share.record.lock.duration.ms: 5m}\n"),
        line=8,
        column=50,
    ),
    Bad(on_cluster('kafka: "4.2"', PACKERS + "    groupConfig: {share.session.timeout.ms: 10s}\n"), line=8, column=45),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD)

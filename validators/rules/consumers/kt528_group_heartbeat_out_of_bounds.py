from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.units import format_duration, kafka_integer
from kafka_topology.validators.engine.examples import BILLING, ORDERS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT528: group-heartbeat-out-of-bounds

The heartbeat interval of a group is outside the bounds of the brokers.

With `group.protocol: consumer` or `streams`, the brokers decide the heartbeat, and `groupConfig` can change it for one
group. They refuse a value outside `group.consumer.min.heartbeat.interval.ms` and `…max…` (5 and 15 seconds by
default), and `pulumi up` fails. Those of Kafka Streams have the same bounds, and sessions of 45 to 60 seconds. KT505 is
about the sessions of consumer groups, KT554 about share groups.

Fix: Choose a value within the bounds. If your brokers have other bounds, declare them in `cluster.defaults`.
"""

_BOUNDED = ("consumer.heartbeat.interval.ms", "streams.heartbeat.interval.ms", "streams.session.timeout.ms")


def check(context: Context) -> Iterator[Problem]:
    for name, group in context.topology.consumer_groups.items():
        for key in _BOUNDED if group.group_config else ():
            number = kafka_integer(group.group_config.get(key, ""))
            if number is None:
                continue  # not declared, or KT417 reports it
            kind, setting = key.split(".", 1)
            for side, is_wrong in (("min", int.__lt__), ("max", int.__gt__)):
                bound = context.settings.broker(f"group.{kind}.{side}.{setting}")
                limit = bound.number if bound is not None else None
                if bound is None or limit is None or not is_wrong(number, limit):
                    continue
                expected = f"at {'least' if side == 'min' else 'most'} {format_duration(limit)}"
                yield Problem(
                    f"{name}: {key} is {format_duration(number)}, which the brokers refuse; expected {expected}"
                    f" ({bound.name})",
                    group.place("groupConfig", key),
                    name,
                    f"set {key} to {expected}",
                    related=(Related(bound.place.location, "the bound of the brokers"),) if bound.is_declared else (),
                )


EXAMPLE = ORDERS + BILLING + "    groupConfig: {consumer.heartbeat.interval.ms: 6s}\n"

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"6s": "1s"}), line=7, column=51),
    Bad(changed(EXAMPLE, {"6s": "16s"}), line=7, column=51),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R23",))

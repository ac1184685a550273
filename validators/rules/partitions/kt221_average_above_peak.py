from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.units import format_rate
from kafka_topology.validators.engine.examples import changed, orders_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT221: average-above-peak

The declared average load of a topic is above its peak.

One of the two is wrong, and rules use both: the average fills disks (KT312), the peak decides how many partitions
(KT201, KT218) and which quotas (KT610) the topic needs. With a peak that is too low, they accept what the real load
breaks.

Fix: Correct the value that is wrong. If only one is known, declare only that.
"""


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        load = topic.throughput
        if load is None or load.average is None or load.peak is None or load.average <= load.peak:
            continue
        yield Problem(
            f"{topic.name}: the average load is {format_rate(load.average)}, above the peak of"
            f" {format_rate(load.peak)}; expected at most the peak",
            topic.place("throughput", "average"),
            topic.name,
            "correct throughput.average or throughput.peak",
            (Related(topic.place("throughput", "peak").location, "the peak"),),
        )


EXAMPLE = orders_with("throughput: {average: 1MB/s, peak: 5MB/s}")

GOOD = (EXAMPLE, changed(EXAMPLE, {"1MB/s": "5MB/s"}), orders_with("throughput: {average: 50MB/s}"))
BAD = (Bad(changed(EXAMPLE, {"1MB/s": "50MB/s"}), line=3, column=65),)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R4",))

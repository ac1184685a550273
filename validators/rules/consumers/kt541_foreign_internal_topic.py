from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT541: foreign-internal-topic

A topic under `internalTopics` cannot belong to the streams application.

Kafka Streams names its internal topics itself: the application id, a hyphen, a name, and `-changelog`, `-repartition`
or, for foreign-key joins, `-topic`. An audit would look for a topic that the application never creates, and access to
it would be missing. A topic that is declared under `topics` is not internal, either.

Fix: Correct the name, or list the topic under `reads` or `writes`.
"""
ENDS = ("-changelog", "-repartition", "-topic")


def check(context: Context) -> Iterator[Problem]:
    for application in context.topology.streams.values():
        internal = application.internal_topics
        for index, name in enumerate(internal.topics if internal is not None else ()):
            own = f"{application.name}-"
            if name in context.topology.topics:
                why, expected = "is declared under `topics`, so it is not internal", "only internal ones"
            elif not name.startswith(own):
                why, expected = "does not begin with the application id", f"a name that begins with {own}"
            elif not name.endswith(ENDS):
                why, expected = "ends as no internal topic does", f"one of {', '.join(ENDS)} at the end"
            else:
                continue
            yield Problem(
                f"{application.name}: internal topic {name} {why}; expected {expected}",
                application.place("internalTopics", "topics", index),
                application.name,
                "correct the name, or list the topic under `reads` or `writes`",
            )


EXAMPLE = (
    ORDERS
    + """\
streams:
  summing:
    reads: [orders]
    internalTopics: {topics: [summing-totals-changelog]}
"""
)
GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"summing-totals-changelog": "summing.totals-changelog"}), line=7, column=31),
    Bad(changed(EXAMPLE, {"summing-totals-changelog": "summing-totals"}), line=7, column=31),
    Bad(changed(EXAMPLE, {"summing-totals-changelog": "orders"}), line=7, column=31),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R17",))

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

from kafka_topology.topology.kafka.quantities import AS_RETENTION
from kafka_topology.topology.model.declared import RuleSetting, Topic
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.places import Place
from kafka_topology.topology.model.units import kafka_true
from kafka_topology.validators.engine.examples import changed
from kafka_topology.validators.engine.helpers import count_place, place_of, shown
from kafka_topology.validators.engine.rule import Bad, Context, Option, Problem, rule
from kafka_topology.validators.facts.limits import COUNTS, Limit, Limits, Mistake, specificity

DOCS = """\
# KT016: outside-limits

A topic is outside the limits that the platform team sets for its name.

A platform team gives each team room to decide, and limits for what is expensive or dangerous: partitions, retention,
the size of messages. `limits` has a prefix of names, or a pattern in which `*` stands for any characters, and below it
`partitions`, `replication` or any topic setting. A value means exactly that, a list means one of these, and `min`,
`max` and `allowed` say the rest. Durations and sizes take units, and `forever` is above every duration:

```yaml
rules:
  KT016:
    limits:
      "*":                              # every topic
        replication: 3
        retention.ms: {max: 7d}
        min.insync.replicas: {min: 2}
      payments.:                        # every name that starts with it
        partitions: {min: 6, max: 48}
        compression.type: [zstd, lz4]
      payments.audit.:                  # more specific, so it decides instead
        retention.ms: {min: 90d, max: 365d}
```

For each setting, the entry that spells out most of the name decides. A limit applies to the value in force, also if it
comes from a profile, the cluster or Kafka. Settings without effect are not judged: retention of a topic that is only
compacted, compaction lags of one that is not. A limit that names an unknown setting, or matches no topic, is an error,
because it protects nothing. The rule is off until you set limits.

Put them into a file that the platform team owns, and let it approve changes of that file. Other files cannot lift them:
a suppression of this rule counts only in the file that sets the limits, and an environment of another file that
changes the severity or a limit is an error. An exception is an entry with the whole name of the topic, in that file.

Kafka's default for `max.message.bytes` is 1048588: 1 MiB and the 12 bytes in front of a batch. A limit of 1 MiB is
below it.

Fix: Choose a value within the limits, or ask the platform team to change them.
"""


# The cleanup policy without which a setting has no effect.
_POLICIES = {
    **dict.fromkeys(("retention.ms", "retention.bytes", "local.retention.ms", "local.retention.bytes"), "delete"),
    **dict.fromkeys(
        ("min.compaction.lag.ms", "max.compaction.lag.ms", "min.cleanable.dirty.ratio", "delete.retention.ms"),
        "compact",
    ),
}
_AS_RETENTION = str(AS_RETENTION)
_DEFAULT_MAXIMUM = "1048588"  # of max.message.bytes: 1 MiB is 12 bytes less, which readers do not see


def check(context: Context) -> Iterator[Problem]:
    options = context.options["limits"]
    setting = context.topology.rules.get(RULE.id)
    if not isinstance(options, Mapping) or not options or setting is None:
        return
    limits = Limits(options, context.settings.catalogue)
    for mistake in limits.mistakes:
        yield _mistake(setting, mistake)
    judged = _Judge(context)
    patterns = sorted(limits.by_pattern, key=specificity)
    matching = [(pattern, limits.matching(pattern)) for pattern in patterns]
    deciding: dict[tuple[str, ...], tuple[Limit, ...]] = {}
    unused = set(patterns)
    for topic in context.topology.topics.values():
        matched = tuple(pattern for pattern, matches in matching if matches(topic.name))
        if matched not in deciding:
            deciding[matched] = _deciding(limits, matched)
            unused.difference_update(matched)
        for limit in deciding[matched]:
            if not judged(limit, topic):
                yield _problem(context, setting, topic, limit)
    for pattern in [] if context.options["allowUnused"] else patterns:
        if pattern in unused:
            message = f"no topic has a name that fits `{pattern}`, so its limits protect nothing"
            yield _mistake(setting, Mistake((pattern,), message, "correct or remove it", of_name=True))


def _deciding(limits: Limits, matched: tuple[str, ...]) -> tuple[Limit, ...]:
    """Of entries in order, the least specific first: for each setting, the limits of the most specific ones."""
    chosen: dict[str, list[Limit]] = {}
    for pattern in matched:
        for limit in limits.by_pattern[pattern]:
            others = chosen.setdefault(limit.subject.name, [])
            if others and specificity(others[0].pattern) < specificity(pattern):
                others.clear()
            others.append(limit)
    return tuple(limit for each in chosen.values() for limit in each)


class _Judge:
    """Whether a limit accepts a topic. Each value is judged once for each limit."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._values: dict[str, Callable[[Topic], str | None]] = {}
        self._known: dict[tuple[str, str, str | None], bool] = {}
        self._policy = context.index.topic_text("cleanup.policy")

    def __call__(self, limit: Limit, topic: Topic) -> bool:
        name = limit.subject.name
        if name in _POLICIES and not self._is_used(_POLICIES[name], topic):
            return True
        if name not in self._values:
            self._values[name] = _value_of(self._context, limit)
        value = self._values[name](topic)
        key = (limit.pattern, name, value)
        if key not in self._known:
            self._known[key] = _accepts(limit, value)
        return self._known[key]

    def _is_used(self, policy: str, topic: Topic) -> bool:
        chosen = self._policy(topic)
        return chosen is None or policy in (each.strip() for each in chosen.split(","))


def _value_of(context: Context, limit: Limit) -> Callable[[Topic], str | None]:
    """A fast lookup of the value in force, as Kafka writes it."""
    name = limit.subject.name
    if name in COUNTS:
        return lambda topic: str(getattr(topic, name))
    found = context.index.topic_text(name)
    if not name.startswith("local."):
        return found
    whole = context.index.topic_text(name.removeprefix("local."))
    tiered = context.index.topic_text("remote.storage.enable")

    def in_force(topic: Topic) -> str | None:
        if not kafka_true(tiered(topic)):
            return None  # it has no effect, and KT316 would report it
        return whole(topic) if found(topic) == _AS_RETENTION else found(topic)

    return in_force


def _accepts(limit: Limit, value: str | None) -> bool:
    """A topic without a value of a vendor's setting is not judged: nobody here knows the default.

    Nor is local retention that has no effect.
    """
    if value is not None:
        return limit.accepts(value)
    name = limit.subject.name
    return name.startswith("local.") or (limit.subject.key is None and name not in COUNTS)


def _problem(context: Context, setting: RuleSetting, topic: Topic, limit: Limit) -> Problem:
    name = limit.subject.name
    words, at = _shown(context, topic, limit)
    if limit.most == 1024**2 and words.startswith(_DEFAULT_MAXIMUM):
        words += ", which is 1 MiB and 12 bytes"
    return Problem(
        f"{topic.name}: {name} is {words}; expected {limit.expected}, the limit for {limit.whom}",
        at,
        topic.name,
        f"set {name} to {limit.expected}, or ask the platform team to change the limit",
        (Related(setting.place("limits", *limit.path).location, "the limit is set here"),),
    )


def _shown(context: Context, topic: Topic, limit: Limit) -> tuple[str, Place]:
    """The value in force as people write it, and the place that set it."""
    name = limit.subject.name
    if name in COUNTS:
        return str(getattr(topic, name)), count_place(context.topology, topic, name)
    found = context.settings.topic(topic, name)
    if found is not None and name.startswith("local.") and found.value == _AS_RETENTION:
        found = context.settings.topic(topic, name.removeprefix("local."))
    if found is None:
        return "not set", topic.place()
    is_endless = limit.subject.is_number and limit.subject.number(found.value) == math.inf
    return limit.subject.shown(math.inf) if is_endless else shown(found), place_of(found, topic)


def _mistake(setting: RuleSetting, mistake: Mistake) -> Problem:
    path = ("limits", *mistake.path)
    return Problem(
        f"{RULE.id}: {mistake.message}; expected a limit that can be checked",
        setting.name_place(*path) if mistake.of_name else setting.place(*path),
        RULE.id,
        mistake.fix,
    )


EXAMPLE = """\
version: 1
topics:
  payments.ledger: {partitions: 12, replication: 3, retention: 7d}
  payments.audit.log: {partitions: 6, replication: 3, retention: 365d}
rules:
  KT016:
    limits:
      "*":
        replication: 3
        retention.ms: {max: 7d}
      payments.:
        partitions: {min: 6, max: 48}
        compression.type: [producer, zstd]
      payments.audit.:
        retention.ms: {min: 90d, max: 365d}
"""

OPTIONS = (
    Option("limits", {}, "Limits by the prefix of a name, or by a pattern with `*`."),
    Option("allowUnused", False, "Whether a prefix may match no topic, as in a file that several repositories share."),
)
TIERED = """\
version: 1
topics:
  clicks: {partitions: 6, replication: 3, retention: 30d, config: {remote.storage.enable: true, local.retention.ms: 1d}}
  orders: {partitions: 6, replication: 3, retention: 7d}
rules:
  KT016:
    limits:
      "*": {local.retention.ms: {max: 1d}}
"""

GOOD = (
    EXAMPLE,
    TIERED,
    changed(
        EXAMPLE,
        {
            "limits:": "allowUnused: true\n    limits:",
            "payments.audit.:": "orders.:",
            "retention: 365d": "retention: 7d",
        },
    ),
)
BAD = (
    Bad(changed(EXAMPLE, {"partitions: 12": "partitions: 100"}), line=3, column=33),
    Bad(changed(EXAMPLE, {"retention: 7d}": "retention: forever}"}), line=3, column=64),
    Bad(changed(EXAMPLE, {"retention: 365d": "retention: 7d"}), line=4, column=66),
    Bad(
        changed(
            EXAMPLE, {"[producer, zstd]": "[zstd, lz4]", "payments.audit.log:": "log:", "payments.audit.:": "log:"}
        ),
        line=3,
        column=20,
    ),
    Bad(changed(EXAMPLE, {"        replication: 3\n": "        replicas: 3\n"}), line=9, column=9),
    Bad(
        changed(EXAMPLE, {"payments.audit.:": "payment.audit.:", "retention: 365d": "retention: 7d"}), line=14, column=7
    ),
    Bad(changed(TIERED, {"local.retention.ms: 1d": "local.retention.ms: 2d"}), line=3, column=117),
    Bad(changed(EXAMPLE, {"max: 48": "max: many"}), line=12, column=35),
    Bad(changed(EXAMPLE, {"[producer, zstd]": "{max: zstd}"}), line=13, column=28),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, options=OPTIONS, enabled=False, set_by_one_file=True)

"""KT016: which limits apply to a topic, how values are compared, and which limits are mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafka_topology.topology import load
from kafka_topology.validators import validate

TOPICS = """\
version: 1
cluster: {defaults: {log.retention.hours: 240}}
topics:
  shop.orders: {partitions: 6, replication: 3, retention: 7d}
  shop.orders.dlq: {partitions: 3, replication: 3, retention: 30d}
  bank.books: {partitions: 6, replication: 3, config: {cleanup.policy: [delete, compact], retention.bytes: 5GiB}}
"""


def found(folder: Path, limits: str, *, options: str = "", more: str = "", env: str | None = None) -> list[str]:
    """The messages of KT016, without the name of the rule."""
    file = folder / "topology.yaml"
    file.write_text(f"{TOPICS}rules:\n  KT016:\n    {options}limits: {limits}\n{more}")
    loaded = load(file, environment=env) if env is not None else load(file)
    assert loaded.topology is not None, loaded.problems
    return [f.message for f in validate(loaded.topology) if f.id == "KT016"]


def test_a_prefix_and_a_pattern_select_topics(tmp_path: Path) -> None:
    assert found(tmp_path, '{"*.dlq": {partitions: 6}}') == [
        "shop.orders.dlq: partitions is 3; expected 6, the limit for topics named *.dlq"
    ]
    assert found(tmp_path, "{shop.: {partitions: {min: 4}}}") == [
        "shop.orders.dlq: partitions is 3; expected at least 4, the limit for topics that start with shop."
    ]
    assert found(tmp_path, '{"*": {partitions: {max: 3}}}') == [
        "shop.orders: partitions is 6; expected at most 3, the limit for every topic",
        "bank.books: partitions is 6; expected at most 3, the limit for every topic",
    ]


def test_for_each_setting_the_most_specific_entry_decides(tmp_path: Path) -> None:
    limits = '{"*": {retention.ms: {max: 10d}, partitions: {max: 6}}, "*.dlq": {retention.ms: {max: 30d}}}'
    assert found(tmp_path, limits) == []
    reversed_order = '{"*.dlq": {retention.ms: {max: 30d}}, "*": {retention.ms: {max: 10d}}}'
    assert found(tmp_path, reversed_order) == []
    both = '{"*.dlq": {partitions: {max: 2}}, "shop": {partitions: {min: 4}}}'
    assert len(found(tmp_path, both)) == 2, "two entries that spell out equally much both apply"


OF_DELETION = {"retention.ms", "retention.bytes"}
OF_COMPACTION = {"max.compaction.lag.ms", "min.compaction.lag.ms", "delete.retention.ms", "min.cleanable.dirty.ratio"}


@pytest.mark.parametrize(
    ("policy", "judged"),
    [
        ("compact", OF_COMPACTION),
        ("delete", OF_DELETION),
        ("[compact, delete]", OF_COMPACTION | OF_DELETION),
    ],
)
@pytest.mark.parametrize("declared_by", ["topic", "cluster"])
def test_settings_that_the_cleanup_policy_ignores_are_not_judged(
    policy: str, judged: set[str], declared_by: str, tmp_path: Path
) -> None:
    own = f", config: {{cleanup.policy: {policy}}}" if declared_by == "topic" else ""
    brokers = f"log.cleanup.policy: {policy}" if declared_by == "cluster" else ""
    file = tmp_path / "topology.yaml"
    file.write_text(f"""\
version: 1
cluster: {{defaults: {{{brokers}}}}}
topics: {{a: {{partitions: 6, replication: 3, key: {{type: string}}{own}}}}}
rules:
  KT016:
    limits:
      "*":
        retention.ms: 1s
        retention.bytes: 1
        max.compaction.lag.ms: 1s
        min.compaction.lag.ms: 1s
        delete.retention.ms: 1s
        min.cleanable.dirty.ratio: 0.01
        local.retention.ms: 1s
""")
    loaded = load(file)
    assert loaded.topology is not None, loaded.problems
    assert {f.message.split()[1] for f in validate(loaded.topology) if f.id == "KT016"} == judged


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("retention.ms: {max: 9d}", "retention.ms is 10d; expected at most 9d"),
        ("retention: {max: 9d}", "retention.ms is 10d; expected at most 9d"),
        ("retention.ms: 864000000", None),
        ("retention.ms: 10d", None),
        ("retention.ms: {min: forever}", "retention.ms is 10d; expected at least forever"),
        ("retention.bytes: {max: 5GiB}", None),
        ("retention.bytes: {max: 1GiB}", "retention.bytes is 5GiB; expected at most 1GiB"),
        ("cleanup.policy: [delete, 'compact,delete']", None),
        ("cleanup.policy: delete", "cleanup.policy is delete,compact; expected delete"),
        ("min.cleanable.dirty.ratio: {max: 0.25}", "min.cleanable.dirty.ratio is 0.5 (Kafka's default)"),
        ("min.cleanable.dirty.ratio: 0.5", None),
        ("unclean.leader.election.enable: false", None),
        ("unclean.leader.election.enable: true", "unclean.leader.election.enable is false (Kafka's default)"),
        ("replication: [2, 3]", None),
        ("partitions: {allowed: [3, 12]}", "partitions is 6; expected 3 or 12"),
        ("local.retention.ms: {max: 1d}", None),  # of a topic that is not tiered, it has no effect
        ("confluent.tier.enable: true", None),
    ],
)
def test_values_are_compared_as_kafka_reads_them(limit: str, message: str | None, tmp_path: Path) -> None:
    messages = found(tmp_path, f"{{bank.: {{{limit}}}}}")
    assert len(messages) == (message is not None)
    assert all(text.startswith(f"bank.books: {message}") for text in messages)


def test_no_retention_is_above_every_maximum(tmp_path: Path) -> None:
    more = "environments: {lab: {topics: {shop.orders: {config: {retention.ms: -1}}}}}\n"
    messages = found(tmp_path, "{shop.orders: {retention.ms: {max: 365d}}}", more=more, env="lab")
    (message,) = messages
    assert message.startswith("shop.orders: retention.ms is forever; expected at most 365d")


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ("{shop.: {retention: {maximum: 7d}}}", "a limit has no `maximum`"),
        ("{shop.: {retention.msec: {max: 7d}}}", "Kafka 4.1 has no topic setting `retention.msec`"),
        ("{shop.: {retention.ms: {max: soon}}}", "max of retention.ms is `soon`"),
        ("{shop.: {retention.ms: {max: 1GiB}}}", "max of retention.ms is `1GiB`"),
        ("{shop.: {partitions: {min: 9, max: 3}}}", "min of partitions is 9, above max of 3"),
        ("{shop.: {partitions: {}}}", "partitions has no limit"),
        ("{shop.: {partitions: []}}", "partitions has no allowed values"),
        ("{shop.: {}}", "`shop.` has no limits"),
        ("{shop.: 3}", "`shop.` has no limits"),
        ("{shop.: {cleanup.policy: {min: 1}}}", "cleanup.policy is not a number, so it has no min"),
        ("{shop.: {cleanup.policy: remove}}", "cleanup.policy cannot be `remove`"),
        ("{shop.: {partitions: {max: true}}}", "max of partitions is `true`"),
        ("{stock.: {partitions: 6}}", "no topic has a name that fits `stock.`, so its limits protect nothing"),
    ],
)
def test_a_limit_that_cannot_be_checked_is_an_error(limits: str, message: str, tmp_path: Path) -> None:
    assert found(tmp_path, limits) == [f"KT016: {message}; expected a limit that can be checked"]


def test_a_shared_file_may_have_prefixes_of_others(tmp_path: Path) -> None:
    assert found(tmp_path, "{stock.: {partitions: 6}}", options="allowUnused: true\n    ") == []


def test_an_environment_changes_single_limits(tmp_path: Path) -> None:
    more = 'environments: {lab: {rules: {KT016: {limits: {"*": {replication: 1}}}}}}\n'
    limits = '{"*": {replication: 3, partitions: {max: 6}}}'
    assert found(tmp_path, limits, more=more) == []
    assert [text.split(";")[0] for text in found(tmp_path, limits, more=more, env="lab")] == [
        "shop.orders: replication is 3",
        "shop.orders.dlq: replication is 3",
        "bank.books: replication is 3",
    ]


PLATFORM = 'version: 1\nrules:\n  KT016: {limits: {"*": {partitions: {max: 12}}}}\n'
TEAM = "version: 1\ntopics:\n  a: {partitions: 60, replication: 3}\n"


def found_in_two_files(folder: Path, team: str, environment: str | None = None, platform: str = PLATFORM) -> list[str]:
    (folder / "platform.yaml").write_text(platform)
    (folder / "team.yaml").write_text(team)
    loaded = load(folder, environment)
    assert loaded.topology is not None, loaded.problems
    return [
        f"{Path(f.location.file).name}: {f.message}" for f in validate(loaded.topology) if f.id in ("KT016", "KT011")
    ]


LIMIT = "team.yaml: a: partitions is 60; expected at most 12, the limit for every topic"


@pytest.mark.parametrize(
    "suppressed",
    [
        TEAM.replace("replication: 3}", "replication: 3, ignore: {KT016: we decide}}"),
        TEAM.replace("  a:", "  # kafka-topology: ignore KT016 we decide\n  a:"),
        TEAM.replace("3}", "3}  # kafka-topology: ignore KT016 we decide"),
    ],
)
def test_another_file_cannot_suppress_the_limits(tmp_path: Path, suppressed: str) -> None:
    assert found_in_two_files(tmp_path, suppressed) == [LIMIT]


def test_the_file_that_sets_the_limits_can_suppress_them(tmp_path: Path) -> None:
    profile = "profiles: {large: {ignore: {KT016: agreed}}}\n"
    team = TEAM.replace("{partitions", "{profile: large, partitions")
    assert found_in_two_files(tmp_path, team, platform=PLATFORM + profile) == []


@pytest.mark.parametrize(
    ("change", "path", "others"),
    [
        ("{severity: off}", "severity", []),
        ("{severity: advice}", "severity", [LIMIT]),
        ('{limits: {"*": {partitions: {max: 100}}}}', "limits.*.partitions.max", []),
        ("{limits: {a: {partitions: {max: 100}}}}", "limits.a.partitions.max", []),
    ],
)
def test_an_environment_of_another_file_cannot_change_the_limits(
    tmp_path: Path, change: str, path: str, others: list[str]
) -> None:
    expected = "is set here, but platform.yaml sets KT016; expected only one file that sets it"
    team = f"{TEAM}environments: {{prod: {{rules: {{KT016: {change}}}}}}}\n"
    assert sorted(found_in_two_files(tmp_path, team, "prod")) == sorted(
        [
            f"team.yaml: KT016: `{path}` {expected}",
            *others,
        ]
    )


def test_an_environment_of_the_same_file_may_change_the_limits(tmp_path: Path) -> None:
    platform = PLATFORM + 'environments: {prod: {rules: {KT016: {limits: {"*": {partitions: {max: 100}}}}}}}\n'
    assert found_in_two_files(tmp_path, TEAM, "prod", platform) == []


def test_the_default_maximum_of_messages_is_slightly_above_one_mebibyte(tmp_path: Path) -> None:
    [message] = found(tmp_path, "{bank.: {max.message.bytes: {max: 1MiB}}}")
    assert message.startswith(
        "bank.books: max.message.bytes is 1048588B (Kafka's default), which is 1 MiB and 12 bytes;"
    )

"""Kafka's configs by version: what the jars say, and how values are judged against it."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from kafka_topology.topology.catalogue import SCOPES, VERSIONS, Catalogue, catalogue, nearest
from kafka_topology.topology.config_key import BrokerKey, ConfigKey

RAW = json.loads((files("kafka_topology.topology") / "catalogue.json").read_text("utf-8"))
EVERYWHERE = [(version, scope) for version in VERSIONS for scope in SCOPES]


# The file.


def test_the_file_covers_the_versions_that_the_module_names() -> None:
    assert tuple(RAW["kafka"]) == VERSIONS
    assert all(patch.startswith(f"{minor}.") for minor, patch in RAW["kafka"].items())


def test_the_file_has_one_config_per_line_in_order() -> None:
    lines = (files("kafka_topology.topology") / "catalogue.json").read_text("utf-8").splitlines()
    for rows in RAW["scopes"].values():
        assert list(rows) == sorted(rows)
    configs = sum(len(rows) for rows in RAW["scopes"].values())
    assert sum('"type": ' in line and line.startswith('"') for line in lines) == configs


@pytest.mark.parametrize("scope", SCOPES)
def test_rows_name_known_versions_in_order(scope: str) -> None:
    for row in RAW["scopes"][scope].values():
        life = [row.get("since"), *row.get("changes", {}), row.get("removed")]
        places = [VERSIONS.index(version) for version in life if version is not None]
        assert places == sorted(set(places))


@pytest.mark.parametrize(("version", "scope"), EVERYWHERE)
def test_each_default_is_legal_and_printed_as_kafka_prints_it(version: str, scope: str) -> None:
    for key in getattr(catalogue(version), scope).values():
        if key.default is not None:
            # Kafka lets a default be empty where a user's value may not be.
            assert key.default == "" or key.problem(key.default) is None, key
            assert key.normal(key.default) == key.default


@pytest.mark.parametrize("version", VERSIONS)
def test_a_topic_and_its_broker_default_to_the_same(version: str) -> None:
    kafka = catalogue(version)
    for key in kafka.topic.values():
        for inherited in key.broker_keys:
            default = kafka.broker[inherited.name].default
            if default is not None:
                assert inherited.topic_value(default) == key.default
                break


# What the jars say.


@pytest.mark.parametrize(("version", "default"), [("3.7", "0"), ("3.9", "0"), ("4.0", "5"), ("4.2", "5")])
def test_linger_ms_defaults_to_5_since_4_0(version: str, default: str) -> None:
    assert catalogue(version).producer["linger.ms"].default == default


def test_the_smallest_segment_is_1_mib_since_4_1() -> None:
    assert catalogue("4.0").topic["segment.bytes"].minimum == 14
    assert catalogue("4.1").topic["segment.bytes"].minimum == 1024 * 1024


def test_message_format_version_is_removed_in_4_0() -> None:
    assert "message.format.version" not in catalogue("4.0").topic
    last = catalogue("3.9").topic["message.format.version"]
    assert last.removed == "4.0"
    assert last.deprecated
    assert catalogue("4.2").in_other_version("topic", "message.format.version") == last


def test_a_config_of_a_later_version_is_found_there() -> None:
    assert "share.acquire.mode" not in catalogue("4.1").consumer
    found = catalogue("3.7").in_other_version("consumer", "share.acquire.mode")
    assert found is not None
    assert found.since == "4.2"


def test_a_config_that_is_here_or_nowhere_is_in_no_other_version() -> None:
    assert catalogue("4.1").in_other_version("topic", "retention.ms") is None
    assert catalogue("4.1").in_other_version("topic", "retention.mss") is None


def test_group_protocol_exists_since_the_oldest_version() -> None:
    key = catalogue("3.7").consumer["group.protocol"]
    assert (key.since, key.default, key.choices) == (None, "classic", ("classic", "consumer"))
    assert key.problem("CONSUMER") is None


def test_groups_have_configs_since_4_0() -> None:
    assert catalogue("3.9").group == {}
    assert catalogue("4.0").group["consumer.session.timeout.ms"].default == "45000"


def test_retention_is_inherited_from_three_broker_keys_in_order() -> None:
    assert catalogue("4.1").topic["retention.ms"].broker_keys == (
        BrokerKey("log.retention.ms", 1),
        BrokerKey("log.retention.minutes", 60_000),
        BrokerKey("log.retention.hours", 3_600_000),
    )


def test_a_broker_value_is_converted_to_the_unit_of_the_topic() -> None:
    hours = BrokerKey("log.retention.hours", 3_600_000)
    assert hours.topic_value("168") == "604800000"
    assert hours.topic_value("-1") == "-1"
    assert BrokerKey("log.cleanup.policy").topic_value("compact,delete") == "compact,delete"


def test_internal_and_required_configs_are_marked() -> None:
    assert catalogue("4.1").topic["internal.segment.bytes"].internal
    assert catalogue("4.1").streams["application.id"].required
    assert not catalogue("4.1").producer["acks"].required


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("num.stream.threads", True),
        ("producer.linger.ms", True),
        ("consumer.auto.offset.reset", True),
        ("main.consumer.max.poll.records", True),
        ("restore.consumer.fetch.max.bytes", True),
        ("global.consumer.isolation.level", True),
        ("admin.retries", True),
        ("topic.cleanup.policy", True),
        ("client.tag.zone", True),
        ("linger.ms", True),
        ("producer.lingr.ms", False),
        ("producer.num.stream.threads", False),
        ("topic.linger.ms", False),
        ("client.tag.", False),
        ("num.streams.threads", False),
    ],
)
def test_streams_knows_what_it_hands_on(name: str, known: bool) -> None:
    assert (catalogue("4.1").find("streams", name) is not None) == known


def test_only_streams_knows_prefixes() -> None:
    assert catalogue("4.1").find("producer", "producer.linger.ms") is None


# Values.


@pytest.mark.parametrize(
    ("scope", "name", "value", "problem"),
    [
        ("producer", "acks", "all", None),
        ("producer", "acks", "-1", None),
        ("producer", "acks", "2", "must be one of -1, 0, 1, all"),
        ("topic", "min.insync.replicas", "1", None),
        ("topic", "min.insync.replicas", "0", "must be a whole number of at least 1"),
        ("topic", "min.insync.replicas", "two", "must be a whole number of at least 1"),
        (
            "topic",
            "min.insync.replicas",
            "2147483648",
            "must be a whole number of at least 1, and at most 2147483647",
        ),
        ("topic", "retention.ms", "-1", None),
        ("topic", "retention.ms", "7d", "must be a whole number of at least -1"),
        ("topic", "retention.ms", "9" * 5000, "must be a whole number of at least -1"),
        ("topic", "compression.gzip.level", "-1", None),
        ("topic", "compression.gzip.level", "9", None),
        ("topic", "compression.gzip.level", "0", "must be a whole number from 1 to 9, or -1"),
        ("topic", "min.cleanable.dirty.ratio", "0.5", None),
        ("topic", "min.cleanable.dirty.ratio", "1.5", "must be a number from 0 to 1"),
        ("topic", "min.cleanable.dirty.ratio", "1e999", "must be a number from 0 to 1"),
        ("topic", "min.cleanable.dirty.ratio", "nan", "must be a number from 0 to 1"),
        ("topic", "preallocate", "TRUE", None),
        ("topic", "preallocate", "yes", "must be true or false"),
        ("topic", "cleanup.policy", "compact, delete", None),
        (
            "topic",
            "cleanup.policy",
            "compacted",
            "must be a comma-separated list of values out of compact, delete",
        ),
        ("consumer", "auto.offset.reset", "by_duration:PT1H30M", None),
        (
            "consumer",
            "auto.offset.reset",
            "by_duration:1h",
            "must be one of by_duration:PnDTnHnMn.nS, earliest, latest, none",
        ),
        ("producer", "transactional.id", "", "must be a text that is not empty"),
        ("streams", "topology.optimization", "all", None),
        (
            "streams",
            "topology.optimization",
            "merge.repartition.topics,reuse.ktable.source.topics",
            None,
        ),
    ],
)
def test_values_are_judged_as_kafka_does(scope: str, name: str, value: str, problem: str | None) -> None:
    assert getattr(catalogue("4.1"), scope)[name].problem(value) == problem


def test_a_cleanup_policy_may_not_repeat_since_4_2() -> None:
    assert catalogue("4.1").topic["cleanup.policy"].problem("delete,delete") is None
    assert catalogue("4.2").topic["cleanup.policy"].problem("delete,delete") == (
        "must be a comma-separated list of different values out of compact, delete"
    )


@pytest.mark.parametrize(
    ("scope", "name", "value", "printed"),
    [
        ("topic", "preallocate", " True ", "true"),
        ("topic", "retention.ms", "+007", "7"),
        ("topic", "cleanup.policy", "compact , delete", "compact,delete"),
        ("topic", "min.cleanable.dirty.ratio", "1", "1.0"),
        ("topic", "min.cleanable.dirty.ratio", ".0001", "1.0E-4"),
        ("broker", "log.cleaner.io.max.bytes.per.second", "12345678.9", "1.23456789E7"),
        ("producer", "key.serializer", " a.b.C ", "a.b.C"),
        ("topic", "retention.ms", "soon", "soon"),
    ],
)
def test_values_are_printed_as_kafka_does(scope: str, name: str, value: str, printed: str) -> None:
    assert getattr(catalogue("4.1"), scope)[name].normal(value) == printed


@pytest.mark.parametrize(
    ("minimum", "maximum", "expected"),
    [
        (None, None, "a number"),
        (0, None, "a number of at least 0"),
        (None, 1, "a number of at most 1"),
        (0, 1, "a number from 0 to 1"),
    ],
)
def test_ranges_read_as_words(minimum: int | None, maximum: int | None, expected: str) -> None:
    key = ConfigKey(name="x", type="double", minimum=minimum, maximum=maximum)
    assert key.expected == expected


# Finding the catalogue and the name.


def test_a_patch_version_has_the_catalogue_of_its_minor() -> None:
    assert catalogue("4.1.0") is catalogue("4.1")
    assert isinstance(catalogue("4.1"), Catalogue)


@pytest.mark.parametrize("version", ["2.8", "4", "4.99", "latest", ""])
def test_an_unknown_version_is_refused_with_the_known_ones(version: str) -> None:
    with pytest.raises(ValueError, match=r"3\.7, 3\.8, 3\.9, 4\.0, 4\.1, 4\.2"):
        catalogue(version)


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("retention.mss", "retention.ms"),
        ("min.insync.replica", "min.insync.replicas"),
        ("cleanup-policy", "cleanup.policy"),
        ("max.mesage.bytes", "max.message.bytes"),
        ("colour", None),
    ],
)
def test_a_misspelt_name_gets_a_suggestion(name: str, suggestion: str | None) -> None:
    assert nearest(name, catalogue("4.1").topic) == suggestion

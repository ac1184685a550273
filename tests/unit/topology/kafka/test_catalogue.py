"""Kafka's configs by version: what the jars say, and how values are judged against it."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import get_args

import pytest

from kafka_topology.topology.kafka.catalogue import SCOPES, VERSIONS, Catalogue, catalogue
from kafka_topology.topology.kafka.config_key import BrokerKey, ConfigKey, ConfigType, Importance
from kafka_topology.topology.model.words import nearest

RAW = json.loads((files("kafka_topology.topology.kafka") / "catalogue.json").read_text("utf-8"))


# The file.


def test_the_file_covers_the_versions_that_the_module_names() -> None:
    assert tuple(RAW["kafka"]) == VERSIONS
    assert all(patch.startswith(f"{minor}.") for minor, patch in RAW["kafka"].items())


def test_the_file_has_one_config_per_line_in_order() -> None:
    lines = (files("kafka_topology.topology.kafka") / "catalogue.json").read_text("utf-8").splitlines()
    for rows in RAW["scopes"].values():
        assert list(rows) == sorted(rows)
    configs = sum(len(rows) for rows in RAW["scopes"].values())
    assert sum('"type": ' in line and line.startswith('"') for line in lines) == configs


ROW_FIELDS = {
    *("type", "default", "required", "min", "max", "choices", "combinable", "ignoreCase", "nonEmpty", "distinct"),
    *("since", "removed", "deprecated", "changes", "internal", "broker", "importance", "doc"),
}
NUMBERS = {"short": 1 << 15, "int": 1 << 31, "long": 1 << 63, "double": None}

# Settings that have no default in some version of Kafka: what they name or hold differs from place to place, or null
# means that another setting counts. Booleans, shorts and doubles always have one; passwords never do.
SECURITY = {
    *("sasl.client.callback.handler.class", "sasl.kerberos.service.name", "sasl.login.callback.handler.class"),
    *("sasl.login.class", "sasl.login.connect.timeout.ms", "sasl.login.read.timeout.ms"),
    *(f"sasl.oauthbearer.assertion.{name}" for name in ("file", "private.key.file", "template.file")),
    *(f"sasl.oauthbearer.assertion.claim.{name}" for name in ("aud", "iss", "sub")),
    *("sasl.oauthbearer.client.credentials.client.id", "sasl.oauthbearer.expected.audience"),
    *("sasl.oauthbearer.expected.issuer", "sasl.oauthbearer.jwks.endpoint.url", "sasl.oauthbearer.scope"),
    *("sasl.oauthbearer.token.endpoint.url", "security.providers", "ssl.engine.factory.class"),
    *("ssl.keystore.location", "ssl.provider", "ssl.secure.random.implementation", "ssl.truststore.location"),
}
WITHOUT_DEFAULT = {
    "topic": {"internal.segment.bytes"},
    "producer": {
        *SECURITY,
        *("bootstrap.servers", "key.serializer", "partitioner.class", "ssl.cipher.suites", "transactional.id"),
        "value.serializer",
    },
    "consumer": {
        *SECURITY,
        *("bootstrap.servers", "group.id", "group.instance.id", "group.remote.assignor", "key.deserializer"),
        *("ssl.cipher.suites", "value.deserializer"),
    },
    "admin": {*SECURITY, "ssl.cipher.suites"},
    "streams": {
        *("application.id", "bootstrap.servers", "default.key.serde", "default.value.serde"),
        *(f"default.list.{side}.serde.{part}" for side in ("key", "value") for part in ("inner", "type")),
        *("errors.dead.letter.queue.topic.name", "rack.aware.assignment.non_overlap_cost"),
        *("rack.aware.assignment.traffic_cost", "rocksdb.config.setter", "task.assignor.class", "upgrade.from"),
        *("window.size.ms", "windowed.inner.class.serde"),
    },
    "group": set(),
    "broker": {
        *SECURITY,
        *("advertised.listeners", "alter.config.policy.class.name", "broker.rack", "client.quota.callback.class"),
        *("control.plane.listener.name", "controller.listener.names", "create.topic.policy.class.name"),
        *("early.start.listeners", "inter.broker.listener.name", "internal.metadata.log.segment.bytes", "log.dirs"),
        *("log.flush.interval.ms", "log.retention.minutes", "log.retention.ms", "log.roll.jitter.ms", "log.roll.ms"),
        *("metadata.log.dir", "node.id", "num.replica.alter.log.dirs.threads", "process.roles"),
        *("password.encoder.keyfactory.algorithm", "remote.log.metadata.manager.class.path"),
        *("remote.log.metadata.manager.listener.name", "remote.log.storage.manager.class.name"),
        *("remote.log.storage.manager.class.path", "replica.selector.class", "sasl.server.callback.handler.class"),
        *("zookeeper.clientCnxnSocket", "zookeeper.connect", "zookeeper.connection.timeout.ms"),
        *("zookeeper.ssl.cipher.suites", "zookeeper.ssl.enabled.protocols"),
        *(f"zookeeper.ssl.{store}.{part}" for store in ("keystore", "truststore") for part in ("location", "type")),
    },
}
WITHOUT_BROKER_KEY = {
    *("follower.replication.throttled.replicas", "leader.replication.throttled.replicas", "internal.segment.bytes"),
    *("remote.log.copy.disable", "remote.log.delete.on.disable", "remote.storage.enable"),
}


def keys_of(scope: str) -> list[ConfigKey]:
    """Every setting as each version that has it defines it."""
    keys = [key for version in VERSIONS for key in getattr(catalogue(version), scope).values()]
    assert keys
    return keys


def test_the_file_has_the_settings_of_every_scope() -> None:
    # At least: new versions add settings, and those they remove stay for the older versions.
    counts = {scope: len(RAW["scopes"][scope]) for scope in RAW["scopes"]}
    least = {"admin": 92, "broker": 388, "consumer": 118, "group": 11, "producer": 114, "streams": 73, "topic": 37}
    assert counts.keys() == least.keys() == set(SCOPES)
    assert {scope: counts[scope] for scope in counts if counts[scope] < least[scope]} == {}


@pytest.mark.parametrize("scope", SCOPES)
def test_a_row_has_known_fields_and_lives_in_order(scope: str) -> None:
    for name, row in RAW["scopes"][scope].items():
        assert row.keys() <= ROW_FIELDS, name
        changes = row.get("changes", {})
        life = [row.get("since"), *changes, row.get("removed")]
        places = [VERSIONS.index(version) for version in life if version is not None]
        assert places == sorted(set(places)), name
        assert VERSIONS[0] not in life, name  # what the oldest version has needs no `since`

        held = dict(row)
        for change in changes.values():
            assert change, name
            assert change.keys() <= ROW_FIELDS - {"since", "removed", "changes", "doc", "importance"}, name
            assert {field for field in change if held.get(field) == change[field]} == set(), name
            held.update(change)


@pytest.mark.parametrize("scope", SCOPES)
def test_a_setting_is_there_from_since_until_removed(scope: str) -> None:
    for name, row in RAW["scopes"][scope].items():
        first = VERSIONS.index(row.get("since", VERSIONS[0]))
        end = VERSIONS.index(row["removed"]) if "removed" in row else len(VERSIONS)
        there = tuple(version for version in VERSIONS if name in getattr(catalogue(version), scope))
        assert there == VERSIONS[first:end], name
        assert there, name
        for version in there:
            key = getattr(catalogue(version), scope)[name]
            assert (key.name, key.since, key.removed) == (name, row.get("since"), row.get("removed"))


@pytest.mark.parametrize("scope", SCOPES)
def test_a_setting_has_a_type_an_importance_and_a_doc(scope: str) -> None:
    for key in keys_of(scope):
        assert key.type in get_args(ConfigType)
        assert key.importance in get_args(Importance)
        assert key.doc or key.internal  # only Kafka's internal settings come without a word
        assert key.doc == " ".join(key.doc.split())
        assert scope == "topic" or key.broker_keys == ()


@pytest.mark.parametrize("scope", SCOPES)
def test_a_default_is_legal_and_printed_as_kafka_prints_it(scope: str) -> None:
    for key in keys_of(scope):
        if key.default is None:
            assert key.type == "password" or key.name in WITHOUT_DEFAULT[scope]
        else:
            assert not key.required
            assert key.type != "password"
            assert key.problem(key.default) is None
            assert key.normal(key.default) == key.default


@pytest.mark.parametrize("scope", SCOPES)
def test_settings_without_a_default_are_those_known(scope: str) -> None:
    keys = keys_of(scope)
    without = {key.name for key in keys if key.default is None and key.type != "password"}
    assert without == WITHOUT_DEFAULT[scope]
    assert {key.name for key in keys if key.default is None and key.type in ("boolean", "short", "double")} == set()


@pytest.mark.parametrize("scope", SCOPES)
def test_a_setting_refuses_what_is_not_of_its_type(scope: str) -> None:
    for key in keys_of(scope):
        if key.type in NUMBERS or key.type == "boolean":
            assert key.problem("soon") is not None
            assert key.problem("") is not None
        if key.type in NUMBERS:
            assert_bounds(key)
        else:
            assert key.minimum is None
            assert key.maximum is None
        if key.choices:
            assert key.type in {*NUMBERS, "string", "list"}
            assert [text for text in key.choices if key.problem(text.replace("PnDTnHnMn.nS", "PT1H"))] == []
            assert key.problem("none of them") is not None
        assert set(key.combinable) <= set(key.choices)
        assert key.type in ("string", "list") or not (key.ignore_case or key.combinable)
        assert key.type == "list" or not key.distinct
        if key.non_empty:
            assert key.type in ("string", "list")
            assert key.problem("") is not None


def assert_bounds(key: ConfigKey) -> None:
    """Both bounds are legal, and the next number beyond is not, unless it is one of the choices."""
    low, high, limit = key.minimum, key.maximum, NUMBERS[key.type]
    assert low is None or high is None or low <= high
    for bound, step in ((low, -1), (high, 1)):
        if bound is not None:
            assert key.problem(str(bound)) is None
            assert key.problem(str(bound + step)) is not None or str(bound + step) in key.choices
    if limit is not None:
        assert key.problem(str(limit)) is not None
        assert key.problem(str(-limit - 1)) is not None
        assert key.problem("1.5") is not None


@pytest.mark.parametrize("version", VERSIONS)
def test_a_topic_and_its_broker_default_to_the_same(version: str) -> None:
    kafka = catalogue(version)
    assert {key.name for key in kafka.topic.values() if not key.broker_keys} == WITHOUT_BROKER_KEY & kafka.topic.keys()
    for key in kafka.topic.values():
        defaults = [(inherited, kafka.broker[inherited.name].default) for inherited in key.broker_keys]
        values = [inherited.topic_value(default) for inherited, default in defaults if default is not None]
        assert values[:1] == ([key.default] if key.broker_keys else []), key.name


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


@pytest.mark.parametrize("version", ["3.9", "4.1", "4.2"])
def test_kafka_drops_a_repeated_item_but_refuses_an_empty_one(version: str) -> None:
    policy = catalogue(version).topic["cleanup.policy"]
    assert policy.problem("delete,delete") is None
    assert policy.problem("delete,") == "must be a comma-separated list of values out of compact, delete"


@pytest.mark.parametrize(
    ("value", "is_accepted"),
    [
        *((value, True) for value in ("*", " * ", "", "0:1,1:2", "0:1, 1:2", "0:1,0:1", "0:1,")),
        *((value, False) for value in ("none", "0-1", "*,0:1", "0:a", "0:1:2")),
    ],
)
def test_throttled_replicas_are_judged_as_kafka_does(value: str, is_accepted: bool) -> None:
    key = catalogue("4.1").topic["leader.replication.throttled.replicas"]
    assert (key.problem(value) is None) is is_accepted


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


@pytest.mark.parametrize(
    ("version", "nearest"), [("2.8", "3.7"), ("3.6.1", "3.7"), ("3.10", "3.9"), ("4.99", "4.2"), ("5.0", "4.2")]
)
def test_an_unknown_version_has_the_settings_of_the_nearest_one(version: str, nearest: str) -> None:
    assert catalogue(version) is catalogue(nearest)


@pytest.mark.parametrize("version", ["latest", ""])
def test_what_is_no_version_is_refused(version: str) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
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

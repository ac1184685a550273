"""What a preview says about a topic's inputs, without any cluster."""

from __future__ import annotations

import pytest

from kafka_topology.provider.plugin.properties import UNKNOWN, Output, Secret
from kafka_topology.provider.resources.changes import ChangeKind, PropertyChange
from kafka_topology.provider.resources.topic import inputs as topics

OLD = {
    "name": "shop.orders",
    "partitions": 6,
    "replication": 3,
    "config": {"retention.ms": "60000"},
    "deletion": "protected",
    "keyType": "uuid",
}


def check(new, old=OLD, owned=None):
    return topics.check("shop.orders", old, new, owned)


def reasons(new, old=OLD, owned=None):
    return {failure.property: failure.reason for failure in check(new, old, owned).failures}


def test_the_name_defaults_to_the_resource_and_deletion_to_protected():
    checked = check({"partitions": 1, "replication": 1}, old={})
    assert checked.failures == ()
    assert checked.inputs["name"] == "shop.orders"
    assert checked.inputs["deletion"] == "protected"


def test_config_values_become_text_inside_their_marks():
    new = {**OLD, "config": Secret({"a": 1, "b": True, "c": Output(2.5), "d": UNKNOWN, "e": None})}
    checked = check(new)
    assert checked.failures == ()
    assert checked.inputs["config"] == Secret({"a": "1", "b": "true", "c": Output("2.5"), "d": UNKNOWN})


@pytest.mark.parametrize(
    ("change", "property_name", "words"),
    [
        ({"partitions": 3}, "partitions", ["6 partitions", "shrink to 3", "Declare 6 or more"]),
        ({"name": "shop.sales"}, "name", ["cannot be renamed to 'shop.sales'", "beside the old"]),
        ({"keyType": "long"}, "keyType", ["type uuid", "cannot change to long", "new topic"]),
    ],
)
def test_changes_that_kafka_cannot_make_in_place_are_refused_with_reason_and_fix(change, property_name, words):
    found = reasons({**OLD, **change})
    assert list(found) == [property_name]
    assert "shop.orders" in found[property_name]
    for word in words:
        assert word in found[property_name]


def test_the_same_inputs_on_a_new_topic_are_not_refused():
    assert reasons({**OLD, "partitions": 3, "replication": 2}, old={}) == {}


def test_more_partitions_are_allowed_and_warned_about_when_there_are_keys():
    new = {**OLD, "partitions": 12}
    assert reasons(new) == {}
    assert "order per key is not kept" in " ".join(topics.warnings(OLD, new))
    assert topics.warnings({**OLD, "keyType": "none"}, {**new, "keyType": "none"}) == ()


@pytest.mark.parametrize(
    ("change", "property_name", "word"),
    [
        ({"partitions": 0}, "partitions", "0 is not a whole number"),
        ({"partitions": 1.5}, "partitions", "1.5"),
        ({"partitions": True}, "partitions", "True"),
        ({"replication": None}, "replication", "missing"),
        ({"name": "no spaces"}, "name", "not a legal topic name"),
        ({"name": ".."}, "name", "not a legal topic name"),
        ({"name": "__consumer_offsets"}, "name", "Kafka's own"),
        ({"deletion": "maybe"}, "deletion", "protected, allowed, force"),
        ({"keyType": "guid"}, "keyType", "uuid"),
        ({"config": "compact"}, "config", "not a map"),
        ({"config": {"a": ["b"]}}, 'config["a"]', "give text"),
        ({"partition": 3}, "partition", "Did you mean 'partitions'?"),
    ],
)
def test_wrong_inputs_are_refused(change, property_name, word):
    new = {key: value for key, value in {**OLD, **change}.items() if value is not None}
    assert word in reasons(new, old={})[property_name]


def test_a_tools_topic_is_not_kafkas_own():
    assert reasons({**OLD, "name": "__debezium-heartbeat.shop"}, old={}) == {}


def test_nothing_outside_the_ownership_is_accepted():
    assert reasons(OLD, owned=("shop.",)) == {}
    assert "outside the ownership (pay., bank.)" in reasons(OLD, owned=("pay.", "bank."))["name"]
    assert "outside the ownership (nothing)" in reasons(OLD, owned=())["name"]


def test_unknown_values_are_neither_refused_nor_compared():
    new = {
        "name": UNKNOWN,
        "partitions": UNKNOWN,
        "replication": Output(UNKNOWN),
        "config": UNKNOWN,
    }
    assert reasons(new) == {}
    assert {change.path for change in topics.diff(OLD, new)} >= {"name", "partitions", "config"}


def test_the_difference_is_reported_per_config_key():
    old = {**OLD, "config": {"a": "1", "b": "1", "c": "1"}}
    new = {**OLD, "partitions": 9, "config": {"a": "1", "b": "2", "d": "1"}}
    assert topics.diff(old, new) == (
        PropertyChange("partitions", ChangeKind.UPDATE),
        PropertyChange('config["b"]', ChangeKind.UPDATE),
        PropertyChange('config["c"]', ChangeKind.DELETE),
        PropertyChange('config["d"]', ChangeKind.ADD),
    )


def test_values_that_mean_the_same_are_no_difference():
    names = ("cleanup.policy", "preallocate", "min.cleanable.dirty.ratio", "retention.ms")
    old = {**OLD, "config": dict(zip(names, ("compact,delete", "true", "0.50", "60000"), strict=True))}
    new = {**OLD, "config": dict(zip(names, ("delete, compact", "TRUE", "0.5", " 60000"), strict=True))}
    assert topics.diff(old, new) == ()
    unknown = ({**OLD, "config": {"of.a.plugin": value}} for value in ("3.10", "3.1"))
    assert topics.diff(*unknown) == (PropertyChange('config["of.a.plugin"]', ChangeKind.UPDATE),)


def test_declaring_the_key_type_for_the_first_time_is_no_change_to_apply():
    imported = {key: value for key, value in OLD.items() if key != "keyType"}
    assert topics.diff(imported, OLD) == ()
    assert reasons(OLD, old=imported) == {}

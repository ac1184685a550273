"""What was found on a cluster, as files: tidy, complete, and without anything secret."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kafka_topology.cluster.attempts import patience
from kafka_topology.cluster.live.access import Acl
from kafka_topology.cluster.live.quotas import Entity
from kafka_topology.cluster.live.topics import LiveTopic
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.importing.files import imported, pulumi_import, with_lowered
from kafka_topology.importing.inventory import Inventory
from kafka_topology.provider.config.settings import Owned
from kafka_topology.provider.resources.group.importing import FoundGroup
from kafka_topology.provider.resources.importer import Reading
from kafka_topology.provider.resources.quota.importing import FoundQuotas
from kafka_topology.provider.resources.user.importing import secret_name
from kafka_topology.topology import Topology, load
from kafka_topology.topology.writing.formatting import format_text


def topic(name: str, partitions: int = 3, **config: str) -> LiveTopic:
    return LiveTopic(name, "id", partitions, 3, {key.replace("_", "."): value for key, value in config.items()})


ALIKE = tuple(topic(f"shop.t{number}", number + 1, retention_ms="604800000") for number in range(3))
FOUND = Inventory(
    brokers={1: "a", 2: "b", 3: "a"},
    controllers=3,
    version="4.1",
    defaults={"min.insync.replicas": "1"},
    found={
        "Topic": (*ALIKE, topic("shop.odd", retention_ms="9223372036854775807", max_message_bytes="1048588")),
        "ConsumerGroup": {
            "shop.g": FoundGroup(("shop.t0",), {"consumer.session.timeout.ms": "45000"}),
            "shop.idle": FoundGroup(()),
        },
        "Access": frozenset(
            {Acl("User:no", "transactional-id", "*", "Write"), Acl("User:no", "topic", "t", "Read", host="h")}
        ),
        "User": {"a.b": {"SCRAM-SHA-256": 4096, "SCRAM-SHA-512": 8192}, "a-b": {"SCRAM-SHA-256": 4096}},
        "Quota": FoundQuotas(
            {Entity("default"): {"producer_byte_rate": 1024.0}, Entity("x"): {"connection_creation_rate": 1.0}}
        ),
    },
)


def loaded(folder: Path, files: dict[str, str]) -> Topology:
    for name, text in files.items():
        (folder / name).write_text(text)
        assert format_text(text) == text, name
    found = load(folder)
    assert found.topology is not None, [f"{p.location}: {p.message}" for p in found.problems]
    return found.topology


def test_everything_reads_back_as_it_was(tmp_path: Path) -> None:
    topology = loaded(tmp_path, dict(imported(FOUND, Owned(topics=("shop.",))).files))
    assert {t.name: (t.partitions, t.replication, dict(t.config)) for t in topology.topics.values()} == {
        t.name: (t.partitions, t.replication, dict(t.config)) for t in FOUND.found["Topic"]
    }
    assert [(b.id, b.rack) for b in topology.cluster.brokers or ()] == [(1, "a"), (2, "b"), (3, "a")]
    assert topology.ownership.topics == ("shop.",)
    assert topology.consumer_groups["shop.g"].group_config == {"consumer.session.timeout.ms": "45000"}
    granted = {(a.principal, a.resource, a.name, a.operations, a.host) for a in topology.acls}
    assert granted == {
        ("User:no", "topic", "t", ("Read",), "h"),
        ("User:no", "transactional-id", "*", ("Write",), "*"),
    }
    assert {name: (u.mechanism, u.iterations) for name, u in topology.users.items()} == {
        "a.b": ("SCRAM-SHA-512", 8192),
        "a-b": ("SCRAM-SHA-256", 4096),
    }
    assert len({u.password_secret for u in topology.users.values()}) == 2
    assert [(q.user, q.producer_byte_rate) for q in topology.quotas] == [("default", 1024)]


def test_what_topics_share_is_a_profile_and_what_two_share_is_not() -> None:
    files = imported(FOUND, Owned()).files
    assert "profiles:\n  event-7d-x3: {replication: 3, retention: 7d}\n" in files["cluster.yaml"]
    assert "  shop.t2: {profile: event-7d-x3, partitions: 3}\n" in files["topics.yaml"]
    two = imported(Inventory(brokers={1: None}, found={"Topic": ALIKE[:2]}), Owned()).files
    assert "profile" not in "".join(two.values())
    assert set(two) == {"cluster.yaml", "topics.yaml"}


def test_profiles_of_one_name_are_told_apart() -> None:
    other = tuple(topic(f"o{n}", retention_ms="604800000", segment_ms="1000") for n in range(3))
    cluster = imported(Inventory(found={"Topic": (*ALIKE, *other)}), Owned()).files["cluster.yaml"]
    assert "  event-7d-x3:" in cluster
    assert "  event-7d-x3-2:" in cluster


def test_what_is_left_out_is_said_and_is_not_imported() -> None:
    made = imported(FOUND, Owned())
    assert "shop.idle" in made.notes[0]
    assert "SCRAM-SHA-512 is written" in made.notes[1]
    assert "connection_creation_rate=1" in made.notes[2]
    assert all(f"# Note: {note}." in made.files["cluster.yaml"] for note in made.notes)
    document = json.loads(pulumi_import(made.resources, "shop", "prod"))
    assert document["nameTable"] == {"kafka": "urn:pulumi:prod::shop::pulumi:providers:kafka-topology::kafka"}
    ids = [(each["type"].rpartition(":")[2], each["id"]) for each in document["resources"]]
    assert ids[4:] == [
        ("ConsumerGroup", "shop.g"),
        ("User", "a.b"),
        ("User", "a-b"),
        ("Access", "User:no"),
        ("Quota", "user=default"),
    ]


def test_quotas_that_a_file_cannot_declare_are_said(tmp_path: Path) -> None:
    found = Inventory(
        version="4.1",
        brokers={1: None},
        found={
            "Topic": ALIKE,
            "Quota": FoundQuotas(
                {Entity("a"): {"producer_byte_rate": 1024.0, "odd_rate": 2.5}},
                {"ip=10.0.0.1": {"connection_creation_rate": 5.0}},
            ),
        },
    )
    made = imported(found, Owned())
    address = "ip=10.0.0.1 (connection_creation_rate=5)"
    assert made.notes == (
        f"quota left out, because a file declares those of users and client ids only: {address}",
        "limits left out of the quota of user=a, because a file cannot declare them: odd_rate=2.5",
    )
    assert loaded(tmp_path, dict(made.files)).quotas[0].user == "a"


@pytest.mark.parametrize(
    ("user", "secret"), [("shop-checkout", "shopCheckoutPassword"), ("A", "aPassword"), ("CN=x y", "cNXYPassword")]
)
def test_the_name_of_a_secret(user: str, secret: str) -> None:
    assert secret_name(user) == secret


def test_rules_that_are_broken_become_warnings(tmp_path: Path) -> None:
    cluster = imported(FOUND, Owned()).files["cluster.yaml"]
    assert with_lowered(cluster, ()) == cluster
    topology = loaded(tmp_path, {"cluster.yaml": with_lowered(cluster, {"KT502", "KT103"})})
    assert {rule.id: rule.severity for rule in topology.rules.values()} == {"KT103": "warning", "KT502": "warning"}


def test_names_that_no_file_can_hold_are_left_out_and_said() -> None:
    odd = Acl("User:line\nbreak", "topic", "shop.t0", "Read")
    found = Inventory(
        version="4.1",
        found={
            "Topic": ALIKE,
            "ConsumerGroup": {"line\nbreak": FoundGroup(("shop.t0",), {}), "shop.g": FoundGroup(("shop.t0",), {})},
            "Access": frozenset({odd}),
            "User": {"tab\t": {"SCRAM-SHA-512": 4096}},
            "Quota": FoundQuotas({Entity("bell\a"): {"producer_byte_rate": 1.0}}),
        },
    )
    written = imported(found, Owned())
    assert "shop.g" in written.files["groups.yaml"]
    assert "line" not in written.files["groups.yaml"]
    assert "access.yaml" not in written.files
    assert len([note for note in written.notes if "control character" in note]) == 4
    assert "group 'line\\nbreak' left out, because its name has a control character" in written.notes
    assert all(note.isprintable() for note in written.notes)


def test_a_note_shows_a_name_as_it_is_and_stays_on_its_line() -> None:
    found = FoundQuotas(others={"ip=a\nforged\x1b[31m  b": {"x": 1.0}})
    made = imported(Inventory({1: None}, version="4.1", found={"Topic": ALIKE, "Quota": found}), Owned())
    [note] = made.notes
    assert note.endswith("ip=a\\nforged\\x1b[31m  b (x=1)")
    assert f"# Note: {note}.\n" in made.files["cluster.yaml"]


def test_what_could_not_be_read_is_one_line() -> None:
    reading = Reading(patience(0))
    reading.value(Failure(FailureKind.DENIED, "describing group 'a\nkafka-topology: forged\x1b[2J': no"), None)
    assert [*reading.failures] == ["describing group 'a\\nkafka-topology: forged\\x1b[2J': no"]


def test_a_principal_without_a_name_is_left_out_and_said(tmp_path: Path) -> None:
    odd, fine = Acl("User:", "topic", "t", "Read"), Acl("User:a", "topic", "t", "Read")
    made = imported(Inventory({1: None}, version="4.1", found={"Access": frozenset({odd, fine})}), Owned())
    assert {acl.principal for acl in loaded(tmp_path, dict(made.files)).acls} == {"User:a"}
    [note] = made.notes
    assert note.startswith("ACL left out, because its principal has no type or no name: ")


def test_uneven_replication_is_written_as_its_highest_and_said(tmp_path: Path) -> None:
    """The lowest number would remove replicas as soon as somebody runs `pulumi up`."""
    uneven = replace(topic("shop.uneven"), replication=1, most_replicas=3)
    made = imported(Inventory({1: None}, version="4.1", found={"Topic": (uneven,)}), Owned())
    assert loaded(tmp_path, dict(made.files)).topics["shop.uneven"].replication == 3
    [note] = made.notes
    assert note.endswith("so `pulumi up` adds replicas: shop.uneven (1 to 3)")


@pytest.mark.parametrize(
    ("now", "moves", "written", "said"),
    [
        ((2, 2), {(2, 3)}, 3, "shop.moved (now 2, then 3)"),
        ((2, 3), {(2, 3), (3, 3)}, 3, "shop.moved (now 2 to 3, then 3)"),
        ((3, 3), {(3, 2)}, 2, "shop.moved (now 3, then 2)"),
        ((2, 2), {(2, 2)}, 2, None),
    ],
)
def test_a_topic_that_is_moving_is_written_as_it_will_be(
    tmp_path: Path, now: tuple[int, int], moves: set[tuple[int, int]], written: int, said: str | None
) -> None:
    """With the number before the move, `pulumi up` would undo it."""
    moved = replace(topic("shop.moved"), replication=now[0], most_replicas=now[1], moves=frozenset(moves))
    made = imported(Inventory({1: None}, version="4.1", found={"Topic": (moved,)}), Owned())
    assert loaded(tmp_path, dict(made.files)).topics["shop.moved"].replication == written
    note = f"topics written with the replication that a running reassignment leads to: {said}"
    assert made.notes == ((note,) if said else ())
    assert moved.comes_to_replication(written)


def test_groups_without_offsets_are_named_with_their_settings() -> None:
    idle = {"a": FoundGroup(()), "b": FoundGroup((), {"consumer.session.timeout.ms": "50000"})}
    [note] = imported(Inventory({1: None}, version="4.1", found={"ConsumerGroup": idle}), Owned()).notes
    assert note.endswith("so nothing says what they read: a, b (consumer.session.timeout.ms=50000)")


def test_long_names_are_written_and_impossible_ones_are_named(tmp_path: Path) -> None:
    """PyYAML would write `? name` for a name of 123 characters, which the formatter cannot read."""
    long = "a" * 123, "b" * 249, "c" * 1000
    odd = "", " ", "two\nlines", "a${each}b", "${each.name", "d" * 1001, "'" * 501
    names = dict.fromkeys((*long, *odd), FoundGroup(("e" * 249,)))
    found = Inventory({1: None}, version="4.1", found={"Topic": (topic("e" * 249),), "ConsumerGroup": names})
    made = imported(found, Owned())
    topology = loaded(tmp_path, dict(made.files))
    assert {*topology.consumer_groups} == {*long}
    assert {*topology.topics} == {"e" * 249}
    assert [note.partition(" left out, because its name ")[2] for note in made.notes] == [
        "is empty",
        "is blank",
        "has a control character",
        "has a part that files take for a placeholder, `${each`",
        "has a part that files take for a placeholder, `${each`",
        "is longer than 1,000 characters",
        "is longer than 1,000 characters",
    ]


def test_the_cluster_file_says_what_was_found_and_what_was_left(tmp_path: Path) -> None:
    found = Inventory(
        brokers={1: "a", 2: "b", 3: None},
        version="4.1",
        down=(3,),
        uneven=("num.partitions",),
        applications={"shop-x-changelog": "the Streams application shop", "_schemas": "a schema registry"},
        found={"Topic": ALIKE, "ConsumerGroup": {"shop": FoundGroup((), of_applications=True)}},
    )
    made = imported(found, Owned())
    assert loaded(tmp_path, dict(made.files)).cluster.kafka == "4.1"
    assert made.notes == (
        "groups left out, because their members are applications and not consumers: shop",
        "topics left out, because the Streams application shop creates and changes them: shop-x-changelog",
        "topics left out, because a schema registry creates and changes them: _schemas",
        "brokers that do not run are counted, so check whether they still belong to the cluster: 3",
        "broker settings left out, because brokers differ: num.partitions",
    )
    newer = imported(Inventory(version="3.6", found={"Topic": ALIKE}), Owned())
    assert newer.notes == ("cluster.kafka left out, because the version is 3.6, and rules know 3.7 to 4.2",)

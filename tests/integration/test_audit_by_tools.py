"""Audits and imports of what Kafka's own tools planted: denials, quotas of `default`, and a move that is under way."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from auditing import audit, found, wait_until
from command import call
from delivering import SureProducer
from kafka_tools import run
from troubles import configure, reassign

from kafka_topology.topology import load


@pytest.fixture
def name():
    return f"tools{uuid4().hex[:8]}"


def imported(kafka, folder, *arguments):
    command = ("import", "--no-stack", "--bootstrap", kafka.bootstrap_servers, "--output", str(folder), "--force")
    result = call(*command, "--format", "json", *arguments)
    assert result.exit_code == 0, result.output
    topology = load(folder).topology
    assert topology is not None
    return topology, json.loads(result.stdout)["notes"]


def test_a_denial_for_everybody_names_the_declared_clients_that_it_refuses(kafka, tmp_path, name):
    """A deny wins over every allow, by a prefix and for all principals, too."""
    topic, bootstrap = f"{name}.orders", ("--bootstrap", kafka.bootstrap_servers)
    run(kafka, "kafka-topics", "--create", "--topic", topic, "--partitions", "1", "--replication-factor", "1")
    file = tmp_path / "topology.yaml"
    file.write_text(
        f'version: 1\nownership: {{principals: ["User:{name}-"]}}\n'
        f"topics: {{{topic}: {{partitions: 1, replication: 1}}}}\n"
        f'producers: {{{name}-shop: {{principal: "User:{name}-shop", topics: [{topic}]}}}}\n'
    )
    allowed = ("--allow-principal", f"User:{name}-shop", "--topic", topic, "--producer")
    run(kafka, "kafka-acls", "--add", *allowed)
    wait_until(lambda: not [each for each in found(audit(file, *bootstrap)[1]) if each[0] in ("KTA401", "KTA404")])
    denied = ("--deny-principal", "User:*", "--operation", "Write", "--topic", f"{name}.")
    run(kafka, "kafka-acls", "--add", *denied, "--resource-pattern-type", "prefixed")

    def refused():
        return [each for each in audit(file, *bootstrap)[1]["findings"] if each["rule"] == "KTA404"]

    try:
        [finding] = wait_until(refused)
    finally:
        run(kafka, "kafka-acls", "--remove", "--force", *denied, "--resource-pattern-type", "prefixed")
        run(kafka, "kafka-acls", "--remove", "--force", *allowed)
    assert finding["severity"] == "error"
    assert f"{name}-shop" in finding["message"]


def test_who_may_take_the_transactional_id_of_a_declared_producer(kafka, tmp_path, name):
    """A wildcard and a prefix are outside the ownership, and let others fence the producer out."""
    topic, bootstrap = f"{name}.orders", ("--bootstrap", kafka.bootstrap_servers)
    run(kafka, "kafka-topics", "--create", "--topic", topic, "--partitions", "1", "--replication-factor", "1")
    file = tmp_path / "topology.yaml"
    file.write_text(
        f"version: 1\ntopics: {{{topic}: {{partitions: 1, replication: 1}}}}\n"
        f'producers: {{shop: {{principal: "User:{name}-shop", topics: [{topic}], transactionalId: {name}-pay-}}}}\n'
    )
    own = ("--allow-principal", f"User:{name}-shop", "--operation", "Write", "--operation", "Describe")
    own += ("--transactional-id", f"{name}-pay-", "--resource-pattern-type", "prefixed")
    everybody = ("--allow-principal", f"User:{name}-any", "--operation", "Write", "--transactional-id", "*")
    shorter = ("--allow-principal", f"User:{name}-near", "--operation", "All", "--transactional-id", f"{name}-p")
    shorter += ("--resource-pattern-type", "prefixed")
    harmless = ("--allow-principal", f"User:{name}-far", "--operation", "Write", "--transactional-id", f"{name}-q")
    added = (own, everybody, shorter, harmless)
    for each in added:
        run(kafka, "kafka-acls", "--add", *each)
    try:
        expected = {f"User:{name}-any", f"User:{name}-near"}
        wait_until(lambda: {each[1] for each in found(audit(file, *bootstrap)[1]) if each[0] == "KTA405"} == expected)
    finally:
        for each in added:
            run(kafka, "kafka-acls", "--remove", "--force", *each)


def test_a_user_called_default_and_everybody_else_have_quotas_of_their_own(kafka, tmp_path):
    """A file means everybody by `default`, so an import names the user who is called that, and leaves it out."""
    configure(kafka, "users", None, add="producer_byte_rate=987654321000")
    configure(kafka, "users", "default", add="producer_byte_rate=123456789000")
    try:

        def quotas():
            topology, notes = imported(kafka, tmp_path / "found", "--without", "access")
            return [each.producer_byte_rate for each in topology.quotas if each.user == "default"], notes

        rates, notes = wait_until(lambda: (seen := quotas())[0] and any("default" in n for n in seen[1]) and seen)
        assert rates == [987654321000]
        file = tmp_path / "topology.yaml"
        file.write_text("version: 1\nquotas: [{user: default, producerByteRate: 987654321000B/s}]\n")
        _, document = audit(file, "--bootstrap", kafka.bootstrap_servers)
        assert not [each for each in document["findings"] if each["rule"] in ("KTA421", "KTA422")], notes
    finally:
        for user in (None, "default"):
            configure(kafka, "users", user, delete="producer_byte_rate")


def test_a_move_that_is_under_way_changes_no_number_of_replicas(kafka, tmp_path, name):
    """Kafka counts the replicas that are being added, too, until the move is done: three of them."""
    topic, bootstrap = f"{name}.orders", ("--bootstrap", kafka.bootstrap_servers)
    run(kafka, "kafka-topics", "--create", "--topic", topic, "--replica-assignment", "1:2")
    producer = SureProducer({"bootstrap.servers": kafka.bootstrap_servers})
    for _ in range(200):
        producer.produce(topic, b"x" * 50_000, partition=0)
    producer.flush(60)
    file = tmp_path / "topology.yaml"
    file.write_text(f"version: 1\ntopics: {{{topic}: {{partitions: 1, replication: 2}}}}\n")
    reassign(kafka, tmp_path, topic, [1, 3], "--execute", "--throttle", "1000")
    try:
        _, document = wait_until(
            lambda: (seen := audit(file, *bootstrap)) and ("KTA521", "cluster") in found(seen[1]) and seen
        )
        assert not [each for each in document["findings"] if each["rule"] in ("KTA103", "KTA104", "KTA105")]
        three = tmp_path / "three.yaml"
        three.write_text(file.read_text().replace("replication: 2", "replication: 3"))
        _, document = audit(three, *bootstrap)
        [drift] = [each for each in document["findings"] if each["rule"] == "KTA103"]
        assert (drift["evidence"]["actual"], drift["evidence"]["expected"]) == (2, 3)
        topology, _ = imported(kafka, tmp_path / "found", "--topics", name, "--without", "access")
        assert topology.topics[topic].replication == 2
    finally:
        reassign(kafka, tmp_path, topic, [1, 3], "--cancel")
        run(kafka, "kafka-topics", "--delete", "--topic", topic)

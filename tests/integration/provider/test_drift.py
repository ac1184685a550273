"""What somebody else did to the cluster shows in a refresh; Kafka's own tools are the somebody else."""

from __future__ import annotations

from uuid import uuid4

import pytest
from delivering import SureProducer
from grpc_engine import GROUP, USER, on_cluster
from kafka_tools import run, users_seen
from pulumi_project import PulumiProject

from kafka_topology.provider.plugin.properties import Secret


@pytest.fixture
def name():
    return f"drift-{uuid4().hex[:8]}"


def topic(name, **others):
    return {"name": name, "partitions": 1, "replication": 1, "deletion": "allowed", **others}


def alter(kafka, kind, name, *change):
    run(kafka, "kafka-configs", "--alter", "--entity-type", kind, "--entity-name", name, *change)


def test_a_password_that_somebody_else_set_shows_and_is_set_back(kafka, name):
    inputs = {"name": name, "mechanism": "SCRAM-SHA-512", "password": Secret("hunter2-declared")}

    async def steps(client):
        user = client.of(USER)
        _, made = await user.create(inputs)
        # `iterations` is an output too, so the state's inputs are given by hand.
        quiet = await user.read(name, inputs, made)
        assert "iterations" not in quiet.inputs.fields
        alter(kafka, "users", name, "--add-config", "SCRAM-SHA-512=[iterations=4096,password=stolen]")
        user.engine.said.clear()
        read = await user.read(name, inputs, made)
        assert read.inputs.fields["iterations"].number_value == 4096
        [(severity, warning)] = user.engine.said
        assert severity == "WARNING"
        assert f"user '{name}': SOMEBODY ELSE SET ITS PASSWORD: its iterations were 8192 and are 4096" in warning
        drifted = {**inputs, "iterations": 4096}
        assert await user.diff(drifted, inputs) == {"iterations"}
        updated = await user.update(drifted, inputs)
        assert updated["iterations"] == 8192
        imported = {"name": name, "mechanism": "SCRAM-SHA-512", "iterations": 4096}
        assert await user.diff(imported, inputs) == set()

    on_cluster(kafka, steps)
    assert "iterations=8192" in str(users_seen(kafka, name))


@pytest.mark.parametrize("removes", [False, True])
def test_a_setting_made_by_hand_shows_and_is_removed_when_asked_for(kafka, name, removes):
    inputs = topic(name, config={"retention.ms": "60000"})

    async def steps(client):
        _, made = await client.create(inputs)
        assert made["undeclared"] == []
        assert (await client.refresh(made))[2] == []
        alter(kafka, "topics", name, "--add-config", "cleanup.policy=compact")
        shown, outputs, warnings = await client.refresh(made)
        assert outputs["undeclared"] == ["cleanup.policy=compact"]
        assert f"topic '{name}' has settings that are not declared" in warnings[0]
        assert "cleanup.policy=compact" in warnings[0]
        changes = await client.diff(shown, inputs)
        if removes:
            assert changes == {'config["cleanup.policy"]'}
            made = await client.update({**outputs, **shown}, inputs)
            assert made["undeclared"] == []
        else:
            assert changes == set()
            assert shown == inputs
        await client.delete(made)

    on_cluster(kafka, steps, **({"undeclaredConfig": "remove"} if removes else {}))


def test_a_setting_of_a_group_made_by_hand_shows(kafka, name):
    inputs = {"name": name, "config": {"consumer.session.timeout.ms": "50000"}, "deletion": "allowed"}

    async def steps(client):
        group = client.of(GROUP)
        _, made = await group.create(inputs)
        alter(kafka, "groups", name, "--add-config", "consumer.heartbeat.interval.ms=6000")
        shown, outputs, warnings = await group.refresh(made)
        assert outputs["undeclared"] == ["consumer.heartbeat.interval.ms=6000"]
        assert "consumer.heartbeat.interval.ms=6000" in warnings[0]
        assert await group.diff(shown, inputs) == {'config["consumer.heartbeat.interval.ms"]'}
        made = await group.update({**outputs, **shown}, inputs)
        assert made["undeclared"] == []
        await group.delete(made)

    on_cluster(kafka, steps, undeclaredConfig="remove")


def test_a_topic_that_vanished_is_shouted_about_twice(kafka, name):
    inputs = topic(name, deletion="protected")

    async def steps(client):
        _, made = await client.create(inputs)
        run(kafka, "kafka-topics", "--delete", "--topic", name)
        while (read := await client.refresh(made))[0]:
            pass  # the brokers take a moment to forget it
        [warning] = read[2]
        assert f"topic '{name}' (id {made['topicId']}) HAS VANISHED" in warning
        assert "RECORDS ARE GONE" in warning
        client.engine.said.clear()
        _, again = await client.create(inputs)
        assert any("is created EMPTY" in message for _, message in client.engine.said)
        run(kafka, "kafka-topics", "--delete", "--topic", name)
        run(kafka, "kafka-topics", "--create", "--topic", name, "--partitions", "1", "--replication-factor", "1")
        _, outputs, warnings = await client.refresh(again)
        while outputs["topicId"] == again["topicId"]:
            _, outputs, warnings = await client.refresh(again)
        assert f"its id was {again['topicId']} and is {outputs['topicId']}" in warnings[0]

    on_cluster(kafka, steps)


def test_offsets_that_somebody_moved_or_deleted_show(kafka, name):
    async def steps(client):
        group = client.of(GROUP)
        _, made_topic = await client.create(topic(name, deletion="force"))
        producer = SureProducer({"bootstrap.servers": kafka.bootstrap_servers})
        for number in range(10):
            producer.produce(name, str(number), partition=0)
        producer.flush(20)
        inputs = {"name": name, "topics": [name], "start": "latest", "deletion": "allowed"}
        _, made = await group.create(inputs)
        at = f"{name}-0"
        assert made["offsets"] == {at: 10}
        assert (await group.refresh(made))[2] == []

        def reset(*to):
            run(kafka, "kafka-consumer-groups", "--reset-offsets", "--group", name, "--topic", name, *to, "--execute")

        reset("--to-offset", "3")
        _, outputs, warnings = await group.refresh(made)
        assert f"group '{name}': offsets went back since the last look ({at} from 10 to 3)" in warnings[0]
        assert outputs["offsets"] == {at: 3}
        assert (await group.refresh(outputs))[2] == []

        run(kafka, "kafka-consumer-groups", "--delete-offsets", "--group", name, "--topic", name)
        _, _, warnings = await group.refresh(outputs)
        assert any(f"{at}, which was 3" in warning or "HAS VANISHED" in warning for warning in warnings)
        await client.delete(made_topic)

    on_cluster(kafka, steps)


def test_a_topic_that_never_became_visible_is_created_again_and_nobody_is_blamed(kafka, name):
    inputs = topic(name, deletion="allowed")

    async def steps(client):
        unseen = {**inputs, "topicId": "", "undeclared": []}  # as after a creation that no broker showed in time
        shown, _, [warning] = await client.refresh(unseen)
        assert shown == {}
        assert f"topic '{name}' is not on the cluster: the brokers accepted its creation in an earlier run" in warning
        assert "VANISHED" not in warning

        client.engine.said.clear()
        previewed = await client.update(unseen, inputs, preview=True)
        made = await client.update(unseen, inputs)
        assert made["topicId"]
        assert {**previewed, "topicId": made["topicId"]} == made
        told = [message for severity, message in client.engine.said if severity == "WARNING"]
        assert told == [told[0], told[0]]
        assert "this stack never saw it. It is created again." in told[0]
        await client.delete(made)

    on_cluster(kafka, steps)


def test_the_engine_shows_a_vanished_topic_and_that_it_is_created_empty(kafka, name, tmp_path):
    project = PulumiProject(tmp_path / "project", kafka.bootstrap_servers)
    project.topics = {name: {"partitions": 1, "replication": 1}}
    project.up()
    project.configure("undeclaredConfig", "remove")
    project.up()  # a refresh goes by the config of the last run
    alter(kafka, "topics", name, "--add-config", "cleanup.policy=compact")
    shown = project.run("refresh", "--yes", "--skip-preview")
    assert "cleanup.policy=compact. The next 'pulumi up' removes them" in " ".join(shown.split())
    assert "cleanup.policy" in project.up("--diff")
    project.run("refresh", "--yes", "--skip-preview", "--expect-no-changes")

    run(kafka, "kafka-topics", "--delete", "--topic", name)
    shown = " ".join(project.up("--refresh").split())
    assert f"topic '{name}' (id" in shown
    assert "HAS VANISHED" in shown
    assert "is created EMPTY" in shown

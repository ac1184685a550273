"""The rules guard programs too: through gRPC, and with the real engine and a program in Python."""

from __future__ import annotations

import asyncio
import json
from uuid import uuid4

import pytest
from grpc_engine import GROUP, provider
from pulumi_project import PulumiProject, free_port

from kafka_topology.program.judge import ProgramJudge
from kafka_topology.provider.plugin.properties import UNKNOWN
from kafka_topology.provider.plugin.property_codec import encode
from kafka_topology.provider.plugin.protocol import provider_pb2

AT = 'config["min.insync.replicas"]'
ACCESS = "kafka-topology:index:Access"


def topic(**others):
    return {"partitions": 6, "replication": 3, "config": {"min.insync.replicas": "3"}, **others}


def run(steps, **config):
    """Check and CheckConfig never talk to a cluster, so there is none."""

    async def with_provider():
        settings = {"bootstrapServers": "127.0.0.1:1", **config}
        async with provider(settings, judge=ProgramJudge()) as client:
            return await steps(client)

    return asyncio.run(with_provider())


def check_config(rules):
    async def steps(client):
        request = provider_pb2.CheckRequest(
            news=encode({"bootstrapServers": "b:1", "offlinePreview": True, "rules": rules})
        )
        response = await client.stub.CheckConfig(request)
        return {failure.property: failure.reason for failure in response.failures}

    return run(steps)


def test_an_unsafe_topic_is_refused_by_its_rule():
    _, failures = run(lambda client: client.check("orders", topic()))
    assert set(failures) == {AT}
    assert failures[AT].startswith("KT101 orders: min.insync.replicas is 3 with 3 replicas")
    assert failures[AT].endswith("Fix: set min.insync.replicas to 2, or raise replication above 3.")


def test_what_the_kind_refuses_is_not_judged_as_well():
    _, failures = run(lambda client: client.check("orders", topic(partitions=0)))
    assert set(failures) == {"partitions"}


def test_a_warning_is_logged_and_refuses_nothing():
    async def steps(client):
        _, failures = await client.check("orders", topic(replication=2, config={}))
        return failures, client.engine.said

    failures, said = run(steps)
    assert failures == {}
    (warning,) = said
    assert warning[0] == "WARNING"
    assert warning[1].startswith("KT105 orders: replication is 2")


def test_live_resources_that_do_not_change_are_warned_of():
    async def steps(client):
        inputs, _ = await client.check("orders", topic())
        _, same = await client.check("orders", topic(), inputs)
        said = [message for severity, message in client.engine.said if severity == "WARNING"]
        _, changed = await client.check("orders", topic(partitions=12), inputs)
        return same, said, changed

    same, said, changed = run(steps)
    assert same == {}
    assert len(said) == 1
    assert "KT101" in said[0]
    assert "has not changed" in said[0]
    assert set(changed) == {AT}


def test_unknown_values_are_skipped():
    async def steps(client):
        _, skipped = await client.check("a", topic(replication=UNKNOWN))
        _, judged = await client.check("b", topic(config={"min.insync.replicas": "3", "retention.ms": UNKNOWN}))
        return skipped, judged

    skipped, judged = run(steps)
    assert skipped == {}
    assert set(judged) == {AT}


def test_groups_and_access_are_judged():
    async def steps(client):
        await client.check("orders", topic(partitions=3, config={}))
        _, group = await client.of(GROUP).check("billing", {"assign": {"orders": [0, 5]}})
        rules = [{"resource": "topic", "name": "*", "operations": ["Write"]}]
        _, access = await client.of(ACCESS).check("User:a", {"rules": rules})
        return group, access

    group, access = run(steps)
    assert set(group) == {'assign["orders"][1]'}
    assert group['assign["orders"][1]'].startswith("KT513 billing: it takes partition 5 of orders, which has 3")
    assert set(access) == {"rules[0].name"}
    assert access["rules[0].name"].startswith("KT602 ")


@pytest.mark.parametrize(
    "rules",
    [
        {"enabled": False},
        {"severity": {"KT101": "off"}},
        {"ignore": [{"rule": "KT101", "resource": "ord*", "reason": "moves next week"}]},
    ],
    ids=["disabled", "off", "ignored"],
)
@pytest.mark.parametrize("written", [lambda rules: rules, json.dumps], ids=["map", "text"])
def test_the_providers_config_decides(rules, written):
    _, failures = run(lambda client: client.check("orders", topic()), rules=written(rules))
    assert failures == {}


@pytest.mark.parametrize(
    ("rules", "at", "says"),
    [
        ({"severity": {"KT11": "off"}}, 'rules.severity["KT11"]', "Did you mean 'KT"),
        ({"severity": {"KT101": "fatal"}}, 'rules.severity["KT101"]', "'fatal' is not one of error, warning, off"),
        ({"severity": {"KT104": "error"}}, 'rules.severity["KT104"]', "needs to see a whole topology"),
        ({"ignore": [{"rule": "KT101", "resource": "a"}]}, "rules.ignore[0].reason", "'reason' is missing: say why"),
        ({"ignore": [{"rule": "KT101", "resource": "a", "reason": " "}]}, "rules.ignore[0].reason", "is missing"),
        ({"ignore": [{"rule": "KT99", "resource": "a", "reason": "b"}]}, "rules.ignore[0].rule", "no rule 'KT99'"),
        ({"ignores": []}, "rules.ignores", "Did you mean 'ignore'?"),
        ({"enabled": "perhaps"}, "rules.enabled", "'perhaps' is not true or false"),
        ("none", "rules", "'none' is not a map"),
    ],
)
def test_a_wrong_choice_is_refused(rules, at, says):
    failures = check_config(rules)
    assert set(failures) == {at}
    assert says in failures[at]


def test_a_right_choice_is_accepted():
    assert check_config({"enabled": "true", "severity": {"KT101": "warning", "KT105": "off"}}) == {}
    assert check_config(json.dumps({"ignore": [{"rule": "KT101", "resource": "a", "reason": "tried"}]})) == {}
    assert check_config(UNKNOWN) == {}


# The real engine. No broker is needed: a preview without a cluster is made from the state alone.
PROGRAM = """\
from kafka_topology.sdk import Topic
from pulumi import Output

first = Topic("first", partitions=1, replication=3, config={"min.insync.replicas": "2"})
Topic("orders", partitions=6, replication=3, config={"min.insync.replicas": "3"})
# Known after the first one was created only.
Topic("later", partitions=6, replication=3, config={"min.insync.replicas": first.topic_id.apply(lambda _: "2")})
"""


def test_a_program_is_refused_in_the_preview_until_the_rule_is_answered(kafka, tmp_path):
    name = f"rules-{uuid4().hex[:8]}"
    program = PROGRAM.replace('"first"', f'"{name}.first"').replace('"orders"', f'"{name}.orders"')
    project = PulumiProject(
        tmp_path / "project", kafka.bootstrap_servers, program.replace('"later"', f'"{name}.later"')
    )
    shown = project.preview(fails=True)
    assert f"KT101 {name}.orders: min.insync.replicas is 3 with 3 replicas" in shown
    assert AT in shown
    assert shown.count("KT101") == shown.count(f"KT101 {name}.orders")

    project.configure("rules", json.dumps({"ignore": [{"rule": "KT101", "resource": f"{name}.*"}]}))
    assert "'reason' is missing" in project.preview(fails=True)
    reason = {"rule": "KT101", "resource": f"{name}.*", "reason": "moves next week"}
    project.configure("rules", json.dumps({"ignore": [reason]}))
    project.preview()
    project.run("config", "rm", "kafka-topology:rules")
    project.run("config", "set", "--path", "kafka-topology:rules.severity.KT101", "off")
    project.up()

    # Live by now: without the setting it is a warning, so the stack stays usable; a change is refused.
    project.run("config", "rm", "kafka-topology:rules")
    shown = project.up("--expect-no-changes")
    assert f"KT101 {name}.orders" in shown
    assert "has not changed" in shown
    main = project.root / "program" / "__main__.py"
    main.write_text(main.read_text().replace("partitions=6", "partitions=7"))
    assert f"KT101 {name}.orders" in project.preview(fails=True)


SUPPRESSED = """\
version: 1
topics:
  NAME: {owner: a, partitions: 2, replication: 3, deletion: allowed, config: {min.insync.replicas: 3},
    ignore: {KT101: moves next week}}
"""


def test_a_yaml_stack_with_a_suppression_still_applies(kafka, tmp_path):
    project = PulumiProject(
        tmp_path / "project", kafka.bootstrap_servers, "from kafka_topology.program.deploy import deploy\n\ndeploy()\n"
    )
    (project.root / "topology.yaml").write_text(SUPPRESSED.replace("NAME", f"rules-{uuid4().hex[:8]}"))
    project.configure("path", "topology.yaml")
    assert "KT101" not in project.up()
    project.configure("rules", json.dumps({"severity": {"KT101": "error"}}))
    shown = project.up("--expect-no-changes")
    assert "kafka-topology:rules has no effect" in shown


def test_the_check_needs_no_cluster(tmp_path):
    project = PulumiProject(tmp_path / "project", f"127.0.0.1:{free_port()}", rules="{}")
    project.configure("offlinePreview", "true")
    project.topics = {"orders": {"partitions": 1, "replication": 1}}
    assert "KT103 orders: replication is 1" in project.preview(fails=True)

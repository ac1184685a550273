"""Which stack a command uses, what it takes from it, and what the command line keeps for itself."""

from __future__ import annotations

import json

import pytest
from click.shell_completion import ShellComplete
from command import call
from fake_pulumi import FakePulumi

from kafka_topology.cli.main import COMMANDS, main

TOPOLOGY = """\
version: 1
cluster: {brokers: 3}
topics:
  shop.orders: {partitions: 3, replication: 3, owner: shop, config: {min.insync.replicas: 2}}
environments:
  dev: {topics: {shop.orders: {partitions: 6}}}
  live: {topics: {shop.orders: {partitions: 12}}}
"""
NOBODY = "127.0.0.1:1"
UNREACHABLE = 3


@pytest.fixture
def pulumi(tmp_path, monkeypatch):
    monkeypatch.delenv("KAFKA_BOOTSTRAP_SERVERS", raising=False)
    return FakePulumi(tmp_path / "tools", monkeypatch)


@pytest.fixture
def project(tmp_path, monkeypatch):
    root = tmp_path / "project"
    for folder in ("topology", "other"):
        (root / folder).mkdir(parents=True)
        (root / folder / "shop.yaml").write_text(TOPOLOGY)
    (root / "Pulumi.yaml").write_text("name: shop\nplugins: {providers: [{name: kafka-topology}]}\n")
    monkeypatch.chdir(root)
    return root


def audit(*arguments):
    """The audit's JSON: nobody listens at these addresses, so it only says what it would compare, and where."""
    result = call("audit", "--timeout", "1", "--format", "json", *arguments)
    assert result.exit_code == UNREACHABLE, result.output
    return json.loads(result.stdout), result.stderr


def refused(*arguments):
    result = call(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    return " ".join(result.stderr.split())


def test_the_selected_stack_gives_everything(pulumi, project):
    pulumi.configure("dev", bootstrapServers=NOBODY)
    pulumi.select("dev")
    found, said = audit()
    assert said == f"selected stack dev: path topology, environment dev, cluster {NOBODY}\n"
    assert (found["subject"], found["environment"]) == ("topology", "dev")
    assert found["stack"] == {"name": "dev", "project": "shop", "gave": ["path", "environment", "cluster"]}


def test_the_path_is_seen_from_the_current_folder(pulumi, project, monkeypatch):
    pulumi.configure("dev", path="other", bootstrapServers=NOBODY)
    pulumi.select("dev")
    monkeypatch.chdir(project / "topology")
    found, said = audit()
    assert "path ../other," in said
    assert found["subject"] == "../other"


def test_the_configured_environment_wins_over_the_stacks_name(pulumi, project):
    pulumi.configure("dev", bootstrapServers=NOBODY, environment="live")
    pulumi.configure("acme/shop/live", bootstrapServers=NOBODY)
    pulumi.configure("eu", bootstrapServers=NOBODY)
    assert audit("--stack", "dev")[0]["environment"] == "live"
    assert audit("--stack", "acme/shop/live")[0]["environment"] == "live"
    found, said = audit("--stack", "eu")
    assert found["environment"] is None
    assert "no environment" in said


def test_an_unknown_configured_environment_is_an_error(pulumi, project):
    pulumi.configure("dev", bootstrapServers=NOBODY, environment="prod")
    result = call("audit", "--stack", "dev")
    assert result.exit_code == 2
    assert "prod" in result.stderr


@pytest.mark.parametrize(
    "given", [("--bootstrap", NOBODY), ("--env", "live", "--bootstrap", NOBODY), ("--no-stack", "--bootstrap", NOBODY)]
)
def test_who_gives_an_address_needs_no_stack(pulumi, project, given):
    pulumi.select("dev")
    found, said = audit("topology", *given)
    assert said == ""
    assert "stack" not in found
    assert pulumi.calls == []


def test_an_environment_alone_turns_the_default_off(pulumi, project):
    pulumi.configure("dev", bootstrapServers=NOBODY)
    pulumi.select("dev")
    assert "no Kafka address" in refused("audit", "topology", "--env", "live")
    assert pulumi.calls == []


def test_explicit_options_win_over_a_named_stack(pulumi, project, tmp_path):
    pulumi.configure("dev", bootstrapServers="127.0.0.1:2")
    found, said = audit("other", "--stack", "dev", "--env", "live", "--bootstrap", NOBODY)
    assert said == (
        "stack dev: path other instead of topology, environment live from the command line, "
        f"cluster {NOBODY} from the command line\n"
    )
    assert (found["subject"], found["environment"], found["stack"]["gave"]) == ("other", "live", [])
    assert f"Kafka at {NOBODY}" in found["couldNotCheck"][0]
    file = tmp_path / "client.properties"
    file.write_text(f"bootstrap.servers={NOBODY}\n")
    assert audit("--stack", "dev", "--client-config", str(file))[0]["stack"]["gave"] == ["path", "environment"]


def test_another_path_is_refused_for_the_selected_stack(pulumi, project):
    pulumi.configure("dev", bootstrapServers=NOBODY)
    pulumi.select("dev")
    said = refused("audit", "other")
    assert "PATH is other, but the selected stack dev applies topology" in said
    assert "PATH is topology/shop.yaml" in refused("audit", "topology/shop.yaml")
    assert audit("topology/")[0]["stack"]["gave"] == ["environment", "cluster"]


def test_a_page_about_another_path_has_nothing_to_do_with_the_stack(pulumi, project):
    pulumi.configure("dev", bootstrapServers=NOBODY)
    pulumi.select("dev")
    result = call("report", "other")
    assert result.exit_code == 0
    assert "stack" not in result.stderr


def test_a_report_takes_the_environment_without_secrets(pulumi, project):
    pulumi.configure("dev", secret=("saslPassword",), saslPassword="hunter2")
    pulumi.select("dev")
    result = call("report")
    assert result.exit_code == 0
    assert result.stderr.startswith("selected stack dev: path topology, environment dev\n")
    assert not any("--show-secrets" in arguments for arguments, _ in pulumi.calls)


def test_a_report_goes_on_without_a_stack_that_cannot_be_read(project, monkeypatch):
    monkeypatch.setenv("PATH", str(project))
    result = call("report", "topology")
    assert result.exit_code == 0
    assert "no stack is used: Pulumi.yaml is a Pulumi project, but there is no `pulumi` on PATH" in result.stderr
    assert "stack" not in call("report", "topology", "--no-stack").stderr


def test_an_audit_says_why_it_has_no_cluster(pulumi, project):
    pulumi.configure("dev", bootstrapServers=NOBODY)
    nothing = "no stack of Pulumi.yaml is selected: run `pulumi stack select`, or pass --stack NAME"
    assert f"Missing argument 'PATH'; {nothing}" in refused("audit")
    assert nothing in refused("audit", "topology")


def test_an_unknown_stack_gets_a_hint(pulumi, project):
    pulumi.configure("dev", bootstrapServers=NOBODY)
    assert "no stack deb; did you mean `dev`?" in refused("audit", "--stack", "deb")
    assert "no stack production; it has dev" in refused("audit", "--stack", "production")


def test_a_stack_without_an_address_is_refused(pulumi, project):
    pulumi.configure("dev", path="topology")
    pulumi.select("dev")
    said = refused("audit")
    assert "kafka-topology:bootstrapServers is missing" in said
    assert "or pass PATH and --bootstrap HOST:PORT" in said


def test_an_address_from_the_environment_is_said(pulumi, project, monkeypatch):
    pulumi.configure("dev", path="topology")
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", NOBODY)
    assert audit("--stack", "dev")[1].endswith(f"cluster {NOBODY} from KAFKA_BOOTSTRAP_SERVERS\n")


def test_a_project_of_others_is_left_alone(pulumi, project):
    (project / "Pulumi.yaml").write_text("name: website\nruntime: nodejs\n")
    pulumi.select("dev")
    assert "no Kafka address" in refused("audit", "topology")
    assert pulumi.calls == []
    pulumi.configure("dev")
    assert "the stack dev of Pulumi.yaml has no kafka-topology config" in refused("audit", "--stack", "dev")


def test_a_new_stack_of_ours_has_no_config_yet(pulumi, project, monkeypatch):
    """What `pulumi up` would do: the default path, the environment of its name, and an address from the environment."""
    pulumi.configure("live")
    pulumi.select("live")
    assert "kafka-topology:bootstrapServers is missing" in refused("audit")
    assert call("report").stderr.startswith("selected stack live: path topology, environment live\n")
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", NOBODY)
    assert audit("--stack", "live")[0]["environment"] == "live"


def test_a_stack_needs_a_project(pulumi, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert "--stack dev needs a Pulumi project" in refused("audit", "--stack", "dev")
    assert "Missing argument 'PATH'" in refused("audit")


def test_two_ways_to_say_it_are_refused(pulumi, project):
    assert "not both" in refused("audit", "--stack", "dev", "--no-stack")


def test_no_secret_is_shown_or_passed_on(pulumi, project):
    pulumi.configure(
        "dev",
        secret=("bootstrapServers", "saslPassword"),
        bootstrapServers=NOBODY,
        saslMechanism="PLAIN",
        saslUsername="admin",
        saslPassword="hunter2",
        securityProtocol="SASL_PLAINTEXT",
    )
    found, said = audit("--stack", "dev")
    assert said.endswith("cluster [secret]\n")
    assert "hunter2" not in json.dumps(found) + said + str(pulumi.calls)


@pytest.mark.parametrize(("given", "expected"), [((), 7.5), (("--timeout", "3"), 3.0)])
def test_the_stacks_timeout_counts_unless_one_is_given(pulumi, project, monkeypatch, given, expected):
    asked = []

    def audited(topology, client, timeout):
        asked.append(timeout)
        raise SystemExit(UNREACHABLE)

    monkeypatch.setattr("kafka_topology.audit.run.Auditor", audited)
    pulumi.configure("dev", bootstrapServers=NOBODY, requestTimeout="7.5")
    call("audit", "--stack", "dev", *given)
    assert asked == [expected]


def test_two_ownerships_are_refused(pulumi, project):
    (project / "topology" / "shop.yaml").write_text(f"{TOPOLOGY}ownership: {{topics: [shop.]}}\n")
    pulumi.configure("dev", bootstrapServers=NOBODY, ownership='{"topics": ["shop."]}')
    assert "The ownership is declared twice" in refused("audit", "--stack", "dev")


def test_live_commands_use_the_selected_stack_only_if_they_ask_the_cluster(pulumi, project):
    pulumi.configure("dev", bootstrapServers=NOBODY)
    pulumi.select("dev")
    result = call("what-if", "topology", "--lose-broker", "1")
    assert (result.exit_code, result.stderr) == (0, "")
    assert pulumi.calls == []
    result = call("what-if", "--lose-broker", "1", "--live", "--timeout", "1")
    assert result.exit_code == UNREACHABLE
    assert "selected stack dev: path topology, environment dev, cluster" in result.stderr
    result = call("what-if", "--lose-broker", "1", "--stack", "dev")
    assert result.exit_code == 0
    assert result.stderr == "stack dev: path topology, environment dev\n"


def test_an_import_reaches_the_cluster_of_its_stack(pulumi, project):
    pulumi.configure("live", bootstrapServers=NOBODY)
    result = call("import", "--stack", "live", "--output", "imported", "--timeout", "1")
    assert result.exit_code == UNREACHABLE
    assert result.stderr.startswith(f"stack live: cluster {NOBODY}\n")
    before = len(pulumi.calls)
    result = call("import", "--stack", "new", "--output", "imported", "--timeout", "1", "--bootstrap", NOBODY)
    assert result.exit_code == UNREACHABLE
    assert len(pulumi.calls) == before, "a stack that is imported into may not exist yet"


def test_every_command_that_takes_an_address_takes_a_stack():
    """A new command that asks a cluster must know it, too."""
    with main.make_context("kafka-topology", ["--help"], resilient_parsing=True) as context:
        for name in COMMANDS:
            command = main.get_command(context, name)
            assert command is not None
            options = {option for parameter in command.params for option in parameter.opts}
            assert not {"--bootstrap"} & options or {"--stack", "--no-stack"} <= options, name


def test_stack_names_are_completed(project, monkeypatch):
    for name in ("dev", "prod"):
        (project / f"Pulumi.{name}.yaml").write_text("config: {}\n")
    completion = ShellComplete(main, {}, "kafka-topology", "_KAFKA_TOPOLOGY_COMPLETE")
    assert [item.value for item in completion.get_completions(["audit", "--stack"], "")] == ["dev", "prod"]
    assert [item.value for item in completion.get_completions(["check", "--stack"], "p")] == ["prod"]
    monkeypatch.chdir(project / "topology")
    assert [item.value for item in completion.get_completions(["audit", "--stack"], "d")] == ["dev"]

"""Commands take topology, environment and cluster from a real stack: the real Pulumi CLI, on real brokers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import pytest
from command import call
from delivering import SureProducer
from gitted import git
from pulumi_project import PulumiProject

from kafka_topology.starter.repository import CLUSTER, ORDERS, PROGRAM, SCHEMA

PASSPHRASES = ("PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE")


class Repository(PulumiProject):
    """The topology of `kafka-topology init`, with names of its own, and a stack without config for it yet."""

    def __init__(self, root, bootstrap_servers, monkeypatch):
        super().__init__(root, bootstrap_servers, program=PROGRAM)
        self.prefix = f"s{uuid4().hex[:8]}"
        for name, text in {
            "cluster.yaml": CLUSTER,
            "orders.yaml": ORDERS,
            "schemas/order.schema.json": SCHEMA,
        }.items():
            file = root / "topology" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.replace("shop.", f"{self.prefix}.").replace("shop-", f"{self.prefix}-"))
        for name, value in self.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(root)


@pytest.fixture
def secured(tmp_path, secure_kafka, monkeypatch):
    """A repository whose stack logs in, with secrets, to a broker of its environment `dev`: one broker."""
    login = secure_kafka.client_settings("SASL_SSL", user="admin", mechanism="SCRAM-SHA-512")
    repository = Repository(tmp_path / "repository", login["bootstrap.servers"], monkeypatch)
    repository.configure("saslMechanism", "SCRAM-SHA-512")
    repository.configure("saslUsername", "admin")
    repository.configure("saslPassword", login["sasl.password"], "--secret")
    repository.configure("tlsCaCertificate", Path(login["ssl.ca.location"]).read_text(), "--")
    repository.login, repository.password = login, login["sasl.password"]
    return repository


def test_after_the_first_up_an_audit_without_options_is_clean(secured):
    secured.up()
    result = call("audit", "--format", "json")
    found = json.loads(result.stdout)
    assert result.exit_code == 0, result.output
    # Nobody reads yet, which is worth a word, but no error.
    assert [each["rule"] for each in found["findings"]] == ["KTA302"]
    assert found["couldNotCheck"] == []
    assert found["stack"] == {"name": "dev", "project": "tried", "gave": ["path", "environment", "cluster"]}
    assert result.stderr.startswith("selected stack dev: path topology, environment dev, cluster ")
    assert secured.password not in result.output
    assert "BEGIN CERTIFICATE" not in result.stderr

    what_if = call("what-if", "--lose-broker", "1", "--live")
    assert what_if.exit_code == 0, what_if.output
    assert "by live placement" in what_if.stdout

    imported = call("import", "--topics", f"{secured.prefix}.", "--without", "users", "--output", "imported")
    assert imported.exit_code == 0, imported.output
    assert f"{secured.prefix}.orders" in (secured.root / "imported" / "topics.yaml").read_text()

    secured.run("destroy", "--yes", "--skip-preview")
    missing = call("audit")
    assert missing.exit_code == 1
    assert "KTA101" in missing.stdout


def _in_a_process(*options):
    """A check stops its Spark at the end, which would be that of all tests in this process."""
    command = [sys.executable, "-c", "from kafka_topology.cli.entry import main; main()", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return SimpleNamespace(
        exit_code=done.returncode, stdout=done.stdout, stderr=done.stderr, output=done.stdout + done.stderr
    )


def test_every_command_asks_the_cluster_of_its_stack(secured):
    """One stack with a login, and all commands that take one: what each says is true of that cluster only."""
    (secured.root / ".gitignore").write_text("home/\nstate/\n")
    git(secured.root, "init", "--quiet")
    git(secured.root, "add", "-A")
    git(secured.root, "commit", "--quiet", "--message", "deployed")
    secured.up()
    orders = f"{secured.prefix}.orders"
    producer = SureProducer(secured.login)
    producer.produce(orders, key=str(uuid4()), value=b'{"order_id": "another"}', partition=0)
    producer.flush(60)

    def asked(*command):
        ask = _in_a_process if command[0] == "check" else call
        result = ask(*command, "--stack", "dev", "--format", "json")
        assert secured.password not in result.output
        server = secured.login["bootstrap.servers"]
        said = f"stack dev: path topology, environment dev, cluster {server}"
        assert result.stderr.startswith(said), result.stderr
        return result

    checked = asked("check")
    document = json.loads(checked.stdout)
    assert checked.exit_code == 1, checked.output
    [seen] = document["topics"]
    assert (seen["topic"], seen["records"]) == (orders, 1)
    assert "another" not in checked.stdout

    fine = asked("preflight")
    assert (fine.exit_code, json.loads(fine.stdout)["answer"]) == (0, "yes"), fine.output

    file = secured.root / "topology" / "orders.yaml"
    file.write_text(file.read_text().replace("partitions: 6", "partitions: 12"))
    reviewed = asked("review", "--base", "HEAD", "--live")
    document = json.loads(reviewed.stdout)
    assert (document["environments"], document["couldNotCheck"]) == (["dev"], [])
    assert [each["source"] for each in document["whatIf"]] == ["live placement"]
    assert document["whatIf"][0]["perBroker"]["before"]["bytes"] > 0


def test_an_explicit_file_wins_over_the_login_of_the_stack(secured, tmp_path):
    file = tmp_path / "client.properties"
    file.write_text("sasl.password=wrong\n")
    result = call("audit", "--stack", "dev", "--client-config", str(file), "--timeout", "5")
    assert result.exit_code == 3, result.output
    assert "could not check" in result.stdout
    assert secured.password not in result.output


def test_a_wrong_or_missing_passphrase_is_explained(secured, monkeypatch):
    for name in PASSPHRASES:
        monkeypatch.delenv(name, raising=False)
    missing = call("audit")
    assert missing.exit_code == 2
    assert "cannot read the config of the stack dev" in missing.stderr
    assert "PULUMI_CONFIG_PASSPHRASE" in missing.stderr
    assert call("report").exit_code == 0, "a page needs no secret"

    monkeypatch.setenv("PULUMI_CONFIG_PASSPHRASE", "wrong")
    wrong = call("audit")
    assert wrong.exit_code == 2
    assert "incorrect passphrase" in wrong.stderr
    assert "set PULUMI_CONFIG_PASSPHRASE to the passphrase of this stack" in wrong.stderr


def test_stacks_are_kept_apart(tmp_path, kafka, monkeypatch):
    """Two stacks, two environments, one of them by name; the one that is read does not become the selected one."""
    repository = Repository(tmp_path / "repository", "127.0.0.1:1", monkeypatch)
    repository.run("stack", "init", "prod")
    repository.configure("bootstrapServers", kafka.bootstrap_servers, "--stack", "prod")
    repository.configure("clusterId", "another", "--stack", "dev")
    repository.run("stack", "select", "dev")

    prod = call("audit", "--stack", "prod", "--format", "json")
    assert prod.exit_code == 1, "nothing was applied"
    found = json.loads(prod.stdout)
    assert (found["environment"], found["stack"]["name"]) == (None, "prod")
    assert f"stack prod: path topology, no environment, cluster {kafka.bootstrap_servers}" in prod.stderr
    assert repository.run("stack", "--show-name").strip() == "dev"

    other = call("audit", "--stack", "dev", "--bootstrap", kafka.bootstrap_servers)
    assert other.exit_code == 3
    assert "clusterId is 'another'" in other.stderr

    assert "did you mean `prod`?" in call("audit", "--stack", "prd").stderr
    repository.run("stack", "unselect")
    none = call("audit")
    assert none.exit_code == 2
    assert "no stack of Pulumi.yaml is selected" in none.stderr

    monkeypatch.setenv("PULUMI_STACK", "prod")
    assert call("report").stderr.startswith("selected stack prod: path topology, no environment\n")


def test_an_ownership_in_the_config_counts(tmp_path, kafka, admin, monkeypatch):
    from confluent_kafka.admin import NewTopic

    repository = Repository(tmp_path / "repository", kafka.bootstrap_servers, monkeypatch)
    cluster = repository.root / "topology" / "cluster.yaml"
    text = cluster.read_text()
    start, end = text.index("ownership:"), text.index("profiles:")
    cluster.write_text(text[:start] + text[end:])
    repository.run("config", "set", "--path", "kafka-topology:ownership.topics[0]", f"{repository.prefix}.")
    stray = f"{repository.prefix}.stray"
    admin.create_topics([NewTopic(stray, 1, 3)])[stray].result()
    result = call("audit", "--format", "json")
    found = [each for each in json.loads(result.stdout)["findings"] if each["resource"] == stray]
    assert [each["rule"] for each in found] == ["KTA106"]
    assert found[0]["location"]["file"] == "Pulumi.dev.yaml"

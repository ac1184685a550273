"""Every example that is a topology, applied as it is: Kafka's own tools see just what it declares.

Then one change of each kind, and a permitted destroy after which the tools see nothing.
"""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path

import yaml
from kafka_tools import Seen, everything_seen
from pulumi_project import PulumiProject

from kafka_topology.topology import load
from kafka_topology.topology.kafka.access import derived_acls

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
PROGRAM = ROOT / "program" / "__main__.py"
# They share no name, so they can be on one cluster at a time. The shop has the topic of `minimal`.
SMALL = ("minimal", "exactly-once", "simple-consistency")
NO_CHANGES = ("--yes", "--skip-preview", "--expect-no-changes")
LIMITS = ("producer_byte_rate", "consumer_byte_rate", "request_percentage", "controller_mutation_rate")


class AsWritten(yaml.SafeLoader):
    """Keeps what YAML 1.1 would turn into something else: `off`, and moments."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - how yaml is configured
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith((":bool", ":timestamp"))]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


class Example(PulumiProject):
    """An example in a project of its own, applied by the program and the settings of this repository."""

    settings = (ROOT / "Pulumi.yaml").read_text()

    def __init__(self, root, files, bootstrap_servers, environment=None):
        super().__init__(root / files.name, bootstrap_servers, PROGRAM.read_text())
        self.folder = self.root / "topology"
        self.environment_name = environment
        shutil.copytree(files, self.folder)
        if environment:
            self.configure("environment", environment)

    @property
    def topology(self):
        loaded = load(self.folder, self.environment_name)
        assert loaded.topology is not None, loaded.problems
        return loaded.topology

    def edit(self, change):
        """Let a function change the content of each file."""
        for file in self.folder.glob("*.yaml"):
            document = yaml.load(file.read_text(), AsWritten)  # noqa: S506 - a safe loader
            change(document)
            file.write_text(yaml.safe_dump(document, sort_keys=False))

    def settled(self):
        self.up("--expect-no-changes")
        self.run("refresh", *NO_CHANGES)

    def apply(self):
        shown = self.up()
        self.settled()
        return shown

    def destroy_with_permission(self):
        """What is protected stays; with the permission in the file, everything goes."""
        assert "protected" in self.destroy(fails=True)

        def permit(document):
            for section in ("topics", "consumerGroups"):
                for declared in document.get(section, {}).values():
                    declared["deletion"] = "allowed"

        self.edit(permit)
        self.configure("maxDeletes", "100")
        self.up()
        self.destroy()


def declared_by(*topologies):
    """What the tools should see, read off the topologies. All start at 0: no topic has a record."""
    wanted = Seen({}, defaultdict(set), {}, {}, {}, {})
    for topology in topologies:
        for topic in topology.topics.values():
            wanted.topics[topic.name] = (topic.partitions, topic.replication, dict(topic.config))
        for g in derived_acls(topology):
            kind = g.resource.upper().replace("-", "_")
            operation = "".join(f"_{c}" if c.isupper() else c for c in g.operation).lstrip("_").upper()
            rule = f"{g.permission.upper()} {operation} {kind} {g.pattern.upper()} {g.name} {g.host}"
            wanted.acls[g.principal].add(rule)
        for user in topology.users.values():
            wanted.users[user.name] = f"{user.mechanism}=iterations={user.iterations or 8192}"
        for quota in topology.quotas:
            limits = {name: getattr(quota, name) for name in LIMITS}
            wanted.quotas[f"user-principal '{quota.user}'"] = {n: v for n, v in limits.items() if v is not None}
        for group in topology.consumer_groups.values():
            partitions = [(name, p) for name in group.topics for p in range(topology.topics[name].partitions)]
            partitions += [(name, p) for name, numbers in group.assign.items() for p in numbers]
            wanted.offsets[group.name] = {f"{name}-{p}": 0 for name, p in partitions}
            if group.group_config:
                wanted.group_configs[group.name] = dict(group.group_config)
    return wanted


def one_change_of_each_kind(document):
    topics, groups = document.get("topics", {}), document.get("consumerGroups", {})
    for profile in document.get("profiles", {}).values():
        profile.get("config", {}).pop("message.timestamp.after.max.ms", None)  # removed
        if "segment.ms" in profile.get("config", {}):
            profile["config"]["segment.ms"] = "12h"  # changed
    if "shop.customers" in topics:
        topics["shop.customers"]["partitions"] = 9
        topics["shop.customers"]["config"] = {"max.compaction.lag.ms": "1d"}  # set
        # A new reader: its start, and the access of a principal that had none.
        groups["shop.mails"] = {**deepcopy(groups["shop.support"]), "principal": "User:shop-mails", "start": "latest"}
        groups["shop.support"]["groupConfig"] = {"consumer.session.timeout.ms": "50s"}
    if "acls" in document:
        orders, charge = document["acls"]
        orders["operations"] = ["Describe"]
        charge["operations"] = ["Describe", "DescribeConfigs"]
        document["quotas"] = [
            {"user": "shop-checkout", "producerByteRate": "6MB/s"},
            {"user": "shop-charge", "controllerMutationRate": 5},
        ]
    users = document.get("environments", {}).get("staging", {}).get("users")
    if users:
        users["shop-support"]["iterations"] = 10000
        users["shop-tracking"]["mechanism"] = "SCRAM-SHA-256"
        del users["shop-monitoring"]


def test_every_small_example_is_what_kafkas_own_tools_see(kafka, tmp_path):
    topologies = {folder.name for folder in EXAMPLES.iterdir() if (folder / "topology.yaml").exists()}
    # Share groups need a feature that is off in Kafka 4.1: test_share_group_example.py applies that example.
    assert topologies == {*SMALL, "broken", "share-groups"}, "an example that this test does not know"
    others = everything_seen(kafka)
    with ThreadPoolExecutor(len(SMALL)) as pool:
        examples = list(pool.map(lambda name: Example(tmp_path, EXAMPLES / name, kafka.bootstrap_servers), SMALL))
        list(pool.map(Example.apply, examples))
        assert everything_seen(kafka).since(others) == declared_by(*(example.topology for example in examples))
        list(pool.map(Example.destroy_with_permission, examples))
    assert everything_seen(kafka).since(others) == declared_by()


def test_the_shop_is_what_kafkas_own_tools_see_after_each_kind_of_change(kafka, tmp_path):
    others = everything_seen(kafka)
    shop = Example(tmp_path, ROOT / "topology", kafka.bootstrap_servers, "staging")
    assert "checkoutPassword" in shop.preview(fails=True)  # a secret that is missing is named
    secrets = [user.password_secret for user in shop.topology.users.values()]
    shop.run("config", "set-all", *(word for name in secrets for word in ("--secret", f"{name}=hunter2")))
    shown = shop.apply()
    before = declared_by(shop.topology)
    assert everything_seen(kafka).since(others) == before

    shop.edit(one_change_of_each_kind)
    shop.run("config", "set", "--secret", "checkoutPassword", "hunter2-rotated")
    shown += shop.apply() + shop.run("stack", "export")
    assert "hunter2" not in shown
    for kind in ("Topic", "ConsumerGroup", "Access", "User", "Quota"):
        assert f"Team$kafka-topology:index:{kind}::" in shown
    outputs = json.loads(shop.run("stack", "output", "--json"))
    assert outputs["topics"]["shop.customers"]["partitions"] == 9
    assert outputs["groups"]["shop.mails"] == {"state": "Empty", "members": 0, "lag": 0}
    wanted = declared_by(shop.topology)
    # Partitions that come later get no offset: their readers' own settings decide.
    for partition in ("shop.customers-6", "shop.customers-7", "shop.customers-8"):
        del wanted.offsets["shop.support"][partition]
    assert all(getattr(before, part) != getattr(wanted, part) for part in vars(before))
    assert everything_seen(kafka).since(others) == wanted

    shop.destroy_with_permission()
    assert everything_seen(kafka).since(others) == declared_by()

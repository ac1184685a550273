"""A kind that is added from outside, as one folder: everybody who iterates the kinds finds it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import field, fields, make_dataclass
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace

import pulumi
import pytest
from click.testing import CliRunner
from grpc_engine import provider
from outside_kind import add_kind, add_to_audit, add_to_review, forget_what_was_found
from pulumi.runtime.mocks import MockResourceArgs, Mocks

from kafka_topology import __version__, sdk
from kafka_topology.audit import run as audit_run
from kafka_topology.audit.compare import audit
from kafka_topology.audit.registry import subjects
from kafka_topology.audit.survey import survey
from kafka_topology.cli.exits import Exit
from kafka_topology.cli.main import main
from kafka_topology.cluster.attempts import patience
from kafka_topology.cluster.live.quorum import Follower, Quorum
from kafka_topology.cluster.live.topics import LiveTopic, Placed
from kafka_topology.importing.files import imported, pulumi_import
from kafka_topology.importing.inventory import take_inventory
from kafka_topology.program import deploy
from kafka_topology.provider.config.settings import Owned
from kafka_topology.provider.desired.resources import desired_resources
from kafka_topology.provider.resources.descriptor import installed_kinds
from kafka_topology.report.review.words import summary
from kafka_topology.review.changes import Change, Risk
from kafka_topology.review.preview import drift, read_preview
from kafka_topology.review.result import Review
from kafka_topology.review.run import Pair, review_pair
from kafka_topology.topology import Topology, load

LABEL = "kafka-topology:index:Label"


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The folder of the kind, beside those of the product; yields what is on its cluster."""
    yield add_kind(tmp_path, monkeypatch)
    forget_what_was_found()


@pytest.fixture
def topology(tmp_path: Path) -> Topology:
    """Two topics. No audit looks at the health of the cluster, which has nothing to do with the kind."""
    file = tmp_path / "topology.yaml"
    written = """\
        version: 1
        topics:
          orders: {owner: checkout, partitions: 1, replication: 1}
          other: {partitions: 1, replication: 1}
        """
    health = [check.id for subject in subjects() if subject.is_health for check in subject.checks]
    file.write_text(dedent(written) + f"rules: {json.dumps({key: {'severity': 'off'} for key in health})}\n")
    found = load(file).topology
    assert found is not None
    return found


class NoCluster:
    cluster_id = "one"

    def close(self) -> None:
        pass


def test_the_plugin_serves_it(live):
    async def steps():
        config = {"bootstrapServers": "a:1", "rules": json.dumps({"enabled": False})}
        async with provider(config, connect=lambda _: NoCluster()) as client:
            labels = client.of(LABEL)
            assert await labels.check("orders", {"text": "a"}) == ({"name": "orders", "text": "a"}, {})
            _, state = await labels.create({"name": "orders", "text": "a"})
            assert state == {"name": "orders", "text": "a", "clusterId": "one", "__version": __version__}
            assert await labels.diff(state, {"name": "orders", "text": "b"}) == {"text"}
            state = await labels.update(state, {"name": "orders", "text": "b"})
            assert live == {"orders": "b"}
            inputs, _, _ = await labels.refresh(state)
            assert inputs == {"name": "orders", "text": "b"}
            await labels.delete(state)
            assert live == {}

    asyncio.run(steps())


@pytest.mark.usefixtures("live")
def test_a_topology_asks_for_it_after_the_kinds_before_it(topology):
    desired = [(each.kind, each.name) for each in desired_resources(topology)]
    assert desired == [("Topic", "orders"), ("Topic", "other"), ("Label", "orders")]


@pytest.mark.usefixtures("live")
def test_the_program_registers_it(topology, monkeypatch):
    registered = []

    class Recording(Mocks):
        def new_resource(self, args: MockResourceArgs):
            registered.append((args.typ, args.name, dict(args.inputs)))
            return args.name, args.inputs

        def call(self, _args):
            return {}

    class Label(pulumi.CustomResource):
        """As `make sdk` writes it from the schema."""

        def __init__(self, resource_name, opts=None, **inputs):
            super().__init__(LABEL, resource_name, inputs, opts)

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    pulumi.runtime.set_mocks(Recording())
    monkeypatch.setattr(sdk, "Label", Label, raising=False)
    monkeypatch.setattr(deploy, "wait_for", lambda _: None)  # the mocked engine waits by itself

    @pulumi.runtime.test
    def run():
        deploy.register(topology)

    try:
        run()
    finally:
        asyncio.set_event_loop(None)
        loop.close()
    assert (LABEL, "orders", {"name": "orders", "text": "checkout"}) in registered
    assert {typ for typ, _, _ in registered} >= {"kafka-topology:index:Topic", LABEL}


@pytest.mark.usefixtures("live")
def test_a_review_joins_it_with_the_preview():
    kinds = {kind.token: kind.reviewed for kind in installed_kinds().values()}
    state = {"type": LABEL, "inputs": {"name": "orders", "text": "a"}}
    step = {"op": "update", "oldState": state, "newState": {**state, "inputs": {"name": "orders", "text": "b"}}}
    preview = read_preview(json.dumps({"steps": [step]}), kinds)
    change = Change(kind="label", name="orders", action="change", risk=Risk.SAFE, reason="r", path="text")
    assert [(each.only, each.kind, each.name) for each in drift([], preview)] == [("pulumi", "label", "orders")]
    assert drift([change], preview) == ()


def test_an_import_reads_writes_and_lists_it(live):
    live["orders"] = "checkout"
    empty = SimpleNamespace(
        patient=lambda: patience(0),
        replicas=SimpleNamespace(brokers=dict, fenced=dict),
        survey=SimpleNamespace(
            application_names=frozenset,
            broker_configs=dict,
            controllers=lambda: None,
            group_names=frozenset,
            kafka_version=lambda: "4.1",
            partition_counts=dict,
            topic_names=frozenset,
            application_topics=dict,
        ),
        describe_many_topics=dict,
    )
    others = frozenset({"groups", "share-groups", "access", "users", "quotas"})
    made = imported(take_inventory(empty, Owned(), others), Owned())
    assert made.files["labels.yaml"] == "version: 1\n\nlabels: {orders: checkout}\n"
    assert json.loads(pulumi_import(made.resources, "p", "s"))["resources"] == [
        {"type": LABEL, "name": "orders", "id": "orders", "provider": "kafka"}
    ]
    assert imported(take_inventory(empty, Owned(), others | {"labels"}), Owned()).resources == ()


@pytest.mark.usefixtures("live")
def test_the_import_command_can_leave_it_out():
    spec = find_spec("kafka_topology.cli.commands.import_")
    assert spec is not None
    started = module_from_spec(spec)  # as a new process would import it
    spec.loader.exec_module(started)
    result = CliRunner().invoke(started.command, ["--without", "labels", "--without", "nothing", "--output", "o"])
    assert "'nothing' is not one of" in result.output
    assert "'quotas', 'labels'" in result.output


@pytest.fixture
def cluster(monkeypatch):
    """A cluster that has the topics as declared."""

    def topics(names):
        placed = (Placed(1, (1,), (1,)),)
        return {name: LiveTopic(name, "id", 1, 1, {}, placement=placed, min_in_sync=1) for name in names}

    fake = SimpleNamespace(
        patient=lambda: patience(0),
        connect=lambda: None,
        replicas=SimpleNamespace(brokers=lambda: {1: None}),
        survey=SimpleNamespace(broker_configs=lambda brokers: {key: {} for key in brokers}),
        health=SimpleNamespace(quorum=lambda: Quorum(1, {1: Follower()})),
        close=lambda: None,
        describe_many_topics=topics,
    )
    monkeypatch.setattr(audit_run, "Cluster", lambda _: fake)
    return fake


@pytest.mark.usefixtures("live", "cluster", "topology")
def test_an_audit_that_cannot_compare_it_says_so(tmp_path):
    result = CliRunner().invoke(main, ["audit", str(tmp_path / "topology.yaml"), "--bootstrap", "a:1"])
    assert result.exit_code == Exit.COULD_NOT_CHECK, result.output
    assert "could not check: 1 resource of the kind Label (orders): an audit does not compare this kind" in " ".join(
        result.output.split()
    )


@pytest.mark.usefixtures("cluster")
def test_an_audit_without_the_kind_is_clean(topology, tmp_path):
    result = CliRunner().invoke(main, ["audit", str(tmp_path / "topology.yaml"), "--bootstrap", "a:1"])
    assert result.exit_code == Exit.FINE, result.output


def test_an_audit_compares_it_with_one_more_module(live, cluster, topology, tmp_path, monkeypatch):
    add_to_audit(tmp_path, monkeypatch)
    found = audit(topology, survey(cluster, topology))
    assert ([(finding.id, finding.resource) for finding in found.findings], found.unread) == (
        [("KTA901", "orders")],
        (),
    )
    live["orders"] = "checkout"
    found = audit(topology, survey(cluster, topology))
    assert (found.findings, found.unread) == ((), ())


def with_labels(topology: Topology, labels: dict[str, str]) -> Topology:
    """A topology whose class has one more section, as after the first step of the recipe."""
    section = [("labels", dict, field(default_factory=dict))]
    extended = make_dataclass("Extended", section, bases=(Topology,), frozen=True, slots=True, kw_only=True)
    return extended(**{each.name: getattr(topology, each.name) for each in fields(topology)}, labels=labels)


def reviewed(topology: Topology) -> Review:
    pair = Pair(None, with_labels(topology, {}), with_labels(topology, {"orders": "checkout"}))
    return Review(subject="topology", base="main", head="topology", reviews=(review_pair(pair),))


@pytest.mark.usefixtures("live")
def test_a_review_that_does_not_know_its_section_calls_it_unclassified(topology):
    review = reviewed(topology)
    [change] = [shared.change for shared in review.changes]
    assert (change.title, change.what, change.risk) == ("section labels.orders", "new", Risk.CARE)
    assert change.reason == "unclassified section; review it manually"
    assert summary(review) == "1 change (1 needs care) since main"


@pytest.mark.usefixtures("live")
def test_a_review_judges_it_with_one_more_module(topology, tmp_path, monkeypatch):
    add_to_review(tmp_path, monkeypatch)
    [change] = [shared.change for shared in reviewed(topology).changes]
    assert (change.title, change.risk, change.reason) == ("label orders", Risk.SAFE, "a new label")


@pytest.mark.usefixtures("live")
def test_a_preview_of_it_does_not_claim_that_the_files_differ(tmp_path, monkeypatch):
    kinds = {kind.token: kind.reviewed for kind in installed_kinds().values()}
    step = {"op": "create", "newState": {"type": LABEL, "inputs": {"name": "orders", "text": "a"}}}
    preview = read_preview(json.dumps({"steps": [step]}), kinds)
    [unknown] = drift([], preview)
    assert unknown.text == (
        "Pulumi would create it: no review classifies this kind; check manually whether the files change it"
    )
    add_to_review(tmp_path, monkeypatch)
    [known] = drift([], preview)
    assert "this change does not contain that" in known.text


def test_without_its_folder_nobody_knows_it():
    assert "Label" not in installed_kinds()

"""A kind that is added from outside, as one folder: everybody who iterates the kinds finds it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace

import pulumi
import pytest
from grpc_engine import provider
from pulumi.runtime.mocks import MockResourceArgs, Mocks

from kafka_topology import sdk
from kafka_topology.importing.files import imported, pulumi_import
from kafka_topology.importing.inventory import take_inventory
from kafka_topology.program import deploy
from kafka_topology.provider import resources
from kafka_topology.provider.config.settings import Owned
from kafka_topology.provider.desired.resources import desired_resources
from kafka_topology.provider.resources.descriptor import installed_kinds
from kafka_topology.review.changes import Change, Risk
from kafka_topology.review.preview import drift, read_preview
from kafka_topology.topology import Topology, load

LABEL = "kafka-topology:index:Label"
# A label of each topic that has an owner. The cluster of this kind is a dictionary.
DESCRIPTOR = """
from kafka_topology.provider.plugin.properties import UNKNOWN
from kafka_topology.provider.resources.base import ResourceKind, state_of
from kafka_topology.provider.resources.changes import Checked, change_between
from kafka_topology.provider.resources.descriptor import Desired, KindDescriptor, Reviewed
from kafka_topology.provider.resources.importer import Importer

LIVE = {}


class LabelKind(ResourceKind):
    word = "label"

    def check(self, resource_name, old, new):
        return Checked({"name": resource_name, **new})

    def diff(self, old, new):
        return tuple(change_between("text", old.get("text"), new.get("text")))

    def parse(self, inputs):
        return inputs["name"], inputs.get("text")

    def why_outside(self, declared):
        return None

    def gather(self, admin):
        return LIVE

    async def look(self, declared):
        return (await self.batches()).get(declared[0])

    def unknown_state(self, new):
        return state_of(UNKNOWN, new, {})

    def why_not_adopt(self, declared, live):
        return f"label '{declared[0]}' differs" if live not in (None, declared[1]) else None

    async def preview_new(self, declared, live, new):
        return state_of(declared[0], new, {})

    async def create_new(self, declared, new, timeout):
        (await self.batches())[declared[0]] = declared[1]
        return state_of(declared[0], new, {})

    async def preview_update(self, old, new):
        return state_of(old.id, new, {})

    async def update_known(self, declared, old, new, timeout):
        return await self.create_new(declared, new, timeout)

    async def read(self, old):
        live = await self.look((old.id, None))
        if live is None:
            return self.vanished(old, "gone")
        return state_of(old.id, {"name": old.id, "text": live}, {})

    async def send_deletion(self, item):
        (await self.batches()).pop(item.declared[0])


def desired(topology):
    for topic in topology.topics.values():
        if topic.owner is not None:
            yield Desired("Label", topic.name, {"name": topic.name, "text": topic.owner}, after=(topic.name,))


DESCRIPTOR = KindDescriptor(
    name="Label",
    order=60,
    inputs=("name", "text"),
    outputs=("name", "text"),
    make=LabelKind,
    desired=desired,
    reviewed=Reviewed("label", by_field=True),
    importer=Importer(
        "labels",
        {},
        take=lambda cluster, owned, reading: dict(LIVE),
        sections=lambda found: {"labels.yaml": {"labels": found}},
        listed=lambda found: [(name, name) for name in found],
    ),
)
"""


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The folder of the kind, beside those of the product; yields what is on its cluster."""
    folder = tmp_path / "kinds" / "label"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "descriptor.py").write_text(DESCRIPTOR)
    monkeypatch.setattr(resources, "__path__", [*resources.__path__, str(folder.parent)])
    installed_kinds.cache_clear()
    from kafka_topology.provider.resources.label.descriptor import LIVE

    LIVE.clear()
    yield LIVE
    installed_kinds.cache_clear()


@pytest.fixture
def topology(tmp_path: Path) -> Topology:
    file = tmp_path / "topology.yaml"
    file.write_text(
        dedent(
            """\
            version: 1
            topics:
              orders: {owner: checkout, partitions: 1, replication: 1}
              other: {partitions: 1, replication: 1}
            """
        )
    )
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
            assert state == {"name": "orders", "text": "a", "clusterId": "one"}
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
        patience=0,
        replicas=SimpleNamespace(brokers=dict),
        survey=SimpleNamespace(broker_configs=dict, controllers=lambda: None, topic_names=frozenset),
        describe_many_topics=dict,
    )
    others = frozenset({"groups", "access", "users", "quotas"})
    made = imported(take_inventory(empty, Owned(), others), Owned())
    assert made.files["labels.yaml"] == "version: 1\n\nlabels: {orders: checkout}\n"
    assert json.loads(pulumi_import(made.resources, "p", "s"))["resources"] == [
        {"type": LABEL, "name": "orders", "id": "orders", "provider": "kafka"}
    ]
    assert imported(take_inventory(empty, Owned(), others | {"labels"}), Owned()).resources == ()


def test_without_its_folder_nobody_knows_it():
    assert "Label" not in installed_kinds()

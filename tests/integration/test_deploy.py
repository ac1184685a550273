"""The Pulumi program: what it registers, and how it stops at an error in a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pulumi
import pytest

import kafka_topology.topology
import kafka_topology.validators
from kafka_topology import deploy
from kafka_topology.topology.model import Cluster, Ownership, Topic, Topology
from kafka_topology.topology.places import Layer, Location, Place


def place(*_path):
    return Place(Layer.RESOURCE, Location("topology.yaml", 7, 3, 7, 9))


@dataclass(frozen=True)
class Finding:
    id: str
    severity: str
    message: str
    location: Location


@dataclass(frozen=True)
class Loaded:
    topology: Topology | None
    problems: tuple[Finding, ...] = ()
    environments: tuple[str, ...] = ("dev",)


def topology(**topics):
    return Topology(
        place=place,
        cluster=Cluster(place=place),
        ownership=Ownership(place=place, topics=("shop.",)),
        topics=topics,
    )


@pytest.fixture
def asked(monkeypatch):
    """Stands in for the loader and the rules; remembers which environments were asked for."""
    environments = []

    def give(loaded, findings=()):
        def load(_path, environment=None):
            environments.append(environment)
            return loaded

        monkeypatch.setattr(kafka_topology.topology, "load", load, raising=False)
        monkeypatch.setattr(kafka_topology.validators, "validate", lambda _topology: findings, raising=False)
        return environments

    return give


def test_a_path_is_relative_to_the_project_also_when_the_program_is_in_a_folder(tmp_path):
    (tmp_path / "Pulumi.yaml").touch()
    (tmp_path / "program").mkdir()
    assert deploy.project_root(tmp_path / "program") == tmp_path
    assert deploy.project_root(tmp_path) == tmp_path


ERROR = Finding("KT101", "error", "min.insync.replicas 3 equals replication 3", place().location)


@pytest.mark.parametrize(
    ("loaded", "findings"),
    [(Loaded(topology()), (ERROR,)), (Loaded(None, (ERROR,)), ())],
    ids=["a rule", "the language"],
)
def test_an_error_stops_the_program_with_its_place(asked, loaded, findings):
    asked(loaded, findings)
    with pytest.raises(pulumi.RunError) as error:
        deploy.load_valid(Path("topology.yaml"), None, "prod")
    assert "topology.yaml:7:3: KT101 min.insync.replicas 3 equals" in str(error.value)


def test_the_stack_names_the_environment_when_the_topology_has_it(asked):
    environments = asked(Loaded(topology()))
    deploy.load_valid(Path("topology.yaml"), None, "dev")
    assert environments[-1] == "dev"
    deploy.load_valid(Path("topology.yaml"), None, "feature-7")
    assert environments[-1] is None
    deploy.load_valid(Path("topology.yaml"), "staging", "dev")
    assert environments[-1] == "staging"


class Engine(pulumi.runtime.Mocks):
    def __init__(self):
        self.seen = {}

    def new_resource(self, args):
        self.seen[args.name] = args
        return [args.name, {**args.inputs, "topicId": "id"}]

    def call(self, _args):
        return {}


def test_topics_are_registered_under_their_teams_with_the_ownership(monkeypatch):
    engine = Engine()
    pulumi.runtime.set_mocks(engine, project="kafka-topology", stack="dev")
    pulumi.runtime.set_all_config({"kafka-topology:bootstrapServers": "127.0.0.1:9092"})
    orders = Topic(place=place, name="shop.orders", partitions=6, replication=3, owner="checkout")

    @pulumi.runtime.test
    def register():
        deploy.register(topology(**{"shop.orders": orders}))

    register()
    assert engine.seen["checkout"].typ == "kafka-topology:index:Team"
    assert engine.seen["shop.orders"].inputs["partitions"] == 6
    provider = engine.seen["kafka"].inputs
    assert provider["bootstrapServers"] == "127.0.0.1:9092"
    assert provider["ownership"] == '{"topics": ["shop."]}'

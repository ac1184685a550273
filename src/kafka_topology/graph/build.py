"""Builds the graph of a topology."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology import Topology
from kafka_topology.topology.model.declared import Client, ConsumerGroup, Topic
from kafka_topology.topology.model.words import counted

from .model import Edge, Graph, Node, Verb, resource_id


def topology_graph(topology: Topology) -> Graph:
    edges = dict.fromkeys(_edges(topology))
    nodes = [*_topics(topology), *_clients(topology)]
    known = {node.id for node in nodes}
    nodes += [node for node in _others(topology) if node.id not in known]
    unique = {node.id: node for node in nodes}
    return Graph(tuple(unique.values()), tuple(edges))


def _topics(topology: Topology) -> Iterator[Node]:
    for topic in topology.topics.values():
        yield Node("topic", topic.name, topic.owner, public=topic.visibility == "public", note=_topic_note(topic))


def _topic_note(topic: Topic) -> str:
    return f"{counted(topic.partitions, 'partition')}, {topic.visibility}"


def _clients(topology: Topology) -> Iterator[Node]:
    for producer in topology.producers.values():
        note = f"producer, {producer.delivery}{_rotating(producer)}"
        yield Node("producer", producer.name, producer.owner, note=note)
    for group in topology.consumer_groups.values():
        members = f"group, {counted(group.members, 'member')}" if group.members is not None else "group"
        yield Node("group", group.name, group.owner, note=members + _rotating(group))
    for shared in topology.share_groups.values():
        members = f", {counted(shared.members, 'member')}" if shared.members is not None else ""
        yield Node("shareGroup", shared.name, shared.owner, note=f"share group{members}{_rotating(shared)}")
    for application in topology.streams.values():
        count = application.instances
        instances = f", {counted(count, 'instance')}" if count is not None else ""
        note = f"streams, {application.delivery}{instances}{_rotating(application)}"
        yield Node("streams", application.application_id, application.owner, note=note)


def _rotating(client: Client) -> str:
    count = len(client.principals)
    return f", {count} principals" if count > 1 else ""


def _others(topology: Topology) -> Iterator[Node]:
    """Topics that are used but not declared. The loader allows that only outside the ownership."""
    for _, topic, _ in _uses(topology):
        yield Node("topic", topic, external=True, note="declared elsewhere")


def _edges(topology: Topology) -> Iterator[Edge]:
    for client, topic, verb in _uses(topology):
        at = resource_id("topic", topic)
        yield Edge(client, at, verb) if verb == "writes" else Edge(at, client, verb)


def _uses(topology: Topology) -> Iterator[tuple[str, str, Verb]]:
    """The id of each client with each topic it uses."""
    for producer in topology.producers.values():
        for topic in producer.topics:
            yield resource_id("producer", producer.name), topic, "writes"
    for group in topology.consumer_groups.values():
        for topic in _read_by(group):
            yield resource_id("group", group.name), topic, "reads"
    for shared in topology.share_groups.values():
        for topic in shared.topics:
            yield resource_id("shareGroup", shared.name), topic, "reads"
    for application in topology.streams.values():
        at = resource_id("streams", application.application_id)
        for topic in application.reads:
            yield at, topic, "reads"
        for topic in application.writes:
            yield at, topic, "writes"


def _read_by(group: ConsumerGroup) -> tuple[str, ...]:
    return (*group.topics, *group.assign)

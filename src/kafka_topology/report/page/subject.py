"""The subject of the page: the topology, its graph, findings, audit and checks."""

from __future__ import annotations

from functools import cached_property

from kafka_topology.graph import Graph, Node, topology_graph
from kafka_topology.graph.model import resource_id
from kafka_topology.report.run import SECRET_IN_FILE, Run
from kafka_topology.topology import Finding, Location, Topology
from kafka_topology.topology.model.declared import Declared

from .access import Access
from .audits import AuditFile
from .checks import CheckFile


class Subject:
    """Lookups that all sections share. `drawn` is the visible part of the graph."""

    def __init__(
        self,
        topology: Topology,
        run: Run,
        checks: CheckFile | None,
        drawn: Graph | None = None,
        audit: AuditFile | None = None,
    ) -> None:
        self.topology = topology
        self.run = run
        self.checks = checks
        self.audit = audit
        self.graph = topology_graph(topology)
        self.drawn = drawn or self.graph
        self.nodes = {node.id: node for node in self.graph.nodes}
        self.described: frozenset[str] = frozenset()  # resources that have their details in the page
        self._paths: dict[str, str] = {}
        self.findings: dict[str, list[Finding]] = {}
        for finding in run.findings:
            self.findings.setdefault(resource_id(finding.kind, finding.resource), []).append(finding)

    @cached_property
    def access(self) -> Access:
        return Access(self.topology)

    @cached_property
    def secrets(self) -> frozenset[Location]:
        found = (*self.run.findings, *(suppressed.finding for suppressed in self.run.suppressed))
        return frozenset(finding.location for finding in found if finding.id == SECRET_IN_FILE)

    @cached_property
    def sources(self) -> dict[str, list[Node]]:
        return self._neighbours(backwards=True)

    @cached_property
    def targets(self) -> dict[str, list[Node]]:
        return self._neighbours(backwards=False)

    def _neighbours(self, *, backwards: bool) -> dict[str, list[Node]]:
        near: dict[str, list[Node]] = {}
        for edge in self.graph.edges:
            at, other = (edge.target, edge.source) if backwards else (edge.source, edge.target)
            near.setdefault(at, []).append(self.nodes[other])
        return near

    def declaration(self, node: Node) -> Declared | None:
        held = {
            "topic": self.topology.topics,
            "producer": self.topology.producers,
            "group": self.topology.consumer_groups,
            "streams": self.topology.streams,
        }[node.kind]
        found: Declared | None = held.get(node.name)
        return found

    def href(self, node_id: str) -> str | None:
        return f"#{node_id}" if node_id in self.described else None

    def team_of(self, finding: Finding) -> str:
        node = self.nodes.get(resource_id(finding.kind, finding.resource))
        return node.team if node is not None else ""

    def where(self, location: Location) -> str:
        path = self._paths.get(location.file)
        if path is None:
            path = self._paths[location.file] = self.run.path(location.file)
        return f"{path}:{location.line}"

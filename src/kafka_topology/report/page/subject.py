"""The subject of the page: the topology, its graph, findings, audit and checks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from kafka_topology.graph import Graph, Node, topology_graph
from kafka_topology.graph.model import resource_id
from kafka_topology.report.run import SECRET_IN_FILE, Run
from kafka_topology.topology import Finding, Location, Topology
from kafka_topology.topology.model.declared import Declared

from .access import Access
from .live.audits import AuditFile
from .live.checks import CheckFile
from .markup.document import section
from .markup.html import Html, el, name
from .markup.tables import Cell

Address = Callable[[Location], str | None]


class Subject:
    """Lookups that all sections share. `drawn` is the visible part of the graph.

    `prefix` starts every id, so that a page can hold several environments. `address` gives links to lines of files,
    which start with `link_base`.
    """

    def __init__(
        self,
        topology: Topology,
        run: Run,
        checks: CheckFile | None,
        drawn: Graph | None = None,
        audit: AuditFile | None = None,
        *,
        prefix: str = "",
        address: Address = lambda _: None,
        link_base: str = "",
    ) -> None:
        self.topology = topology
        self.run = run
        self.checks = checks
        self.audit = audit
        self.prefix = prefix
        self.link_base = link_base
        self._address = address
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
            "shareGroup": self.topology.share_groups,
            "streams": self.topology.streams,
        }[node.kind]
        found: Declared | None = held.get(node.name)
        return found

    @property
    def environment(self) -> str:
        return self.topology.environment or "no environment"

    def anchor(self, name: str) -> str:
        """The id of an element of this environment."""
        return f"{self.prefix}{name}"

    def section(self, anchor: str, title: str, *children: Html | None) -> Html:
        return section(self.anchor(anchor), title, *children)

    def href(self, node_id: str) -> str | None:
        return f"#{self.anchor(node_id)}" if node_id in self.described else None

    def team_of(self, finding: Finding) -> str:
        node = self.nodes.get(resource_id(finding.kind, finding.resource))
        return node.team if node is not None else ""

    def where(self, location: Location) -> str:
        path = self._paths.get(location.file)
        if path is None:
            path = self._paths[location.file] = self.run.path(location.file)
        return f"{path}:{location.line}"

    def place(self, location: Location) -> Cell:
        """Where something is declared, with a link if files have an address."""
        return Cell(self.where(location), self._address(location))

    def place_link(self, location: Location, before: str = "", class_: str = "where") -> Html:
        href = self._address(location)
        shown = name(self.where(location))
        return el("span", before, el("a", shown, href=href) if href else shown, class_=class_)

    def address_of(self, file: str, line: str) -> str | None:
        """The link to a line that another command reported."""
        return self._address(Location(file, int(line), 1, int(line), 1)) if line.isdecimal() else None

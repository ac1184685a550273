"""The graph that `graph` and `report` draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kafka_topology.graph import Graph
    from kafka_topology.topology import Topology


def drawn_graph(topology: Topology, focus: str | None) -> Graph:
    """The whole graph, or the part around a name. Ends the command when nothing has that name."""
    from kafka_topology.graph import UnknownName, focused, topology_graph

    graph = topology_graph(topology)
    if focus is None:
        return graph
    try:
        return focused(graph, focus)
    except UnknownName as unknown:
        raise click.BadParameter(str(unknown), param_hint="--focus") from unknown

"""The graph as JSON."""

from __future__ import annotations

import json

from .model import Graph, Node

VERSION = 1


def as_json(graph: Graph) -> str:
    document = {
        "version": VERSION,
        "nodes": [
            {
                "id": node.id,
                "kind": node.kind,
                "name": node.name,
                "owner": node.owner,
                "visibility": _visibility(node),
                "external": node.external,
            }
            for node in graph.nodes
        ],
        "edges": [{"source": edge.source, "target": edge.target, "verb": edge.verb} for edge in graph.edges],
    }
    return json.dumps(document, indent=2) + "\n"


def _visibility(node: Node) -> str | None:
    """Known only of declared topics."""
    if node.kind != "topic" or node.external:
        return None
    return "public" if node.public else "private"

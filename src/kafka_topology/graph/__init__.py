"""The topology as a graph: who writes which topic, who reads it, and what comes out of that."""

from .build import topology_graph
from .focus import UnknownName, focused
from .model import Edge, Graph, Node

__all__ = ["Edge", "Graph", "Node", "UnknownName", "focused", "topology_graph"]

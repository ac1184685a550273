"""The topology as a graph: who writes and who reads which topic."""

from .build import topology_graph
from .focus import UnknownName, focused
from .model import Edge, Graph, Node

__all__ = ["Edge", "Graph", "Node", "UnknownName", "focused", "topology_graph"]

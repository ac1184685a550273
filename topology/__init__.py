"""The topology language: YAML files to a located, typed, frozen topology."""

from .findings import Edit, Finding, Related, Severity
from .loader import Loaded, load
from .model import Topology
from .places import Layer, Location, Place

__all__ = ["Edit", "Finding", "Layer", "Loaded", "Location", "Place", "Related", "Severity", "Topology", "load"]

"""The topology language: YAML files to a located, typed, frozen topology."""

from typing import TYPE_CHECKING, Any

from .model.declared import Topology
from .model.findings import Edit, Finding, Related, Severity
from .model.places import Layer, Location, Place

if TYPE_CHECKING:
    from .reading.loader import Loaded, load

__all__ = ["Edit", "Finding", "Layer", "Loaded", "Location", "Place", "Related", "Severity", "Topology", "load"]


def __getattr__(name: str) -> Any:
    """The loader, and YAML with it, only for those who load: the plugin needs the model alone, and starts sooner."""
    if name in ("Loaded", "load"):
        from .reading import loader

        return getattr(loader, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

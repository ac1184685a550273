"""Everything that the rest of the product needs to know about a kind of resource.

Each kind has a folder with a module `descriptor`, which holds one `DESCRIPTOR`. Servicer, program, preview,
import, audit and docs iterate `installed_kinds()` and name no kind themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Literal

from kafka_topology.provider import resources
from kafka_topology.provider.config.settings import PACKAGE

if TYPE_CHECKING:
    from kafka_topology.provider.plugin.judging import Judged
    from kafka_topology.provider.plugin.session import Session
    from kafka_topology.topology.model.declared import Topology

    from .base import Kind
    from .importer import Importer
    from .parts import Part, PropertyPlaces


@dataclass(frozen=True, slots=True)
class Desired:
    """One resource to register. `protected` protects it in the engine too, so a preview refuses its deletion.

    `after` has the topics that must exist first.
    """

    kind: str
    name: str
    inputs: Mapping[str, object] = field(default_factory=dict)
    owner: str | None = None
    protected: bool = False
    after: tuple[str, ...] = ()
    secrets: Mapping[str, str] = field(default_factory=dict)
    """Inputs whose values are secrets of the stack's config, and their names there."""


def _by_name(inputs: Mapping[str, Any]) -> object:
    return inputs.get("name")


@dataclass(frozen=True, slots=True)
class Reviewed:
    """How a review names resources of a kind, to match them with the changes in Pulumi's preview.

    `fields` has the prefixes of the YAML paths that a stack applies. `named` finds the name in the inputs.
    """

    word: str
    fields: tuple[str, ...] = ("",)
    by_field: bool = False  # compared field by field; others as a whole, because their inputs look different
    written: Mapping[str, str] = field(default_factory=dict)  # inputs with another name in the YAML
    named: Callable[[Mapping[str, Any]], object] = _by_name


@dataclass(frozen=True, slots=True)
class Exported:
    """An output of the stack: the properties that it shows of each resource, by the names of the typed class."""

    name: str
    shows: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Needs:
    """The operations that the provider's principal needs for a kind, for the docs. `when` says for which resources."""

    cluster: str = ""
    topics: str = ""
    groups: str = ""
    when: str = ""

    def operations(self, on: Literal["cluster", "topics", "groups"]) -> frozenset[str]:
        """The operations by name; none where the row refers to another."""
        named: str = getattr(self, on)
        return frozenset(name for name in named.split(", ") if name.isalpha())


@dataclass(frozen=True, slots=True)
class KindDescriptor:
    """`order` sorts the kinds: those that others depend on are registered first.

    `section` is the field of `Topology` that holds the resources of this kind, if rules judge them. `needs` has the
    rows of the table of least privilege.
    """

    name: str
    order: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    make: Callable[[Session], Kind]
    desired: Callable[[Topology], Iterable[Desired]]
    reviewed: Reviewed
    section: str | None = None
    part: Callable[[Judged, PropertyPlaces], Part | None] | None = None
    importer: Importer[Any] | None = None
    exported: Exported | None = None
    needs: tuple[Needs, ...] = ()

    @property
    def token(self) -> str:
        return token_of(self.name)


def token_of(kind: str) -> str:
    return f"{PACKAGE}:index:{kind}"


@cache
def installed_kinds() -> Mapping[str, KindDescriptor]:
    """The kinds by name, in their order: one for each folder here that has a descriptor."""
    names = (f"{resources.__name__}.{module.name}" for module in iter_modules(resources.__path__) if module.ispkg)
    modules = [import_module(f"{name}.descriptor") for name in names if find_spec(f"{name}.descriptor") is not None]
    found: list[KindDescriptor] = [module.DESCRIPTOR for module in modules]
    return {kind.name: kind for kind in sorted(found, key=lambda kind: (kind.order, kind.name))}

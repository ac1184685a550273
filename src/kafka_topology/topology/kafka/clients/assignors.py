"""The assignors of the Java client, and the short names by which others call them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_PACKAGE: Final = "org.apache.kafka.clients.consumer."
_CLASSES: Final = MappingProxyType(
    {
        "range": "RangeAssignor",
        "roundrobin": "RoundRobinAssignor",
        "sticky": "StickyAssignor",
        "cooperative-sticky": "CooperativeStickyAssignor",
    }
)


# What a library calls an assignor, and the Java client's class for it.
Words = tuple[tuple[str, str], ...]


def classes_of(*names: str) -> str:
    """The classes of these short names, as the Java client lists them."""
    return ",".join(_PACKAGE + _CLASSES[name] for name in names)


def words_for(names: Mapping[str, str]) -> Words:
    """A library's own names, by the short names of the assignors."""
    return tuple((own, classes_of(short)) for short, own in names.items())


COOPERATIVE: Final = classes_of("cooperative-sticky")


def change_over(offered: bool, mixes: bool) -> str:
    """How a running group gets to the cooperative assignor, which all members must offer before one drops the others.

    `offered` says whether its members offer it already, `mixes` whether its library can offer both kinds at once.
    """
    if offered:
        return "one rolling restart is enough, because the members offer it already"
    if not mixes:
        return "stop all members first, because this library does not offer eager and cooperative assignors at once"
    return "in two rolling restarts, the first with both assignors"


def assignor_class(name: str) -> str | None:
    """The class that is meant by a short name or by a class without its package; None for every other name."""
    plain = _CLASSES.get(name.lower(), name)
    return _PACKAGE + plain if plain in _CLASSES.values() else None

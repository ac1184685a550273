"""Output formats that describe themselves, and how they are found.

A module of a package of formats, such as `report.findings`, holds one `FORMAT`. A distribution adds formats of its own
by entry points of the package's group, each naming a `Format`.
"""

from __future__ import annotations

import io
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Generic, TypeVar

from ..topology.model.outside import described, outside_code

if TYPE_CHECKING:
    from rich.console import Console

Subject = TypeVar("Subject")
FILE_WIDTH = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Format(Generic[Subject]):
    """One format: what `--format` calls it, what it is for, and how it is written.

    `render` returns the whole text, for a file or another program. `show` prints to a terminal, with its colours and
    its width; formats that no person reads leave it out.
    """

    name: str
    description: str
    render: Callable[[Subject], str]
    show: Callable[[Subject, Console], None] | None = None

    @property
    def is_for_terminals(self) -> bool:
        return self.show is not None


@dataclass(frozen=True, slots=True)
class BrokenFormat:
    """A format of another distribution that cannot be used, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Formats(Generic[Subject]):
    """All formats by name, those for terminals first, and the ones that could not be loaded."""

    by_name: dict[str, Format[Subject]]
    broken: tuple[BrokenFormat, ...] = ()


def find_formats(package: str, group: str) -> Formats[Subject]:
    """The formats of a package's modules and of installed distributions."""
    path = import_module(package).__path__
    modules = (import_module(f"{package}.{module.name}") for module in pkgutil.iter_modules(path))
    own = [module.FORMAT for module in modules if hasattr(module, "FORMAT")]
    return _gathered(own, entry_points(group=group))


def _gathered(own: Iterable[Format[Subject]], points: Iterable[EntryPoint]) -> Formats[Subject]:
    """One broken format leaves all others in use, and none takes the place of ours."""
    found = {each.name: each for each in own}
    broken: list[BrokenFormat] = []
    for point in sorted(points, key=lambda point: (point.name, point.value)):
        try:
            with outside_code():
                loaded = point.load()
        except Exception as error:  # noqa: BLE001 - another distribution's code may fail in any way
            broken.append(BrokenFormat(point.value, described(error)))
            continue
        if not isinstance(loaded, Format):
            broken.append(BrokenFormat(point.value, f"expected a Format, found a {type(loaded).__name__}"))
        elif loaded.name in found:
            broken.append(BrokenFormat(point.value, f"another format is called {loaded.name}"))
        else:
            found[loaded.name] = loaded
    ordered = sorted(found.values(), key=lambda each: (not each.is_for_terminals, each.name))
    return Formats({each.name: each for each in ordered}, tuple(broken))


def as_plain_text(show: Callable[[Console], None]) -> str:
    """Terminal output as a file holds it: without colours, at a fixed width."""
    from rich.console import Console  # noqa: PLC0415 - commands that print no findings do without

    stream = io.StringIO()
    show(Console(file=stream, width=FILE_WIDTH, highlight=False, no_color=True, markup=False))
    return stream.getvalue()

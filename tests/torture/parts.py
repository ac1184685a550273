"""Operations and faults: each is one module that describes itself, found by iteration."""

from __future__ import annotations

import pkgutil
from abc import ABC, abstractmethod
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Literal, TypeVar

from . import faults, operations

if TYPE_CHECKING:
    from types import ModuleType

    from .bench import Bench
    from .processes import Done, Running

Runs = Literal["pulumi", "command", "spark"]


class Operation(ABC):
    """What users run. `writes`: afterwards an `up` must converge. `usual` seconds are a first guess."""

    name: ClassVar[str] = ""
    by: ClassVar[Runs]
    writes: ClassVar[bool] = False
    usual: ClassVar[float] = 5.0
    longest: ClassVar[float] = 300.0

    def prepare(self, bench: Bench) -> None:  # noqa: B027 - most need nothing
        """Before the fault."""

    @abstractmethod
    def start(self, bench: Bench) -> Running: ...

    def judge(self, bench: Bench, done: Done) -> list[str]:
        """Answers that were wrong, or "fine" without a look. The fault is over."""
        return []


class Fault(ABC):
    """What happens meanwhile. It lasts for seconds between `shortest` and `longest`, and ends before the oracle."""

    name: ClassVar[str] = ""
    shortest: ClassVar[float] = 2.0
    longest: ClassVar[float] = 6.0

    def suits(self, operation: Operation) -> bool:
        return True

    @abstractmethod
    def begin(self, bench: Bench, running: Running) -> str | None:
        """What it hit, in words; None when there was nothing to hit."""

    def end(self, bench: Bench) -> None:  # noqa: B027 - proxies and brokers are healed after every turn
        """Undo what healing proxies and starting brokers does not."""


_Part = TypeVar("_Part", Operation, Fault)


def all_operations() -> dict[str, Operation]:
    return _found(operations, Operation)  # type: ignore[type-abstract]


def all_faults() -> dict[str, Fault]:
    return _found(faults, Fault)  # type: ignore[type-abstract]


def _found(package: ModuleType, base: type[_Part]) -> dict[str, _Part]:
    found: dict[str, _Part] = {}
    for info in pkgutil.iter_modules(package.__path__):
        module = import_module(f"{package.__name__}.{info.name}")
        for thing in vars(module).values():
            if isinstance(thing, type) and issubclass(thing, base) and thing.__module__ == module.__name__:
                thing.name = info.name.strip("_").replace("_", "-")
                found[thing.name] = thing()
    return dict(sorted(found.items()))

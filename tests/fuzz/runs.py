"""Properties in rounds, each with its own seed, until the time is used up. A round can be repeated by its seed."""

from __future__ import annotations

import pkgutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from traceback import format_exception

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings

from . import targets

Property = Callable[[], None]
EXAMPLES = 20  # in a round: rounds end often, so the time is kept
PREFIX = "fuzz_"


@dataclass(frozen=True, slots=True)
class Target:
    """A property by name, such as `loader.bytes`, its part of the time, and of the rounds of a run with so many."""

    name: str
    check: Property
    weight: float = 1.0
    share: float = 1.0
    examples: int = EXAMPLES

    def rounds(self, of: int | None) -> int | None:
        """At least one, of a fixed number for every target."""
        return None if of is None else max(1, round(of * self.share))


@dataclass(frozen=True, slots=True)
class Tried:
    target: Target
    rounds: int
    seconds: float
    failed_seed: int | None = None
    failure: str = ""


def prepare() -> None:
    """Must come before the targets are imported: a property takes the settings of that moment."""
    phases = [phase for phase in Phase if phase is not Phase.explain]
    settings.register_profile(
        "fuzz",
        max_examples=EXAMPLES,
        deadline=None,
        phases=phases,
        print_blob=True,
        verbosity=Verbosity.normal,
        suppress_health_check=list(HealthCheck),
    )
    settings.load_profile("fuzz")


def find_targets() -> Iterator[Target]:
    for found in pkgutil.iter_modules(targets.__path__):
        module = import_module(f"{targets.__name__}.{found.name}")
        weight = getattr(module, "WEIGHT", 1.0)
        properties = [name for name in vars(module) if name.startswith(PREFIX)]
        for name in properties:
            called = f"{found.name}.{name.removeprefix(PREFIX)}"
            share, examples = getattr(module, "SHARE", 1.0), getattr(module, "EXAMPLES", EXAMPLES)
            yield Target(called, getattr(module, name), weight / len(properties), share, examples)


def fuzz(
    target: Target,
    first_seed: int,
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
    *,
    exactly: int | None = None,
) -> Tried:
    """At least one round, and no new one after the time; or exactly so many. Ends with the first failure."""
    began, rounds = clock(), 0
    while rounds < exactly if exactly is not None else rounds == 0 or clock() - began < seconds:
        try:
            seed(first_seed + rounds)(target.check)()
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            failure = "".join(format_exception(error))
            return Tried(target, rounds + 1, clock() - began, first_seed + rounds, failure)
        rounds += 1
    return Tried(target, rounds, clock() - began)

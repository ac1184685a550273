"""Runs rules on the resources of a program: the interface of a judge, and the use of its verdicts.

The rules are elsewhere: the code that starts the plugin passes a judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ..resources.changes import CheckFailure
from .properties import has_secret, reveal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from ..config.rule_choices import RuleChoices
    from .properties import Properties, Value


@dataclass(frozen=True, slots=True)
class Judged:
    """A resource whose inputs have passed the check of its kind.

    Values have no marks any more, except `UNKNOWN`. `given` has the inputs as the program wrote them.
    """

    kind: str
    urn: str
    name: str
    inputs: dict[str, Value]
    given: dict[str, Value]
    is_unchanged: bool = False  # the same as in the last run, so it is live already
    is_secret: bool = False  # some value must not be shown


@dataclass(frozen=True, slots=True)
class Verdict:
    """One finding of a rule. It either refuses the resource or is a warning."""

    property: str
    reason: str
    refuses: bool


class Run(Protocol):
    """The rules during one run of the engine. It remembers the resources it has judged."""

    def judge(self, resource: Judged) -> tuple[Verdict, ...]: ...


class Judge(Protocol):
    def wrong_choices(self, choices: RuleChoices) -> Iterable[CheckFailure]:
        """Choices that name an unknown rule, or a rule that cannot judge a program."""
        ...

    def begin(self, choices: RuleChoices) -> Run: ...


class NoRules:
    """Judges nothing: the rules are turned off, or the plugin has none."""

    def wrong_choices(self, choices: RuleChoices) -> Iterable[CheckFailure]:  # noqa: ARG002
        return ()

    def begin(self, choices: RuleChoices) -> Run:  # noqa: ARG002
        return self

    def judge(self, resource: Judged) -> tuple[Verdict, ...]:  # noqa: ARG002
        return ()


def judged(token: str, urn: str, name: str, *, old: Properties, inputs: Properties, given: Properties) -> Judged:
    """`inputs` are the checked ones, `old` those of the last run."""
    plain, before = _plain(inputs), _plain(old)
    return Judged(
        kind=token.rpartition(":")[2],
        urn=urn,
        name=name,
        inputs=plain,
        given=_plain(given),
        is_unchanged=bool(before) and before == plain,
        is_secret=has_secret(dict(inputs)),
    )


async def refusals(verdicts: Iterable[Verdict], warn: Callable[[str], Awaitable[None]]) -> tuple[CheckFailure, ...]:
    """The verdicts that refuse the resource; the others become warnings."""
    failures = []
    for verdict in verdicts:
        if verdict.refuses:
            failures.append(CheckFailure(verdict.property, verdict.reason))
        else:
            await warn(verdict.reason)
    return tuple(failures)


def _plain(properties: Properties) -> dict[str, Value]:
    return {key: reveal(value) for key, value in properties.items()}

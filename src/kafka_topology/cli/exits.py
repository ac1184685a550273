"""The exit codes: what each means, who chooses it, and how a command ends with one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NoReturn

import click


class Exit(IntEnum):
    """Every command ends with one of these. `local tool` alone passes on the code of Kafka's own tool."""

    FINE = 0
    FINDINGS = 1
    UNUSABLE = 2
    COULD_NOT_CHECK = 3

    @property
    def meaning(self) -> str:
        return _MEANINGS[self]


_MEANINGS = {
    Exit.FINE: "Success: the command did its work and found nothing that counts.",
    Exit.FINDINGS: "Findings or violations that count, or files that would change.",
    Exit.UNUSABLE: "Wrong usage, or a file that cannot be read or written.",
    Exit.COULD_NOT_CHECK: "Something could not be checked, or kafka-topology itself failed. Never treat it as success.",
}
TOPOLOGY_UNREADABLE = "wrong usage, or the files cannot be read as a topology"
INTERRUPTED = 130  # what a shell reports for a program that Ctrl-C ended
CLOSED_PIPE = 141  # what a shell reports for a program whose reader went away, as in `kafka-topology rules | head -1`


class StrictCommand(click.Command):
    """Refuses a repeated option that takes one value: click would use the last value and drop the others."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:
            _, _, given = self.make_parser(ctx).parse_args(list(args))
            for parameter, times in Counter(filter(_takes_one_value, given)).items():
                if times > 1:
                    option = max(parameter.opts, key=len)
                    ctx.fail(f"give {option} once; it takes one value, but was given {times} times")
        return super().parse_args(ctx, args)


class StrictGroup(click.Group):
    command_class = StrictCommand


def _takes_one_value(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Option) and not (parameter.multiple or parameter.is_flag or parameter.count)


class Command(StrictCommand):
    """A command whose help lists its exit codes."""

    def __init__(self, *args: Any, exits: Mapping[Exit, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.exits = exits

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_exits(formatter, self.exits)
        super().format_epilog(ctx, formatter)


def write_exits(formatter: click.HelpFormatter, exits: Mapping[Exit, str]) -> None:
    with formatter.section("Exit codes"):
        formatter.write_dl([(str(code.value), meaning) for code, meaning in exits.items()])


def finding_exits(unusable: str = TOPOLOGY_UNREADABLE, *, live: bool) -> dict[Exit, str]:
    """The codes of a command with `--fail-on`. One that asks a cluster may fail to check something."""
    exits = {
        Exit.FINE: "no finding at or above --fail-on",
        Exit.FINDINGS: "findings at or above --fail-on",
        Exit.UNUSABLE: unusable,
    }
    unchecked = {Exit.COULD_NOT_CHECK: "no such findings, but not everything could be checked"}
    return exits | unchecked if live else exits


def exit_code(*, failing: bool, unchecked: bool) -> Exit:
    """Findings win over what could not be checked: they need somebody to act in any case."""
    if failing:
        return Exit.FINDINGS
    return Exit.COULD_NOT_CHECK if unchecked else Exit.FINE


def stop(code: Exit, message: str) -> NoReturn:
    """End the command with a message on stderr."""
    click.echo(f"kafka-topology: {message}", err=True)
    raise SystemExit(code)

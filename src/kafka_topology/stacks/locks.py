"""Who holds a stack: another run, or one that was killed and left its lock."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from kafka_topology.topology.model.words import visible

from .pulumi_cli import StackUnreadable

if TYPE_CHECKING:
    from .pulumi_cli import PulumiCli

_FILES: Final = "file://"
_CLOUD: Final = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class Lock:
    """`who` is a person and a machine, as far as the backend says it; `since` is a moment in ISO form, or empty."""

    who: str
    since: str = ""


@dataclass(frozen=True, slots=True)
class Locks:
    """Of one stack. `unseen` says why nobody knows whether there are more."""

    stack: str
    held: tuple[Lock, ...] = ()
    unseen: str = ""


def locks_of(cli: PulumiCli, stack: str) -> Locks:
    """The locks, as far as the backend shows them."""
    try:
        return _locks(cli, stack, cli.backend())
    except StackUnreadable as error:
        return Locks(stack, unseen=str(error))


def _locks(cli: PulumiCli, stack: str, url: str) -> Locks:
    if url.startswith(_FILES):
        root = Path(unquote(url.removeprefix(_FILES).partition("?")[0])).expanduser()
        return Locks(stack, tuple(_in_files(cli.folder / root, cli.project.name or "", stack.rpartition("/")[2])))
    if url.startswith(_CLOUD):
        return Locks(stack, (Lock("another run"),) if cli.is_updating(stack) else ())
    return Locks(stack, unseen=f"Pulumi does not show the locks of {url.partition('://')[0]}://")


def _in_files(root: Path, project: str, stack: str) -> Iterator[Lock]:
    """Pulumi keeps them by organization, project and stack; its older layout has the stack alone."""
    locks = root / ".pulumi" / "locks"
    for folder in (locks / "organization" / project / stack, locks / stack):
        for file in sorted(folder.glob("*.json")):
            try:
                held = json.loads(file.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                held = {}
            yield _lock(held if isinstance(held, dict) else {})


def _lock(held: dict[str, object]) -> Lock:
    user, host, pid = (visible(str(held.get(name) or "")) for name in ("username", "hostname", "pid"))
    who = "@".join(filter(None, (user, host))) or "somebody"
    return Lock(f"{who} (process {pid})" if pid else who, visible(str(held.get("timestamp") or "")))

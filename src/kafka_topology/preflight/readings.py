"""What the cluster has of deployed resources that this deployment changes, as the provider itself reads them.

An audit compares the cluster with the files. Where the files change, only the provider's own reading shows what
somebody else did: it compares with what was deployed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..audit.check import value_text
from ..provider.plugin.lifecycle import Lifecycle
from ..provider.plugin.session import Session
from ..provider.resources.access.inputs import parse as parse_access
from ..provider.resources.base import Old, OperationError
from ..provider.resources.descriptor import installed_kinds
from ..provider.resources.input_checks import plain
from ..topology.kafka.equal import same

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..cluster.outcomes import Failure
    from ..provider.config.settings import Settings
    from ..provider.plugin.properties import Properties, Value
    from ..provider.resources.admin import Admin
    from .deployed import Deployed, Key
    from .requests import Request

# Topics are compared value by value with what the survey read of them already.
_COMPARED_ELSEWHERE = frozenset({"Topic"})


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that is not as deployed; None means: not set."""

    what: str
    now: str | None
    then: str | None


@dataclass(frozen=True, slots=True)
class Reading:
    """`failure` says why it could not be read. What is gone has no differences."""

    is_gone: bool = False
    differences: tuple[Difference, ...] = field(default=())
    failure: Failure | None = None


def read_changed(
    requests: Mapping[Key, Request], deployed: Deployed | None, settings: Settings, admin: Admin
) -> Mapping[Key, Reading]:
    """The readings of all deployed resources that are updated. In a session of their own: a preview must not know."""
    wanted = [
        each
        for each in requests.values()
        if each.action == "update" and each.before is not None and each.kind not in _COMPARED_ELSEWHERE
    ]
    if deployed is None or not wanted:
        return {}
    session = Session(settings, lambda _: admin)
    try:
        return asyncio.run(_read_all(session, wanted, deployed))
    finally:
        session.neighbours.close()


async def _read_all(session: Session, wanted: list[Request], deployed: Deployed) -> dict[Key, Reading]:
    await session.admin()
    kinds = {name: Lifecycle(kind.make(session), session) for name, kind in installed_kinds().items()}
    found = await asyncio.gather(*(_read(kinds[each.kind], each, deployed.resources[each.key]) for each in wanted))
    return dict(zip((each.key for each in wanted), found, strict=True))


async def _read(kind: Lifecycle, request: Request, old: Old) -> Reading:
    was = request.before or {}
    try:
        state = await kind.read(Old(old.id, was, old.properties, old.urn))
    except OperationError as error:
        return Reading(failure=error.failure)
    if state is None or state.gone:
        return Reading(is_gone=True)
    lost = _lost_access(was, state.inputs) if request.kind == "Access" else _changed(kind, was, state.inputs)
    return Reading(differences=(*lost, *_overwritten(request.inputs, plain(state.properties, "undeclared"))))


def _lost_access(was: Properties, now: Properties) -> Iterator[Difference]:
    for acl in sorted(parse_access(was).acls - parse_access(now).acls):
        yield Difference(str(acl), None, "set")


def _changed(kind: Lifecycle, was: Properties, now: Properties) -> Iterator[Difference]:
    for change in kind.kind.diff(was, now):
        yield Difference(_name(change.path), _value(now, change.path), _value(was, change.path))


def _overwritten(wanted: Properties, undeclared: Value) -> Iterator[Difference]:
    """What somebody set, and this deployment is about to overwrite with a value that is declared for the first time."""
    config = plain(wanted, "config")
    declared = {**wanted, **(config if isinstance(config, dict) else {})}
    for line in undeclared if isinstance(undeclared, list) else ():
        name, is_setting, now = str(line).partition("=")
        value = plain(declared, name)
        if is_setting and value is not None and not same("group", name, _text(value), now):
            yield Difference(name, now, None)


def _name(path: str) -> str:
    return path.removeprefix('config["').removesuffix('"]')


def _value(inputs: Properties, path: str) -> str | None:
    config = plain(inputs, "config")
    held = config.get(_name(path)) if path.startswith("config[") and isinstance(config, dict) else plain(inputs, path)
    return None if held is None else _text(held)


def shown(what: str, value: str | None) -> str:
    """A value with its unit, if the name implies one, or else with separators."""
    text = value_text(what, value)
    return f"{int(text):,}" if text.isdecimal() else text


def _text(value: Value) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)

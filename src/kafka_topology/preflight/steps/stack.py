"""Is the stack free?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...audit.check import Check, about_cluster, found
from ...topology.model.findings import Severity
from ..step import Looked, Step

if TYPE_CHECKING:
    from ..facts import Facts

LOCKED: Final = Check(
    "KTP801", "stack-locked", Severity.ERROR,
    "Another run holds the lock of the stack, or one that was killed left it.",
    "`pulumi up` fails at once: the stack is currently locked. With a backend in files, the lock of a killed run stays "
    "until somebody removes it.",
    "Wait for the other run. If it is gone, run `pulumi cancel`.",
)  # fmt: skip


def look(facts: Facts) -> Looked | None:
    locks = facts.deployed.locks if facts.deployed is not None else None
    if locks is None:
        return None
    about = about_cluster(facts.topology)
    held = tuple(
        found(
            LOCKED,
            about,
            about.declared,
            f"{locks.stack} is locked by {lock.who}{f' since {lock.since}' if lock.since else ''}",
            f"wait for that run; if it is gone, run pulumi cancel --stack {locks.stack}",
            actual=lock.who,
        )
        for lock in locks.held
    )
    if locks.unseen:
        return Looked(f"not known whether it is locked: {locks.unseen}", held)
    return Looked(f"{locks.stack} is locked" if held else f"{locks.stack} is free", held)


STEP = Step(
    name="stack",
    order=85,
    asks="With a stack: does another run, or one that was killed, hold its lock?",
    look=look,
    checks=(LOCKED,),
)

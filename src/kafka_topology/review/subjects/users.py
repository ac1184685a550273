"""Changes of users."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..changes import Change, Effect, Verdict, breaking, care, safe, unclassified
from ..fields import Path, changed_fields
from ..judging import field_change, whole_change
from ..subject import Subject
from ..versions import Versions


def user_changes(versions: Versions) -> Iterator[Change]:
    before, after = versions.old.topology.users, versions.new.topology.users
    for name, user in after.items():
        if name not in before:
            yield whole_change(("user", name), "add", safe(f"a new user, with {user.mechanism}"), user)
        elif user != before[name]:
            for path, was, now in changed_fields("users", before[name], user):
                yield field_change(("user", name), path, (was, now), _user(path), (before[name], user))
    for name, user in before.items():
        if name not in after:
            effect = Effect("access", f"User:{name} can no longer log in with {user.mechanism}")
            yield whole_change(
                ("user", name), "remove", breaking("clients that still log in as this user are refused", effect), user
            )


def _user(path: Path) -> Verdict:
    if path[0] == "mechanism":
        return breaking("clients that still use the old mechanism are refused")
    if path[0] == "iterations":
        return safe("clients do not notice")
    if path[0] == "password":
        return care("its password comes from another secret; clients need the new one at the same time")
    return unclassified()


SUBJECT: Final = Subject(order=40, kinds=("user",), sections=("users",), changes=user_changes)

"""Compares SCRAM users with the declared ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from ...cluster.outcomes import Failure, Outcome
from ...provider.resources.user.inputs import why_not_owned
from ...topology.model.findings import Severity
from ..check import About, Check, found
from ..observing.snapshot import Asked, Observation, alike, of_all
from ..subject import Subject, without_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...topology.model.declared import Topology
    from ...topology.model.findings import Finding
    from ..observing.snapshot import Snapshot, Survey

Users: TypeAlias = Mapping[str, Outcome[Mapping[str, int]]]  # iterations by mechanism
USER_MISSING: Final = Check(
    "KTA411", "user-missing", Severity.ERROR,
    "A declared user is missing on the cluster, or has no credential for the declared mechanism.",
    "Its clients cannot log in.",
    "Run `pulumi refresh` and `pulumi up`.",
    ("R33",),
)  # fmt: skip
USER_DIFFERS: Final = Check(
    "KTA412", "user-differs", Severity.ERROR,
    "The iterations of a user's credential differ from the declared number.",
    "Somebody set the password by hand, so the password itself may differ too.",
    "Run `pulumi refresh` and `pulumi up` to set the declared password.",
    ("R33",),
)  # fmt: skip
USER_UNDECLARED: Final = Check(
    "KTA413", "user-undeclared", Severity.WARNING,
    "A user, or one of its mechanisms, is inside the ownership, but not declared.",
    "The user can log in, and the files do not show it.",
    "Declare it, or delete its credentials.",
    ("R33",),
)  # fmt: skip


def _take(survey: Survey) -> Asked[Users]:
    if survey.topology.ownership.principals is None and not survey.topology.users:
        return None
    return survey.patient.one(survey.cluster.security.users.describe_all_users)


def _unread(topology: Topology, users: Asked[Users]) -> Iterator[str]:
    yield from of_all(topology, users)
    if users is not None and not isinstance(users, Failure):
        yield from alike("users", {name: users[name] for name in topology.users if name in users})


USERS: Final = Observation("users", _take, _unread)


def user_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    users = live.of(USERS)
    if users is None or isinstance(users, Failure):
        return
    for user in topology.users.values():
        about = About("user", user.name, user.location)
        seen = users.get(user.name, {})
        if isinstance(seen, Failure):
            continue
        if user.mechanism not in seen:
            others = f"; it has {', '.join(sorted(seen))}" if seen else ""
            yield found(
                USER_MISSING,
                about,
                user.place("mechanism"),
                f"{user.name} cannot log in by {user.mechanism}: the cluster has no such credential{others}",
                "run pulumi refresh and pulumi up",
                expected=user.mechanism,
                actual=sorted(seen) or None,
            )
        elif user.iterations is not None and seen[user.mechanism] != user.iterations:
            yield found(
                USER_DIFFERS,
                about,
                user.place("iterations"),
                f"{user.name} has {seen[user.mechanism]:,} iterations of {user.mechanism} on the cluster; expected "
                f"{user.iterations:,}",
                "run pulumi refresh and pulumi up to set the declared password",
                expected=user.iterations,
                actual=seen[user.mechanism],
            )
    yield from _undeclared_users(topology, users)


def _undeclared_users(topology: Topology, users: Mapping[str, object]) -> Iterator[Finding]:
    owned = topology.ownership.principals
    if owned is None:
        return
    for name, seen in sorted(users.items()):
        if why_not_owned(name, owned) is not None or not isinstance(seen, dict):
            continue
        declared = topology.users.get(name)
        for mechanism in sorted(seen):
            if declared is None or declared.mechanism != mechanism:
                at = topology.ownership.place("principals") if declared is None else declared.place("mechanism")
                yield found(
                    USER_UNDECLARED,
                    About("user", name, at.location),
                    at,
                    f"{name} can log in by {mechanism}, and that is not declared",
                    "declare it, or delete the credential",
                    actual=mechanism,
                )


SUBJECT: Final = Subject(
    order=50,
    kinds=("User",),
    words=("user",),
    compares={"users": "missing, different, undeclared inside the ownership"},
    reads=(USERS,),
    checks=(USER_MISSING, USER_DIFFERS, USER_UNDECLARED),
    compare=without_options(user_findings),
)

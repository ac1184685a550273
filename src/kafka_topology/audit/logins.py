"""Compares SCRAM users and quotas with the declared ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..cluster.live.quotas import Entity
from ..cluster.outcomes import Failure
from ..provider.resources.quota.descriptor import inputs_of
from ..provider.resources.quota.inputs import LIMITS, parse
from ..provider.resources.user.inputs import why_not_owned
from ..topology.model.findings import Severity
from .check import About, Check, found

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..topology.model.declared import Quota, Topology
    from ..topology.model.findings import Finding
    from .snapshot import Snapshot

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
QUOTA_DIFFERS: Final = Check(
    "KTA421", "quota-differs", Severity.ERROR,
    "A quota is missing on the cluster, or its limit differs from the declared one.",
    "Kafka throttles a client that it should not, or lets a client take the capacity of others.",
    "Run `pulumi refresh` and `pulumi up`.",
    ("R33",),
)  # fmt: skip
QUOTA_UNDECLARED: Final = Check(
    "KTA422", "quota-undeclared", Severity.WARNING,
    "A limit of a user inside the ownership is not declared.",
    "It throttles clients, and the files do not show it.",
    "Declare it, or remove it.",
    ("R33",),
)  # fmt: skip
CHECKS: Final = (USER_MISSING, USER_DIFFERS, USER_UNDECLARED, QUOTA_DIFFERS, QUOTA_UNDECLARED)


def user_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    if live.users is None or isinstance(live.users, Failure):
        return
    for user in topology.users.values():
        about = About("user", user.name, user.location)
        seen = live.users.get(user.name, {})
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
    yield from _undeclared_users(topology, live.users)


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


def quota_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    if live.quotas is None or isinstance(live.quotas, Failure):
        return
    declared: dict[Entity, Quota] = {}
    for quota in topology.quotas:
        entity, limits = (wanted := parse(inputs_of(quota))).entity, wanted.limits
        declared[entity] = quota
        for name, kafka in LIMITS.items():
            actual = live.quotas.get(entity, {}).get(kafka)
            if kafka in limits and actual != limits[kafka]:
                shown = "not set" if actual is None else f"{actual:,.12g}"
                yield found(
                    QUOTA_DIFFERS,
                    About("quota", entity.id, quota.location),
                    quota.place(name),
                    f"{entity}: {name} is {shown} on the cluster; expected {limits[kafka]:,.12g}",
                    "run pulumi refresh and pulumi up",
                    expected=limits[kafka],
                    actual=actual,
                    setting=name,
                )
    yield from _undeclared_quotas(topology, live.quotas, declared)


def _undeclared_quotas(
    topology: Topology, quotas: Mapping[Entity, Mapping[str, float]], declared: Mapping[Entity, Quota]
) -> Iterator[Finding]:
    owned = topology.ownership.principals
    for entity, limits in sorted(quotas.items(), key=lambda item: item[0].id):
        quota = declared.get(entity)
        inside = owned is not None and entity.user is not None and why_not_owned(entity.user, owned) is None
        if quota is None and not inside:
            continue
        known = parse(inputs_of(quota)).limits if quota is not None else {}
        at = topology.ownership.place("principals") if quota is None else quota.place()
        for name, kafka in LIMITS.items():
            if kafka in limits and kafka not in known:
                yield found(
                    QUOTA_UNDECLARED,
                    About("quota", entity.id, at.location),
                    at,
                    f"{entity}: {name} is {limits[kafka]:,.12g} on the cluster, and is not declared",
                    "declare it, or remove it",
                    actual=limits[kafka],
                    setting=name,
                )

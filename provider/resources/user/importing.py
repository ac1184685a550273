"""Users of a cluster for an import. Kafka never shows a password, so files name a secret for each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from ..importer import Importer, Plain, sayable_names, unused
from .inputs import why_not_owned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka_topology.cluster.cluster import Cluster
    from kafka_topology.provider.config.settings import Owned

    from ..importer import Reading

Users: TypeAlias = Mapping[str, Mapping[str, int]]  # iterations by mechanism


def take(cluster: Cluster, owned: Owned, reading: Reading) -> Users:
    every = reading.value(reading.one(cluster.security.users.describe_all_users), {})
    ours = {name: seen for name, seen in every.items() if why_not_owned(name, owned.principals) is None}
    nothing: Mapping[str, int] = {}
    return {name: seen for name, outcome in sorted(ours.items()) if (seen := reading.value(outcome, nothing))}


def sayable(found: Users) -> tuple[Users, tuple[str, ...]]:
    return sayable_names("user", found)


def sections(found: Users) -> Mapping[str, Mapping[str, object]]:
    secrets: Plain = {}
    written: Plain = {}
    for name, seen in found.items():
        mechanism = max(seen)  # the stronger one, like `pulumi import`
        secret = unused(secret_name(name), secrets)
        secrets[secret] = name
        written[name] = {"mechanism": mechanism, "password": {"secret": secret}, "iterations": seen[mechanism]}
    return {"access.yaml": {"users": written}}


def secret_name(user: str) -> str:
    """The secret for `shop-checkout` is `shopCheckoutPassword`."""
    first, *rest = re.split(r"[^A-Za-z0-9]+", user) or [user]
    return f"{first[:1].lower()}{first[1:]}{''.join(part[:1].upper() + part[1:] for part in rest)}Password"


def listed(found: Users) -> Iterator[tuple[str, str]]:
    return ((name, name) for name in found)


def notes(found: Users) -> Iterator[str]:
    for name, seen in found.items():
        if len(seen) > 1:
            yield f"user {name} has {', '.join(sorted(seen))}, and a file declares one: {max(seen)} is written"


def names(found: Users) -> Iterator[str]:
    return (f"User:{name}" for name in found)


IMPORTER: Importer[Users] = Importer(
    "users",
    {},
    take,
    sections,
    listed,
    sayable,
    notes,
    limited_by="principals",
    names=names,
    about="mechanism and iterations; `password` names the secret of the stack that holds it, because Kafka never shows "
    "one",
)

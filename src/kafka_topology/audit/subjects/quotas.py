"""Compares quotas with the declared ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from kafka_topology.topology.model.words import agreeing, listed

from ...cluster.live.quotas import DEFAULT, Entity
from ...cluster.outcomes import Failure, FailureKind
from ...provider.resources.quota.descriptor import inputs_of
from ...provider.resources.quota.inputs import LIMITS, parse, why_outside
from ...topology.model.findings import Severity
from ..check import About, Check, found
from ..observing.snapshot import Asked, Observation
from ..quota_reach import clients_of, may_reach
from ..subject import Subject, without_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...topology.model.declared import Quota, Topology
    from ...topology.model.findings import Finding
    from ...topology.model.places import Location
    from ..observing.snapshot import Snapshot, Survey

Quotas: TypeAlias = Mapping[Entity, Mapping[str, float]]
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
QUOTA_OF_OTHERS: Final = Check(
    "KTA423", "quota-for-everybody", Severity.ADVICE,
    "A limit that is not declared applies to everybody without a quota of their own: to all users, to all client ids, "
    "or to a client id that a declared client has.",
    "It can throttle declared clients, although nobody touched their own quotas, and the files do not show it. Kafka "
    "takes the closest quota for each limit, so nothing is reported if each declared client has a closer one. Client "
    "ids that the files do not declare are unknown, so a limit of such a client id is not reported.",
    "Ask who set it. Declare a quota for each of your users, which wins over the one for everybody, or silence this "
    "finding with the reason.",
    ("R33",),
)  # fmt: skip


def _take(survey: Survey) -> Asked[Quotas]:
    if not _declares_quotas(survey.topology) and not list(clients_of(survey.topology)):
        return None
    return survey.patient.one(survey.cluster.security.quotas.describe_quotas)


def _declares_quotas(topology: Topology) -> bool:
    return topology.ownership.principals is not None or bool(topology.quotas)


def _unread(topology: Topology, quotas: Asked[Quotas]) -> Iterator[str]:
    """A cluster without quotas lacks something only if the files say something of them."""
    if isinstance(quotas, Failure) and (_declares_quotas(topology) or quotas.kind is not FailureKind.REJECTED):
        yield quotas.message


QUOTAS: Final = Observation("quotas", _take, _unread)


def quota_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    quotas = live.of(QUOTAS)
    if quotas is None or isinstance(quotas, Failure):
        return
    declared: dict[Entity, Quota] = {}
    for quota in topology.quotas:
        entity, limits = (wanted := parse(inputs_of(quota))).entity, wanted.limits
        declared[entity] = quota
        for name, kafka in LIMITS.items():
            actual = quotas.get(entity, {}).get(kafka)
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
    yield from _undeclared_quotas(topology, quotas, declared)


def _undeclared_quotas(topology: Topology, quotas: Quotas, declared: Mapping[Entity, Quota]) -> Iterator[Finding]:
    owned = topology.ownership.principals
    for entity, limits in sorted(quotas.items(), key=lambda item: item[0].id):
        quota = declared.get(entity)
        inside = owned is not None and why_outside(entity, owned) is None
        if quota is None and not inside:
            yield from _for_everybody(topology, quotas, entity)
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


def _for_everybody(topology: Topology, quotas: Quotas, entity: Entity) -> Iterator[Finding]:
    whom = _whom(topology, entity)
    clients = [*clients_of(topology)]
    limits = {
        name: quotas[entity][kafka]
        for name, kafka in LIMITS.items()
        if whom and kafka in quotas[entity] and any(may_reach(entity, each, kafka, quotas) for each in clients)
    }
    if limits:
        shown = ", ".join(f"{name} {limit:,.12g}" for name, limit in limits.items())
        at = _place(topology)
        yield found(
            QUOTA_OF_OTHERS,
            About("quota", entity.id, at),
            at,
            f"{entity} limits {whom}: {shown} on each broker; it is not declared",
            "ask who set it, and declare quotas for your own users",
            actual=limits,
        )


def _place(topology: Topology) -> Location:
    if topology.ownership.principals is not None:
        return topology.ownership.place("principals").location
    return topology.quotas[0].location if topology.quotas else topology.cluster.location


def _whom(topology: Topology, entity: Entity) -> str | None:
    """Whom an undeclared quota limits, if it may be a declared client."""
    clients = f"the client id {entity.client_id}" if entity.client_id not in (None, DEFAULT) else "every client id"
    if entity.user == DEFAULT:
        which = "" if entity.client_id is None else f" with {clients}"
        return f"every user{which} without a quota of its own"
    if entity.user is not None:
        return None
    if entity.client_id == DEFAULT:
        return f"{clients} without a quota of its own"
    names = sorted({each.name for each in clients_of(topology) if each.client_id == entity.client_id})
    return f"{clients}, which {listed(names)} {agreeing(len(names), 'has', 'have')}" if names else None


SUBJECT: Final = Subject(
    order=60,
    kinds=("Quota",),
    words=("quota",),
    compares={
        "quotas": "missing, different, undeclared inside the ownership; undeclared ones that limit everybody, declared "
        "clients too"
    },
    reads=(QUOTAS,),
    checks=(QUOTA_DIFFERS, QUOTA_UNDECLARED, QUOTA_OF_OTHERS),
    compare=without_options(quota_findings),
)

"""Compares quotas with the declared ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from kafka_topology.topology.model.words import agreeing, listed

from ...cluster.live.quotas import DEFAULT, Entity
from ...cluster.outcomes import Failure
from ...provider.resources.quota.descriptor import inputs_of
from ...provider.resources.quota.inputs import LIMITS, parse
from ...provider.resources.user.inputs import why_not_owned
from ...topology.kafka.clients.libraries import given
from ...topology.model.findings import Severity
from ..check import About, Check, found
from ..observing.snapshot import Asked, Observation
from ..subject import Subject, without_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...topology.model.declared import Quota, Topology
    from ...topology.model.findings import Finding
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
    "It can throttle declared clients, although nobody touched their own quotas, and the files do not show it. Client "
    "ids that the files do not declare are unknown, so a limit of such a client id is not reported.",
    "Ask who set it. Declare a quota for each of your users, which wins over the one for everybody, or silence this "
    "finding with the reason.",
    ("R33",),
)  # fmt: skip


def _take(survey: Survey) -> Asked[Quotas]:
    if survey.topology.ownership.principals is None and not survey.topology.quotas:
        return None
    return survey.patient.one(survey.cluster.security.quotas.describe_quotas)


QUOTAS: Final = Observation("quotas", _take)


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
        inside = owned is not None and entity.user is not None and why_not_owned(entity.user, owned) is None
        if quota is None and not inside:
            yield from _for_everybody(topology, entity, limits)
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


def _for_everybody(topology: Topology, entity: Entity, limits: Mapping[str, float]) -> Iterator[Finding]:
    whom = _whom(topology, entity)
    shown = ", ".join(f"{name} {limits[kafka]:,.12g}" for name, kafka in LIMITS.items() if kafka in limits)
    if whom and shown:
        owned = topology.ownership
        at = topology.quotas[0].place() if owned.principals is None else owned.place("principals")
        yield found(
            QUOTA_OF_OTHERS,
            About("quota", entity.id, at.location),
            at,
            f"{entity} limits {whom}: {shown} on each broker; it is not declared",
            "ask who set it, and declare quotas for your own users",
            actual={name: limits[kafka] for name, kafka in LIMITS.items() if kafka in limits},
        )


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
    ids = [(each.name, given(each).get("client.id")) for each in topology.producers.values()]
    ids += [(each.name, given(each).get("client.id")) for each in topology.consumer_groups.values()]
    ids += [(each.name, each.config.get("client.id")) for each in topology.share_groups.values()]
    names = sorted(name for name, client_id in ids if client_id == entity.client_id)
    return f"{clients}, which {listed(names)} {agreeing(len(names), 'has', 'have')}" if names else None


SUBJECT: Final = Subject(
    order=60,
    kinds=("Quota",),
    words=("quota",),
    compares={"quotas": "missing, different, undeclared inside the ownership; undeclared ones that limit everybody"},
    reads=(QUOTAS,),
    checks=(QUOTA_DIFFERS, QUOTA_UNDECLARED, QUOTA_OF_OTHERS),
    compare=without_options(quota_findings),
)

"""Quotas of a cluster for an import."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kafka_topology.cluster.live.quotas import DEFAULT
from kafka_topology.topology.model.units import format_rate
from kafka_topology.topology.model.words import quoted

from ..importer import Importer, Plain, why_unsayable
from ..user.inputs import why_not_owned
from .inputs import LIMITS, as_inputs, whole_number, why_outside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafka_topology.cluster.cluster import Cluster
    from kafka_topology.cluster.live.quotas import Entity
    from kafka_topology.provider.config.settings import Owned

    from ..importer import Reading


@dataclass(frozen=True, slots=True)
class FoundQuotas:
    """`others` has the quotas that a file cannot declare, such as those of addresses, by entity. `everybody` has those
    that limit users inside the ownership and others alike, so they belong to nobody's files."""

    limits: Mapping[Entity, Mapping[str, float]] = field(default_factory=dict)
    others: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    everybody: Mapping[Entity, Mapping[str, float]] = field(default_factory=dict)


def take(cluster: Cluster, owned: Owned, reading: Reading) -> FoundQuotas:
    every = reading.value(reading.one(cluster.security.quotas.describe_quotas), {})
    ours = {entity: limits for entity, limits in every.items() if why_outside(entity, owned.principals) is None}
    others = reading.value(cluster.security.quotas.other_quotas(), {})
    everybody = {entity: limits for entity, limits in every.items() if entity not in ours and _is_for_everybody(entity)}
    asked = {whom: limits for whom, limits in others.items() if _is_asked(whom, owned.principals)}
    return FoundQuotas(ours, asked, everybody)


def _is_for_everybody(entity: Entity) -> bool:
    return entity.user == DEFAULT or (entity.user is None and entity.client_id == DEFAULT)


def _is_asked(whom: str, principals: tuple[str, ...] | None) -> bool:
    """Whether a quota that a file cannot declare is of a user that the import is about."""
    users = (part.removeprefix("user=").strip("'") for part in whom.split(",") if part.startswith("user="))
    return principals is None or any(why_not_owned(user, principals) is None for user in users)


def sayable(found: FoundQuotas) -> tuple[FoundQuotas, tuple[str, ...]]:
    odd = {entity: why for entity in found.limits if (why := why_unsayable(entity.id))}
    kept = {entity: limits for entity, limits in found.limits.items() if entity not in odd}
    notes = (f"quota left out, because a name in it {why}: {quoted(entity.id)}" for entity, why in odd.items())
    return replace(found, limits=kept), tuple(notes)


def sections(found: FoundQuotas) -> Mapping[str, Mapping[str, object]]:
    quotas = [_written(as_inputs(entity, limits)) for entity, limits in found.limits.items() if _is_writable(limits)]
    return {"access.yaml": {"quotas": quotas}}


def _is_writable(limits: Mapping[str, float]) -> bool:
    return any(kafka in limits for kafka in LIMITS.values())


def _written(inputs: Mapping[str, object]) -> Plain:
    return {
        name: format_rate(value) if name.endswith("ByteRate") and isinstance(value, int) else value
        for name, value in inputs.items()
    }


def listed(found: FoundQuotas) -> Iterator[tuple[str, str]]:
    return ((entity.id, entity.id) for entity, limits in found.limits.items() if _is_writable(limits))


def notes(found: FoundQuotas) -> Iterator[str]:
    for whom, limits in sorted(found.others.items()):
        shown = f"{whom} ({_in_words(limits)})"
        if "'default'" in whom:
            yield f"quota left out, because `default` in a file stands for everyone without a quota: {shown}"
        else:
            yield f"quota left out, because a file declares those of users and client ids only: {shown}"
    for entity, limits in found.everybody.items():
        shown = f"{entity.id} ({_in_words(limits)})"
        yield f"quota left out, because it limits users outside the given principals too: {shown}"
    for entity, limits in found.limits.items():
        unknown = {key: value for key, value in limits.items() if key not in LIMITS.values()}
        if unknown:
            yield f"limits left out of {entity}, because a file cannot declare them: {_in_words(unknown)}"


def _in_words(limits: Mapping[str, float]) -> str:
    return ", ".join(f"{key}={whole_number(value)}" for key, value in sorted(limits.items()))


def names(found: FoundQuotas) -> Iterator[str]:
    return (f"User:{entity.user}" for entity in found.limits if entity.user is not None)


IMPORTER = Importer(
    "quotas",
    FoundQuotas(),
    take,
    sections,
    listed,
    sayable,
    notes,
    limited_by="principals",
    names=names,
    about="quotas of users and client ids; a note names every other quota and limit",
)

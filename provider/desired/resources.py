"""The desired resources of a topology, with inputs as in the provider's schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..resources.descriptor import Desired, installed_kinds

if TYPE_CHECKING:
    from kafka_topology.topology.model.declared import Ownership, Topology

__all__ = ["Desired", "desired_ownership", "desired_resources"]


def desired_resources(topology: Topology) -> tuple[Desired, ...]:
    """In the order of the kinds: topics first, because other resources may depend on them."""
    return tuple(desired for kind in installed_kinds().values() for desired in kind.desired(topology))


def desired_ownership(ownership: Ownership) -> dict[str, object]:
    """The provider's ownership; a section that is not declared sets no limit and is left out."""
    sections = {
        "topics": ownership.topics,
        "groups": ownership.groups,
        "principals": ownership.principals,
    }
    grants = {
        "topics": ownership.grants.topics,
        "groups": ownership.grants.groups,
        "transactionalIds": ownership.grants.transactional_ids,
        "users": ownership.grants.users,
        "delegationTokens": ownership.grants.delegation_tokens,
        "cluster": ownership.grants.cluster,
    }
    written: dict[str, object] = {name: list(prefixes) for name, prefixes in sections.items() if prefixes is not None}
    granted = {name: list(prefixes) for name, prefixes in grants.items() if prefixes}
    return {**written, "grants": granted} if granted else written

"""The share groups of a real cluster. Their settings go through librdkafka, all other requests through kafka-python."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..groups.listing import SHARE, listed_groups
from ..live.groups import NOT_THERE
from ..live.share_groups import ShareShape
from ..outcomes import Failure, Outcome

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ..connecting.connection import Connection
    from ..groups.groups import GroupCluster
    from ..live.groups import Partition, Position
    from ..live.share_groups import ShareOffset
    from ..live.topics import ConfigChange


@dataclass(frozen=True, slots=True)
class ShareGroupCluster:
    """`groups` has the requests that are the same for every type of group."""

    connection: Connection
    groups: GroupCluster

    def describe_groups(self, names: Collection[str]) -> dict[str, Outcome[ShareShape]]:
        """A group that does not exist has the state `Dead`. A cluster without share groups is a failure."""
        if not names:
            return {}
        second = self.groups.second()  # first: it loads kafka-python, which two threads must not do at the same time
        from .asking import shapes, why_off  # noqa: PLC0415

        if self.groups.has_none():
            off = why_off(second, names)
            return {name: ShareShape() if off is None else off for name in names}
        patient = second.patient()
        found = patient.each(names, lambda left: shapes(second, left))
        missing = [name for name, shape in found.items() if isinstance(shape, ShareShape) and shape.state == NOT_THERE]
        return found | self._other_types(missing)

    def _other_types(self, names: list[str]) -> dict[str, Outcome[ShareShape]]:
        """Group ids are one namespace: a group of another type may have the name."""
        if not names:
            return {}
        types = self.types()
        if isinstance(types, Failure):
            return dict.fromkeys(names, types)
        others = {name: types[name] for name in names if types.get(name, SHARE) != SHARE}
        return {name: replace(ShareShape(), other_type=kind) for name, kind in others.items()}

    def types(self) -> Outcome[Mapping[str, str]]:
        """The type of each group that the principal may see."""
        listed = listed_groups(self.groups.second())
        return listed if isinstance(listed, Failure) else {name: group.type for name, group in listed.items()}

    def group_names(self) -> Outcome[frozenset[str]]:
        types = {} if self.groups.has_none() else self.types()
        return types if isinstance(types, Failure) else frozenset(n for n, kind in types.items() if kind == SHARE)

    def count_partitions(self, topics: Collection[str]) -> dict[str, Outcome[int]]:
        return self.groups.count_partitions(topics)

    def start_offsets(
        self, groups: Mapping[str, Collection[Partition] | None]
    ) -> dict[str, Outcome[Mapping[Partition, ShareOffset]]]:
        """For groups that exist: for others, brokers may create the topic that holds these offsets."""
        if not groups:
            return {}
        second = self.groups.second()
        from .asking import start_offsets  # noqa: PLC0415

        patient = second.patient()
        return patient.each(groups, lambda names: start_offsets(second, {name: groups[name] for name in names}))

    def set_start_offsets(
        self, offsets: Mapping[str, Mapping[Partition, int]]
    ) -> dict[str, Outcome[Mapping[Partition, Failure]]]:
        """The failures of each group, by partition."""
        second = self.groups.second()
        from .asking import set_start_offsets  # noqa: PLC0415

        return set_start_offsets(second, offsets)

    def offsets_at(self, to: Position, partitions: Collection[Partition]) -> dict[Partition, Outcome[int]]:
        return self.groups.offsets_at(to, partitions)

    def group_configs(self, names: Collection[str]) -> dict[str, Outcome[Mapping[str, str]]]:
        return self.groups.group_configs(names)

    def alter_group_configs(self, changes: Mapping[str, ConfigChange]) -> dict[str, Outcome[None]]:
        return self.groups.alter_group_configs(changes)

    def delete_groups(self, names: Collection[str]) -> dict[str, Outcome[None]]:
        return self.groups.delete_groups(names)

"""Groups whose settings the principal may not read: everything else about them is judged all the same."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from ...cluster.live.groups import LiveGroup
from ...cluster.live.share_groups import LiveShareGroup
from ...cluster.outcomes import Failure, FailureKind
from .snapshot import alike

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from ...cluster.outcomes import Outcome
    from ...topology.model.declared import Topology

Live = TypeVar("Live", LiveGroup, LiveShareGroup)


@dataclass(frozen=True, slots=True)
class WithoutSettings:
    """The requests for groups, with no settings where they may not be read: `denied` has those."""

    admin: Any
    denied: dict[str, Failure] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.admin, name)

    def group_configs(self, names: Collection[str]) -> dict[str, Outcome[Mapping[str, str]]]:
        found: dict[str, Outcome[Mapping[str, str]]] = {}
        for name, config in self.admin.group_configs(names).items():
            is_denied = isinstance(config, Failure) and config.kind is FailureKind.DENIED
            if is_denied:
                self.denied[name] = config
            found[name] = {} if is_denied else config
        return found

    def judged(self, groups: Mapping[str, Outcome[Live]]) -> dict[str, Outcome[Live]]:
        """A group that nothing else proves may have settings alone: then nobody knows whether it exists."""
        return {name: self._judged(self.denied.get(name), group) for name, group in groups.items()}

    def _judged(self, denied: Failure | None, group: Outcome[Live]) -> Outcome[Live]:
        if denied is None or isinstance(group, Failure):
            return group
        return replace(group, unread_config=denied) if group.exists else denied


def unread_groups(
    noun: str, declares_settings: Callable[[Topology], Collection[str]]
) -> Callable[[Topology, Mapping[str, Outcome[Live]]], Iterator[str]]:
    """What is missing of groups. Settings count as missing only where some are declared."""

    def unread(topology: Topology, groups: Mapping[str, Outcome[Live]]) -> Iterator[str]:
        yield from alike(noun, groups)
        compared = declares_settings(topology)
        settings = {
            name: group.unread_config
            for name, group in groups.items()
            if not isinstance(group, Failure) and group.unread_config is not None and name in compared
        }
        yield from alike(noun, settings, "the settings of")

    return unread

"""Lists the groups of every type. librdkafka leaves out those that are not of consumers: share and streams groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kafka.protocol.admin import ListConfigResourcesRequest

from ..live.groups import NOT_THERE
from ..outcomes import Failure, FailureKind, Outcome
from ..privileges import not_allowed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..connecting.second_client import SecondClient

_LISTS_GROUPS: Final = 1  # version 0 lists only metrics of clients
CLASSIC: Final = "classic"
CONSUMER: Final = "consumer"
SHARE: Final = "share"
STREAMS: Final = "streams"
_NOT_READING: Final = frozenset({"Empty", NOT_THERE})
# Classic groups whose members read: those of consumers, and those that nobody joined, which have no protocol.
_OF_CONSUMERS: Final = frozenset({"consumer", ""})
# Workers that only agree on who does what: Connect's, and schema registries'. What they read has groups of its own.
_OF_WORKERS: Final = frozenset({"connect", "sr"})


@dataclass(frozen=True, slots=True)
class ListedGroup:
    """One line of the listing. Brokers before Kafka 2.6 say no state, those before 3.8 no type: all were classic."""

    type: str = CLASSIC
    protocol: str = "consumer"
    state: str = ""

    @property
    def is_active(self) -> bool:
        """Whether it may have members. A state that is new to us counts as active."""
        return self.state not in _NOT_READING

    @property
    def reads_as_consumer(self) -> bool:
        return self.type == CONSUMER or (self.type == CLASSIC and self.protocol in _OF_CONSUMERS)

    @property
    def is_of_workers(self) -> bool:
        """Whether its members divide other work than partitions."""
        return self.type == CLASSIC and self.protocol in _OF_WORKERS

    def __str__(self) -> str:
        return f"the type '{self.type}'" if self.type != CLASSIC else f"the protocol '{self.protocol}'"


def listed_groups(second: SecondClient) -> Outcome[Mapping[str, ListedGroup]]:
    """Every group that the principal may see."""
    what = "listing consumer groups"
    answer = second.call(what, lambda client: client.list_groups())
    if isinstance(answer, Failure):
        return not_allowed(what) if answer.kind is FailureKind.DENIED else answer
    return {
        group["group_id"]: ListedGroup(
            str(group.get("group_type") or CLASSIC).lower(),
            group.get("protocol_type") or "",
            group.get("group_state") or "",
        )
        for group in answer
    }


def groups_with_settings(second: SecondClient) -> Outcome[frozenset[str]]:
    """Every group that somebody made settings for. Brokers before Kafka 4.1 cannot list them: none."""
    if not second.speaks(ListConfigResourcesRequest, _LISTS_GROUPS):
        return frozenset()
    what = "listing groups with settings"
    answer = second.call(what, lambda client: client.list_config_resources(["GROUP"]))
    if isinstance(answer, Failure):
        return not_allowed(what) if answer.kind is FailureKind.DENIED else answer
    return frozenset(answer.get("group", ()))

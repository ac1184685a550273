"""What the steps of a preflight look at: the files, what is deployed, the cluster, and the answers of its brokers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..audit.check import About
from ..audit.observing.live_topics import TOPICS
from ..cluster.live.topics import LiveTopic
from ..provider.resources.descriptor import installed_kinds
from ..provider.resources.input_checks import plain
from .deployed import identity_of
from .requests import Asked

if TYPE_CHECKING:
    from ..audit.observing.snapshot import Snapshot
    from ..audit.subject import Options
    from ..cluster.cluster import Cluster
    from ..cluster.outcomes import Failure
    from ..topology.model.declared import Topology
    from ..topology.model.findings import Finding
    from ..topology.model.places import Location
    from ..validators import Outcome
    from .deployed import Deployed, Key
    from .fingerprints import Fingerprint
    from .places import Places
    from .readings import Reading
    from .requests import Request


@dataclass(frozen=True, slots=True)
class Facts:
    """`judged` is the outcome of the rules about files. Without a cluster, only steps that need none look.

    `found` has the findings of an audit that the steps use; `unread` what its subjects could not read, by each of
    their checks.
    """

    topology: Topology
    judged: Outcome
    deployed: Deployed | None
    options: Options = field(default_factory=dict)
    cluster: Cluster | None = None
    live: Snapshot | None = None
    found: tuple[Finding, ...] = ()
    unread: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    asked_for: Asked = field(default_factory=Asked)
    readings: Mapping[Key, Reading] = field(default_factory=dict)  # of what is deployed and changes
    places: Places | None = None
    expected: Fingerprint | None = None  # of the preflight whose plan is to be applied

    @property
    def asked(self) -> Cluster:
        assert self.cluster is not None  # noqa: S101 - steps that need a cluster run with one only
        return self.cluster

    @property
    def snapshot(self) -> Snapshot:
        assert self.live is not None  # noqa: S101 - as above
        return self.live

    @property
    def requests(self) -> Mapping[Key, Request]:
        return self.asked_for.requests

    def changes(self, *kinds: str) -> Iterator[Request]:
        for each in self.requests.values():
            if each.is_change and (not kinds or each.kind in kinds):
                yield each

    def live_topic(self, name: str) -> LiveTopic | None:
        """The live topic, if it is declared, and if it could be read."""
        found = self.snapshot.of(TOPICS).get(name)
        return found if isinstance(found, LiveTopic) else None

    def offsets_of(self, key: Key) -> dict[str, int]:
        """The offsets of a group that the state has, by `topic-partition`. An earlier version of the files has none."""
        old = self.deployed.resources.get(key) if self.deployed is not None else None
        held = plain(old.properties, "offsets") if old is not None else None
        return {at: each for at, each in held.items() if isinstance(each, int)} if isinstance(held, dict) else {}

    def found_by(self, checks: Collection[str]) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.found if finding.id in checks)

    def unread_by(self, checks: Collection[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(reason for check in sorted(checks) for reason in self.unread.get(check, ())))

    def about(self, request: Request) -> About:
        """The resource of a request, at its declaration or where the files lost it, or else at the topology itself."""
        name = identity_of(request.kind, request.inputs)
        location = self._located(request) or self.topology.location
        return About(installed_kinds()[request.kind].reviewed.word, str(name or request.name), location)

    def without_place(self, request: Request) -> str:
        """What to add to a message whose location says nothing about the resource."""
        return "" if self._located(request) else " (no file declares it any more, so no line shows it)"

    def _located(self, request: Request) -> Location | None:
        return self.places.of(request.key) if self.places is not None else None


def in_words(about: About, failure: Failure) -> str:
    """What the provider or a broker says about a resource. Most of it names the resource already."""
    return failure.message if about.name in failure.message else f"{about.name}: {failure.message}"

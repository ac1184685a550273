"""What the steps of a preflight look at: the files, what is deployed, the cluster, and the answers of its brokers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..audit.check import About
from ..audit.observing.live_topics import TOPICS
from ..cluster.live.topics import LiveTopic
from ..provider.resources.descriptor import installed_kinds
from .deployed import identity_of

if TYPE_CHECKING:
    from ..audit.observing.snapshot import Snapshot
    from ..audit.subject import Options
    from ..cluster.cluster import Cluster
    from ..cluster.outcomes import Failure
    from ..topology.model.declared import Declared, Topology
    from ..topology.model.findings import Finding
    from ..validators import Outcome
    from .deployed import Deployed, Key
    from .fingerprints import Fingerprint
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
    requests: Mapping[Key, Request] = field(default_factory=dict)
    said: tuple[str, ...] = ()  # by the provider, while it asked
    expected: Fingerprint | None = None  # of the preflight whose plan is to be applied

    @property
    def asked(self) -> Cluster:
        assert self.cluster is not None  # noqa: S101 - steps that need a cluster run with one only
        return self.cluster

    @property
    def snapshot(self) -> Snapshot:
        assert self.live is not None  # noqa: S101 - as above
        return self.live

    def changes(self, *kinds: str) -> Iterator[Request]:
        for each in self.requests.values():
            if each.is_change and (not kinds or each.kind in kinds):
                yield each

    def live_topic(self, name: str) -> LiveTopic | None:
        """The live topic, if it is declared, and if it could be read."""
        found = self.snapshot.of(TOPICS).get(name)
        return found if isinstance(found, LiveTopic) else None

    def found_by(self, checks: Collection[str]) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.found if finding.id in checks)

    def unread_by(self, checks: Collection[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(reason for check in sorted(checks) for reason in self.unread.get(check, ())))

    def about(self, request: Request) -> About:
        """The resource of a request, at its declaration. What is no longer declared is at the topology itself."""
        kind = installed_kinds()[request.kind]
        declared: Declared | None = None
        if kind.section is not None:
            section = getattr(self.topology, kind.section)
            declared = section.get(request.name) if isinstance(section, Mapping) else None
        name = identity_of(request.kind, request.inputs)
        location = declared.location if declared is not None else self.topology.location
        return About(kind.reviewed.word, str(name or request.name), location)


def in_words(about: About, failure: Failure) -> str:
    """What the provider or a broker says about a resource. Most of it names the resource already."""
    return failure.message if about.name in failure.message else f"{about.name}: {failure.message}"

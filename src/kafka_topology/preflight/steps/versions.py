"""Do the versions of the cluster, the files, the provider and the state fit together?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafka_topology import __version__

from ...audit.check import Check, about_cluster, found
from ...audit.subjects.health.versions import SOFTWARE
from ...cluster.live.features import Software
from ...topology.kafka.releases import METADATA_FEATURE, release_of
from ...topology.model.findings import Finding, Severity
from ...topology.model.words import listed
from ..deployed import version_of
from ..step import Looked, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..facts import Facts

OLDER_CLUSTER: Final = Check(
    "KTP601", "cluster-older-than-declared", Severity.ERROR,
    "The brokers run an older Kafka than `cluster.kafka` declares.",
    "The rules judged the files for a Kafka that is not there: settings may not exist yet, and defaults differ.",
    "Upgrade the cluster first, or declare the version that runs.",
)  # fmt: skip
NEWER_CLUSTER: Final = Check(
    "KTP602", "cluster-newer-than-declared", Severity.WARNING,
    "The brokers run a newer Kafka than `cluster.kafka` declares.",
    "The rules judged the files by the older version, whose defaults and settings may differ.",
    "Declare the version that runs.",
)  # fmt: skip
OLDER_PROVIDER: Final = Check(
    "KTP603", "provider-older-than-state", Severity.ERROR,
    "A newer version of the provider wrote the state of this stack.",
    "An older one may not understand the state, and may undo what the newer one did.",
    "Install the version that deployed last, or a newer one.",
)  # fmt: skip
INTERRUPTED: Final = Check(
    "KTP604", "deployment-unfinished", Severity.WARNING,
    "The last run on this stack was killed before it had finished.",
    "Pulumi does not know whether those resources were created. The provider looks before it acts, so the next run "
    "completes them.",
    "Let the next `pulumi up` complete it, and read its output.",
)  # fmt: skip


def look(facts: Facts) -> Looked:
    known = {broker: each for broker, each in facts.snapshot.of(SOFTWARE).items() if isinstance(each, Software)}
    running = {release_of(each.supported.get(METADATA_FEATURE, (0, 0))[1]) for each in known.values()} - {None}
    releases = sorted((each for each in running if each is not None), key=lambda text: version_of(text) or ())
    findings = (*_cluster(facts, releases), *_state(facts))
    unread = facts.unread_by({"KTA551"})
    kafka = f"Kafka {listed(releases)}" if releases else "a Kafka that does not say its version"
    return Looked(f"{kafka}, kafka-topology {__version__}", findings, unread)


def _cluster(facts: Facts, releases: list[str]) -> Iterator[Finding]:
    declared = facts.topology.cluster.kafka
    wanted = version_of(declared)
    if not releases or wanted is None or facts.topology.cluster.distribution != "apache":
        return
    about, at = about_cluster(facts.topology), facts.topology.cluster.place("kafka")
    oldest, newest = releases[0], releases[-1]
    if (version_of(oldest) or ()) < wanted[:2]:
        message = f"the brokers run Kafka {oldest}; expected {declared}, which `cluster.kafka` declares"
        fix = "upgrade the cluster first, or declare the version that runs"
        yield found(OLDER_CLUSTER, about, at, message, fix, expected=declared, actual=oldest)
    elif (version_of(newest) or ()) > wanted[:2]:
        message = f"the brokers run Kafka {newest}; `cluster.kafka` declares {declared}"
        yield found(NEWER_CLUSTER, about, at, message, f'declare kafka: "{newest}"', expected=declared, actual=newest)


def _state(facts: Facts) -> Iterator[Finding]:
    deployed = facts.deployed
    if deployed is None:
        return
    about = about_cluster(facts.topology)
    then, now = version_of(deployed.provider or ""), version_of(__version__)
    if then is not None and now is not None and then > now:
        message = f"kafka-topology {deployed.provider} deployed {deployed.source}; this is {__version__}"
        fix = f"install kafka-topology {deployed.provider} or newer"
        yield found(OLDER_PROVIDER, about, about.declared, message, fix, expected=deployed.provider, actual=__version__)
    if deployed.unfinished:
        message = f"the last run on {deployed.source} was killed while it worked on {listed(deployed.unfinished)}"
        yield found(INTERRUPTED, about, about.declared, message, "read the output of the next pulumi up")


STEP = Step(
    name="versions",
    order=80,
    asks="Do the brokers run the Kafka that the files declare, and is the provider at least as new as the state?",
    look=look,
    checks=(OLDER_CLUSTER, NEWER_CLUSTER, OLDER_PROVIDER, INTERRUPTED),
    uses=frozenset({"KTA551"}),
)

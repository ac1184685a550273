"""Makes the fingerprint of what a preflight saw."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ..audit.observing.live_topics import TOPICS
from ..cluster.live.topics import LiveTopic
from ..provider.desired.resources import desired_resources
from ..provider.plugin.properties import reveal
from .fingerprints import Fingerprint

if TYPE_CHECKING:
    from ..topology.model.declared import Topology
    from .facts import Facts

# Findings of an audit that say: what is on the cluster is not what the files declare.
DRIFT: Final = frozenset({
    "KTA101", "KTA102", "KTA103", "KTA104", "KTA301", "KTA307", "KTA311", "KTA314", "KTA401", "KTA411", "KTA412",
    "KTA421",
})  # fmt: skip


def fingerprint_of(facts: Facts) -> Fingerprint:
    deployed = facts.deployed
    held = {} if deployed is None else {"/".join(key): _shown(old.inputs) for key, old in deployed.resources.items()}
    topics = facts.snapshot.of(TOPICS)
    live = [
        {name: _topic(topic) if isinstance(topic, LiveTopic) else topic.kind.value for name, topic in topics.items()},
        sorted([each.id, str(each.resource), each.message] for each in facts.found_by(DRIFT)),
    ]
    return Fingerprint(facts.asked.cluster_id, topology_digest(facts.topology), _digest(held), _digest(live))


def topology_digest(topology: Topology) -> str:
    """Of every resource that the files ask for, in whatever order and form they are written."""
    return _digest({f"{each.kind}/{each.name}": _shown(each.inputs) for each in desired_resources(topology)})


def _topic(topic: LiveTopic) -> list[object]:
    return [topic.topic_id, topic.partitions, topic.replication_text, dict(topic.config)]


def _shown(inputs: Mapping[str, Any]) -> object:
    return reveal(dict(inputs))


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()

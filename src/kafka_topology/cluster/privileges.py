"""The access that the provider's principal needs for each request, as Kafka's brokers check it.

Kafka's own error for a denied request names neither the operation nor how to allow it.
"""

from __future__ import annotations

from typing import Final

from .outcomes import Failure, FailureKind

# By the first words of the request's description. docs/resources.md has the same table.
_NEEDED: Final = {
    "describing topic": "Describe on the topic",
    "reading the config of topic": "DescribeConfigs on the topic",
    "looking for producers of topic": "Read on the topic",
    "reading the offsets of topic": "Describe on the topic",
    "creating topic": "Create on the topic, or on the cluster",
    "adding partitions to topic": "Alter on the topic",
    "changing the config of topic": "AlterConfigs on the topic",
    "deleting topic": "Delete on the topic",
    "listing consumer groups": "Describe on the cluster",
    "listing groups with settings": "DescribeConfigs on the cluster",
    "describing group": "Describe on the group",
    "reading the offsets of group": "Describe on the group and on its topics",
    "committing offsets of group": "Read on the group and on its topics",
    "describing streams group": "Describe on the group and on its topics",
    "describing share group": "Describe on the group and on its topics",
    "reading the start offsets of share group": "Describe on the group and on its topics",
    "setting the start offsets of share group": "Read on the group and on its topics",
    "reading the config of group": "DescribeConfigs on the group",
    "changing the config of group": "AlterConfigs on the group",
    "deleting group": "Delete on the group",
    "describing the controllers": "Describe on the cluster",
    "listing reassignments": "Describe on the cluster",
    "reading the log directories": "Describe on the cluster",
    "reading the config of broker": "DescribeConfigs on the cluster",
}
_OTHERWISE: Final = "Describe, Alter, DescribeConfigs and AlterConfigs on the cluster"


def not_allowed(what: str, said: str = "", otherwise: str = _OTHERWISE) -> Failure:
    """The failure of a request that a broker denied. `said` ends the message."""
    needed = next((needed for begin, needed in _NEEDED.items() if what.startswith(begin)), otherwise)
    reason = f"the provider's principal may not do this; it needs {needed}{said}"
    return Failure(FailureKind.DENIED, f"{what}: {reason}", reason)

"""What names mean to Kafka, and which a topic may have."""

from __future__ import annotations

import re

# A name becomes part of a folder on the broker's disk.
LONGEST_TOPIC_NAME = 249
_LEGAL = re.compile(r"[a-zA-Z0-9._-]+")
_TAKEN = (".", "..")
PRINCIPAL_PATTERN = r"[A-Za-z][A-Za-z0-9]*:.+"
# Where brokers and Kafka's own plug-ins keep their state. Tools begin the names of their topics with `__`, too:
# Debezium's `__debezium-heartbeat.…`, Cruise Control's `__CruiseControlMetrics`.
KAFKA_TOPICS = (
    "__consumer_offsets",
    "__transaction_state",
    "__share_group_state",
    "__cluster_metadata",
    "__remote_log_metadata",
)


def is_kafkas_own(name: str) -> bool:
    """Whether Kafka keeps its own state in the topic of this name, which nobody may change."""
    return name in KAFKA_TOPICS


def is_principal(text: str) -> bool:
    """Whether it has a type and a name, such as `User:shop`. Kafka stores ACLs for others, too, which match nobody."""
    return re.fullmatch(PRINCIPAL_PATTERN, text) is not None


def is_legal_topic(name: str) -> bool:
    return _LEGAL.fullmatch(name) is not None and len(name) <= LONGEST_TOPIC_NAME and name not in _TAKEN


def illegal_characters(name: str) -> str:
    """Those that no topic's name may have, each once."""
    return "".join(dict.fromkeys(character for character in name if not _LEGAL.fullmatch(character)))

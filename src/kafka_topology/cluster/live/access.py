"""Access as a cluster has it: ACLs, in the words of `topology.kafka.acls`."""

from __future__ import annotations

from kafka_topology.topology.kafka.acls import Acl

__all__ = ["Acl"]

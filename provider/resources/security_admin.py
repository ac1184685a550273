"""What access, users and quotas need from a cluster. Each call takes a set and returns an outcome for each item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kafka_topology.cluster.live.access import Acl
    from kafka_topology.cluster.live.quotas import Entity, QuotaChange
    from kafka_topology.cluster.live.users import Credential
    from kafka_topology.cluster.outcomes import Outcome


class AccessAdmin(Protocol):
    def describe_acls(self) -> Outcome[frozenset[Acl]]:
        """Every ACL of the cluster, in one request."""

    def create_acls(self, acls: Collection[Acl]) -> Mapping[Acl, Outcome[None]]:
        """Creating an ACL that exists already is not an error."""

    def delete_acls(self, acls: Collection[Acl]) -> Mapping[Acl, Outcome[None]]:
        """Deleting an ACL that does not exist is not an error."""


class UserAdmin(Protocol):
    def describe_users(self, names: Collection[str]) -> Mapping[str, Outcome[Mapping[str, int]]]:
        """The iterations of each mechanism of a user; empty if the user does not exist."""

    def set_credentials(self, credentials: Collection[Credential]) -> Mapping[str, Outcome[None]]:
        """Sets one credential per user, by user name."""

    def delete_credentials(self, mechanisms: Mapping[str, str]) -> Mapping[str, Outcome[None]]:
        """Deletes one mechanism per user. A mechanism that does not exist is a failure of kind MISSING."""


class QuotaAdmin(Protocol):
    def describe_quotas(self) -> Outcome[Mapping[Entity, Mapping[str, float]]]:
        """Every quota of users and clients, in one request."""

    def alter_quotas(self, changes: Mapping[Entity, QuotaChange]) -> Mapping[Entity, Outcome[None]]: ...


class SecurityAdmin(Protocol):
    """All three interfaces of one cluster."""

    @property
    def access(self) -> AccessAdmin: ...

    @property
    def users(self) -> UserAdmin: ...

    @property
    def quotas(self) -> QuotaAdmin: ...

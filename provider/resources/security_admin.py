"""What access, users and quotas need of a cluster. Every call takes a set and answers for each item of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from .acls import Acl
    from .outcomes import Outcome
    from .quotas import Entity, QuotaChange
    from .users import Credential


class AccessAdmin(Protocol):
    def describe_acls(self) -> Outcome[frozenset[Acl]]:
        """Every rule of the cluster, in one request."""

    def create_acls(self, acls: Collection[Acl]) -> Mapping[Acl, Outcome[None]]:
        """Making one that is there already is no error."""

    def delete_acls(self, acls: Collection[Acl]) -> Mapping[Acl, Outcome[None]]:
        """Deleting one that is not there is no error."""


class UserAdmin(Protocol):
    def describe_users(self, names: Collection[str]) -> Mapping[str, Outcome[Mapping[str, int]]]:
        """The iterations of each mechanism that a user has; nothing when there is no such user."""

    def set_credentials(self, credentials: Collection[Credential]) -> Mapping[str, Outcome[None]]:
        """By the name of the user, of whom each call may name one credential only."""

    def delete_credentials(self, mechanisms: Mapping[str, str]) -> Mapping[str, Outcome[None]]:
        """The mechanism of each user that goes. One that is not there is a failure of kind MISSING."""


class QuotaAdmin(Protocol):
    def describe_quotas(self) -> Outcome[Mapping[Entity, Mapping[str, float]]]:
        """Every quota of users and clients, in one request."""

    def alter_quotas(self, changes: Mapping[Entity, QuotaChange]) -> Mapping[Entity, Outcome[None]]: ...


class SecurityAdmin(Protocol):
    """The three, as one cluster offers them."""

    @property
    def access(self) -> AccessAdmin: ...

    @property
    def users(self) -> UserAdmin: ...

    @property
    def quotas(self) -> QuotaAdmin: ...

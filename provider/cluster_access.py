"""Access rules and SCRAM users of a real cluster, by confluent_kafka."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from confluent_kafka.admin import (  # type: ignore[attr-defined]  # unmarked there
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)

from .acls import OPERATIONS, Acl
from .outcomes import Failure, FailureKind, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from concurrent.futures import Future

    from .users import Credential

    Answer = Callable[[str, Future[Any]], Any]

_RESOURCES: Final = {
    # Kafka gives the cluster the number that librdkafka calls a broker.
    "cluster": ResourceType.BROKER,
    "topic": ResourceType.TOPIC,
    "group": ResourceType.GROUP,
    "transactional-id": ResourceType.TRANSACTIONAL_ID,
}
_OPERATIONS: Final = {
    name: AclOperation["".join(f"_{c}" if c.isupper() else c for c in name).lstrip("_").upper()] for name in OPERATIONS
}
_PATTERNS: Final = {"literal": ResourcePatternType.LITERAL, "prefixed": ResourcePatternType.PREFIXED}
_PERMISSIONS: Final = {"allow": AclPermissionType.ALLOW, "deny": AclPermissionType.DENY}
_MECHANISMS: Final = {
    "SCRAM-SHA-256": ScramMechanism.SCRAM_SHA_256,
    "SCRAM-SHA-512": ScramMechanism.SCRAM_SHA_512,
}


class AclCalls:
    """`admin` is an AdminClient. `answer` gives the result of a request, or a Failure that says what was asked for."""

    def __init__(self, admin: Any, timeout: float, answer: Answer) -> None:
        self._admin = admin
        self._timeout = timeout
        self._answer = answer

    def describe_acls(self) -> Outcome[frozenset[Acl]]:
        binding_filter: Any = AclBindingFilter
        everything = binding_filter(
            ResourceType.ANY, None, ResourcePatternType.ANY, None, None, AclOperation.ANY, AclPermissionType.ANY
        )
        future = self._admin.describe_acls(everything, request_timeout=self._timeout)
        bindings = self._answer("reading the access rules", future)
        if isinstance(bindings, Failure):
            return bindings
        return frozenset(acl for binding in bindings if (acl := _acl(binding)) is not None)

    def create_acls(self, acls: Collection[Acl]) -> dict[Acl, Outcome[None]]:
        bindings = {AclBinding(*_parts(acl)): acl for acl in acls}
        futures = self._admin.create_acls(list(bindings), request_timeout=self._timeout)
        return {bindings[b]: self._done("adding the rule", bindings[b], f) for b, f in futures.items()}

    def delete_acls(self, acls: Collection[Acl]) -> dict[Acl, Outcome[None]]:
        filters = {AclBindingFilter(*_parts(acl)): acl for acl in acls}
        futures = self._admin.delete_acls(list(filters), request_timeout=self._timeout)
        return {filters[b]: self._done("removing the rule", filters[b], f) for b, f in futures.items()}

    def _done(self, what: str, acl: Acl, future: Future[Any]) -> Outcome[None]:
        answer = self._answer(f"{what} '{acl}' of {acl.principal}", future)
        return answer if isinstance(answer, Failure) else None


def _parts(acl: Acl) -> tuple[Any, ...]:
    return (
        _RESOURCES[acl.resource],
        acl.name,
        _PATTERNS[acl.pattern],
        acl.principal,
        acl.host,
        _OPERATIONS[acl.operation],
        _PERMISSIONS[acl.permission],
    )


def _acl(binding: AclBinding) -> Acl | None:
    """None for what librdkafka has no name for, and we therefore never declare."""
    resource = _name(_RESOURCES, binding.restype)
    operation = _name(_OPERATIONS, binding.operation)
    pattern = _name(_PATTERNS, binding.resource_pattern_type)
    permission = _name(_PERMISSIONS, binding.permission_type)
    if resource is None or operation is None or pattern is None or permission is None:
        return None
    return Acl(binding.principal, resource, binding.name, operation, pattern, binding.host, permission)


def _name(names: Mapping[str, Any], value: object) -> str | None:
    return next((name for name, known in names.items() if known == value), None)


class ScramCalls:
    def __init__(self, admin: Any, timeout: float, answer: Answer) -> None:
        self._admin = admin
        self._timeout = timeout
        self._answer = answer

    def describe_users(self, names: Collection[str]) -> dict[str, Outcome[Mapping[str, int]]]:
        futures = self._admin.describe_user_scram_credentials(list(names), request_timeout=self._timeout)
        return {name: self._described(name, futures[name]) for name in names}

    def _described(self, name: str, future: Future[Any]) -> Outcome[Mapping[str, int]]:
        answer = self._answer(f"reading user '{name}'", future)
        if isinstance(answer, Failure):
            return {} if answer.kind is FailureKind.MISSING else answer
        return {
            mechanism: info.iterations
            for info in answer.scram_credential_infos
            if (mechanism := _name(_MECHANISMS, info.mechanism)) is not None
        }

    def set_credentials(self, credentials: Collection[Credential]) -> dict[str, Outcome[None]]:
        alterations = [
            UserScramCredentialUpsertion(
                credential.user,
                ScramCredentialInfo(_MECHANISMS[credential.mechanism], credential.iterations),
                credential.password.encode(),
            )
            for credential in credentials
        ]
        futures = self._admin.alter_user_scram_credentials(alterations, request_timeout=self._timeout)
        return {name: self._done("setting the password of user", name, future) for name, future in futures.items()}

    def delete_credentials(self, mechanisms: Mapping[str, str]) -> dict[str, Outcome[None]]:
        alterations = [UserScramCredentialDeletion(name, _MECHANISMS[m]) for name, m in mechanisms.items()]
        futures = self._admin.alter_user_scram_credentials(alterations, request_timeout=self._timeout)
        return {name: self._done("deleting user", name, future) for name, future in futures.items()}

    def _done(self, what: str, name: str, future: Future[Any]) -> Outcome[None]:
        answer = self._answer(f"{what} '{name}'", future)
        return answer if isinstance(answer, Failure) else None

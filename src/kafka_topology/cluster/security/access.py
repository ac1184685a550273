"""ACLs and SCRAM users of a real cluster, by kafka-python's protocol messages.

Not by librdkafka: 2.16.1 answers a denied DescribeAcls with an empty list, so ACLs would look deleted, and crashes on a
denied DescribeUserScramCredentials. It also does not know the resources `user` and `delegation-token`.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING, Any, Final

from kafka.protocol.admin import (
    AlterUserScramCredentialsRequest,
    CreateAclsRequest,
    DeleteAclsRequest,
    DescribeAclsRequest,
    DescribeUserScramCredentialsRequest,
)

from kafka_topology.topology.kafka.acls import OPERATIONS, PATTERNS, PERMISSIONS, RESOURCES, Acl

from ..outcomes import Failure, FailureKind, Outcome

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from ..connecting.second_client import SecondClient
    from ..live.users import Credential

# In each of Kafka's numberings.
_ANY: Final = 1
_MECHANISMS: Final = {"SCRAM-SHA-256": 1, "SCRAM-SHA-512": 2}
_HASHES: Final = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
_SALT_BYTES: Final = 24
# The third version of the three messages introduced the resource `user`.
_VERSION_WITH_USERS: Final = 3


class AclCalls:
    def __init__(self, client: SecondClient) -> None:
        self._client = client

    def describe_acls(self) -> Outcome[frozenset[Acl]]:
        what = "reading the ACLs"
        response = self._client.send(
            what,
            DescribeAclsRequest(
                resource_type_filter=_ANY,
                resource_name_filter=None,
                pattern_type_filter=_ANY,
                principal_filter=None,
                host_filter=None,
                operation=_ANY,
                permission_type=_ANY,
            ),
        )
        if isinstance(response, Failure):
            return response
        failure = self._client.failed(what, response.error_code, response.error_message)
        if failure is not None:
            return failure
        return frozenset(acl for resource in response.resources for acl in _acls(resource))

    def create_acls(self, acls: Collection[Acl]) -> dict[Acl, Outcome[None]]:
        ordered = sorted(acls)
        creations = [
            CreateAclsRequest.AclCreation(
                resource_type=RESOURCES[acl.resource],
                resource_name=acl.name,
                resource_pattern_type=PATTERNS[acl.pattern],
                principal=acl.principal,
                host=acl.host,
                operation=OPERATIONS[acl.operation],
                permission_type=PERMISSIONS[acl.permission],
            )
            for acl in ordered
        ]
        response = self._client.send(
            "adding ACLs", CreateAclsRequest(creations=creations, min_version=_min_version(ordered))
        )
        if isinstance(response, Failure):
            return dict.fromkeys(ordered, response)
        return {
            acl: self._client.failed(f"adding '{acl}'", result.error_code, result.error_message)
            for acl, result in zip(ordered, response.results, strict=True)
        }

    def delete_acls(self, acls: Collection[Acl]) -> dict[Acl, Outcome[None]]:
        ordered = sorted(acls)
        filters = [
            DeleteAclsRequest.DeleteAclsFilter(
                resource_type_filter=RESOURCES[acl.resource],
                resource_name_filter=acl.name,
                pattern_type_filter=PATTERNS[acl.pattern],
                principal_filter=acl.principal,
                host_filter=acl.host,
                operation=OPERATIONS[acl.operation],
                permission_type=PERMISSIONS[acl.permission],
            )
            for acl in ordered
        ]
        response = self._client.send(
            "removing ACLs", DeleteAclsRequest(filters=filters, min_version=_min_version(ordered))
        )
        if isinstance(response, Failure):
            return dict.fromkeys(ordered, response)
        outcomes: dict[Acl, Outcome[None]] = {}
        for acl, result in zip(ordered, response.filter_results, strict=True):
            answers = (result, *result.matching_acls)
            failures = (self._client.failed(f"removing '{acl}'", a.error_code, a.error_message) for a in answers)
            outcomes[acl] = next((failure for failure in failures if failure is not None), None)
        return outcomes


def _min_version(acls: Iterable[Acl]) -> int:
    return _VERSION_WITH_USERS if any(acl.resource == "user" for acl in acls) else 0


def _acls(described: Any) -> Iterable[Acl]:
    """Leaves out ACLs with values that we have no name for: no file can declare them."""
    resource = _name(RESOURCES, described.resource_type)
    pattern = _name(PATTERNS, described.pattern_type)
    for entry in described.acls:
        operation = _name(OPERATIONS, entry.operation)
        permission = _name(PERMISSIONS, entry.permission_type)
        if resource and pattern and operation and permission:
            yield Acl(entry.principal, resource, described.resource_name, operation, pattern, entry.host, permission)


def _name(names: Mapping[str, int], number: int) -> str | None:
    return next((name for name, known in names.items() if known == number), None)


class ScramCalls:
    def __init__(self, client: SecondClient) -> None:
        self._client = client

    def describe_users(self, names: Collection[str]) -> dict[str, Outcome[Mapping[str, int]]]:
        answer = self._ask(sorted(names)) if names else {}
        return dict.fromkeys(names, answer) if isinstance(answer, Failure) else {name: {} for name in names} | answer

    def describe_all_users(self) -> Outcome[dict[str, Outcome[Mapping[str, int]]]]:
        # An empty list and null both ask for all, but a broker that denies null fails internally and never answers.
        return self._ask([])

    def _ask(self, names: Collection[str]) -> Outcome[dict[str, Outcome[Mapping[str, int]]]]:
        """The users that exist. An empty list asks for all."""
        what = "reading the users"
        request = DescribeUserScramCredentialsRequest
        response = self._client.send(what, request(users=[request.UserName(name=name) for name in names]))
        failure = response if isinstance(response, Failure) else self._client.failed(what, response.error_code, None)
        if failure is not None:
            return failure
        users: dict[str, Outcome[Mapping[str, int]]] = {}
        for result in response.results:
            failed = self._client.failed(f"reading user '{result.user}'", result.error_code, result.error_message)
            if failed is None:
                users[result.user] = {
                    mechanism: info.iterations
                    for info in result.credential_infos
                    if (mechanism := _name(_MECHANISMS, info.mechanism))
                }
            elif failed.kind is not FailureKind.MISSING:
                users[result.user] = failed
        return users

    def set_credentials(self, credentials: Collection[Credential]) -> dict[str, Outcome[None]]:
        upsertions = []
        for credential in credentials:
            salt = secrets.token_bytes(_SALT_BYTES)
            upsertions.append(
                AlterUserScramCredentialsRequest.ScramCredentialUpsertion(
                    name=credential.user,
                    mechanism=_MECHANISMS[credential.mechanism],
                    iterations=credential.iterations,
                    salt=salt,
                    salted_password=hashlib.pbkdf2_hmac(
                        _HASHES[credential.mechanism], credential.password.encode(), salt, credential.iterations
                    ),
                )
            )
        names = [credential.user for credential in credentials]
        return self._alter("setting the password of user", names, [], upsertions)

    def delete_credentials(self, mechanisms: Mapping[str, str]) -> dict[str, Outcome[None]]:
        deletions = [
            AlterUserScramCredentialsRequest.ScramCredentialDeletion(name=name, mechanism=_MECHANISMS[mechanism])
            for name, mechanism in mechanisms.items()
        ]
        return self._alter("deleting user", mechanisms, deletions, [])

    def _alter(
        self, what: str, names: Collection[str], deletions: list[Any], upsertions: list[Any]
    ) -> dict[str, Outcome[None]]:
        response = self._client.send(
            f"{what}s", AlterUserScramCredentialsRequest(deletions=deletions, upsertions=upsertions)
        )
        if isinstance(response, Failure):
            return dict.fromkeys(names, response)
        return {
            result.user: self._client.failed(f"{what} '{result.user}'", result.error_code, result.error_message)
            for result in response.results
        }

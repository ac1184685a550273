"""The classes for access, users and quotas that a Pulumi program in Python registers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import pulumi

from .settings import PACKAGE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import NotRequired

_PYTHON_NAMES = {
    "clientId": "client_id",
    "producerByteRate": "producer_byte_rate",
    "consumerByteRate": "consumer_byte_rate",
    "requestPercentage": "request_percentage",
    "controllerMutationRate": "controller_mutation_rate",
}
_SCHEMA_NAMES = {python: schema for schema, python in _PYTHON_NAMES.items()}


class AccessRule(TypedDict):
    """What a principal may do, or may not do, with one resource."""

    resource: pulumi.Input[str]
    operations: pulumi.Input[Sequence[pulumi.Input[str]]]
    name: NotRequired[pulumi.Input[str]]
    pattern: NotRequired[pulumi.Input[str]]
    host: NotRequired[pulumi.Input[str]]
    permission: NotRequired[pulumi.Input[str]]


class _Named(pulumi.CustomResource):
    def translate_output_property(self, prop: str) -> str:
        return _PYTHON_NAMES.get(prop, prop)

    def translate_input_property(self, prop: str) -> str:
        return _SCHEMA_NAMES.get(prop, prop)


class Access(_Named):
    """All access rules of one principal. New ones are added before old ones are taken away."""

    principal: pulumi.Output[str]
    rules: pulumi.Output[Sequence[Mapping[str, Any]]]
    undeclared: pulumi.Output[Sequence[str]]

    def __init__(
        self,
        resource_name: str,
        *,
        rules: pulumi.Input[Sequence[pulumi.Input[AccessRule]]],
        principal: pulumi.Input[str] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        inputs = {"principal": principal, "rules": rules, "undeclared": None}
        super().__init__(f"{PACKAGE}:index:Access", resource_name, inputs, opts)

    @classmethod
    def from_inputs(cls, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None = None) -> Access:
        return cls(name, opts=opts, **inputs)


class User(_Named):
    """A user that logs in by SCRAM. The password is a secret, whether the program says so or not."""

    name: pulumi.Output[str]
    mechanism: pulumi.Output[str]
    iterations: pulumi.Output[int]
    password: pulumi.Output[str]

    def __init__(
        self,
        resource_name: str,
        *,
        mechanism: pulumi.Input[str],
        password: pulumi.Input[str],
        name: pulumi.Input[str] | None = None,
        iterations: pulumi.Input[int] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        inputs = {
            "name": name,
            "mechanism": mechanism,
            "iterations": iterations,
            "password": pulumi.Output.secret(password),
        }
        secret = pulumi.ResourceOptions(additional_secret_outputs=["password"])
        merged = pulumi.ResourceOptions.merge(opts, secret)
        super().__init__(f"{PACKAGE}:index:User", resource_name, inputs, merged)

    @classmethod
    def from_inputs(cls, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None = None) -> User:
        return cls(name, opts=opts, **inputs)


class Quota(_Named):
    """Limits of a user, of a client id, or of both together, on each broker."""

    user: pulumi.Output[str | None]
    client_id: pulumi.Output[str | None]
    producer_byte_rate: pulumi.Output[int | None]
    consumer_byte_rate: pulumi.Output[int | None]
    request_percentage: pulumi.Output[float | None]
    controller_mutation_rate: pulumi.Output[float | None]

    def __init__(
        self,
        resource_name: str,
        *,
        user: pulumi.Input[str] | None = None,
        client_id: pulumi.Input[str] | None = None,
        producer_byte_rate: pulumi.Input[int] | None = None,
        consumer_byte_rate: pulumi.Input[int] | None = None,
        request_percentage: pulumi.Input[float] | None = None,
        controller_mutation_rate: pulumi.Input[float] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        inputs = {
            "user": user,
            "client_id": client_id,
            "producer_byte_rate": producer_byte_rate,
            "consumer_byte_rate": consumer_byte_rate,
            "request_percentage": request_percentage,
            "controller_mutation_rate": controller_mutation_rate,
        }
        super().__init__(f"{PACKAGE}:index:Quota", resource_name, inputs, opts)

    @classmethod
    def from_inputs(cls, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None = None) -> Quota:
        return cls(name, opts=opts, **{_PYTHON_NAMES.get(k, k): v for k, v in inputs.items()})

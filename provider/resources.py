"""The classes that a Pulumi program in Python registers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pulumi

from .config import KEYS
from .group_resource import ConsumerGroup
from .resources_access import Access, Quota, User
from .settings import PACKAGE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

__all__ = ["PACKAGE", "Access", "ConsumerGroup", "Provider", "Quota", "Team", "Topic", "User", "wait_for"]
_PYTHON_NAMES = {"keyType": "key_type", "topicId": "topic_id"}
_SCHEMA_NAMES = {python: schema for schema, python in _PYTHON_NAMES.items()}


class Provider(pulumi.ProviderResource):
    """One Kafka cluster. What is not given comes from the stack's config, `kafka-topology:…`."""

    def __init__(
        self,
        resource_name: str,
        *,
        bootstrap_servers: pulumi.Input[str] | None = None,
        ownership: Mapping[str, Sequence[str]] | None = None,
        settings: Mapping[str, pulumi.Input[Any]] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """`settings` holds any other key of the provider's config, as the schema names it."""
        inputs = {**_stack_config(), **(settings or {})}
        if bootstrap_servers is not None:
            inputs["bootstrapServers"] = bootstrap_servers
        if ownership is not None:
            inputs["ownership"] = pulumi.Output.json_dumps(ownership)
        super().__init__(PACKAGE, resource_name, inputs, opts)


def _stack_config() -> dict[str, pulumi.Input[Any]]:
    stack = pulumi.Config(PACKAGE)
    values: dict[str, pulumi.Input[Any]] = {}
    for key in KEYS:
        value = stack.get_secret(key.name) if key.secret else stack.get(key.name)
        if value is not None:
            values[key.name] = value
    return values


class Topic(pulumi.CustomResource):
    """A topic. See the schema for what a change of each property does: never a replacement."""

    name: pulumi.Output[str]
    partitions: pulumi.Output[int]
    replication: pulumi.Output[int]
    config: pulumi.Output[Mapping[str, str] | None]
    deletion: pulumi.Output[str]
    key_type: pulumi.Output[str | None]
    topic_id: pulumi.Output[str]

    def __init__(
        self,
        resource_name: str,
        *,
        partitions: pulumi.Input[int],
        replication: pulumi.Input[int],
        name: pulumi.Input[str] | None = None,
        config: pulumi.Input[Mapping[str, pulumi.Input[str]]] | None = None,
        deletion: pulumi.Input[str] | None = None,
        key_type: pulumi.Input[str] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__(
            f"{PACKAGE}:index:Topic",
            resource_name,
            {
                "name": name,
                "partitions": partitions,
                "replication": replication,
                "config": config,
                "deletion": deletion,
                "key_type": key_type,
                "topic_id": None,
            },
            opts,
        )

    @classmethod
    def from_inputs(cls, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None = None) -> Topic:
        """The topic that these inputs, named as in the schema, declare."""
        return cls(name, opts=opts, **{_PYTHON_NAMES.get(k, k): v for k, v in inputs.items()})

    def translate_output_property(self, prop: str) -> str:
        return _PYTHON_NAMES.get(prop, prop)

    def translate_input_property(self, prop: str) -> str:
        return _SCHEMA_NAMES.get(prop, prop)


class Team(pulumi.ComponentResource):
    """Groups the resources of one owner, so that a preview reads like the organisation."""

    def __init__(self, owner: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(f"{PACKAGE}:index:Team", owner, None, opts)


def wait_for(resources: Collection[pulumi.Resource]) -> None:
    """Lets the program wait for all resources at once.

    Left to itself, the SDK waits for every output of every resource anew whenever one of them is there. With a
    thousand topics, that is what a program does most of its time. What fails is still told by the SDK.
    """

    async def until_all_are_there() -> None:
        await asyncio.gather(*(resource.urn.future() for resource in resources), return_exceptions=True)

    if hasattr(pulumi, "run"):  # older SDKs have no such entry
        pulumi.run(until_all_are_there)

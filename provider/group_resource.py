"""`ConsumerGroup` for a Pulumi program in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pulumi

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class ConsumerGroup(pulumi.CustomResource):
    """A consumer group. See the schema for what a change of each property does."""

    name: pulumi.Output[str]
    topics: pulumi.Output[Sequence[str] | None]
    assign: pulumi.Output[Mapping[str, Sequence[int]] | None]
    start: pulumi.Output[str | None]
    reset: pulumi.Output[Mapping[str, str] | None]
    config: pulumi.Output[Mapping[str, str] | None]
    max_lag: pulumi.Output[int | None]
    deletion: pulumi.Output[str]
    state: pulumi.Output[str]
    members: pulumi.Output[int]
    lag: pulumi.Output[int | None]

    def __init__(
        self,
        resource_name: str,
        *,
        name: pulumi.Input[str] | None = None,
        topics: pulumi.Input[Sequence[pulumi.Input[str]]] | None = None,
        assign: pulumi.Input[Mapping[str, Sequence[int]]] | None = None,
        start: pulumi.Input[str] | None = None,
        reset: pulumi.Input[Mapping[str, pulumi.Input[str]]] | None = None,
        config: pulumi.Input[Mapping[str, pulumi.Input[str]]] | None = None,
        max_lag: pulumi.Input[int] | None = None,
        deletion: pulumi.Input[str] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        inputs = {
            "name": name,
            "topics": topics,
            "assign": assign,
            "start": start,
            "reset": reset,
            "config": config,
            "max_lag": max_lag,
            "deletion": deletion,
        }
        outputs = dict.fromkeys(("state", "members", "lag"))
        super().__init__("kafka-topology:index:ConsumerGroup", resource_name, {**inputs, **outputs}, opts)

    @classmethod
    def from_inputs(
        cls, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None = None
    ) -> ConsumerGroup:
        """The group that these inputs, named as in the schema, declare."""
        return cls(name, opts=opts, **{"max_lag" if k == "maxLag" else k: v for k, v in inputs.items()})

    def translate_output_property(self, prop: str) -> str:
        return "max_lag" if prop == "maxLag" else prop

    def translate_input_property(self, prop: str) -> str:
        return "maxLag" if prop == "max_lag" else prop

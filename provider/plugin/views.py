"""Views: the items of a resource, which the engine shows in its tree and keeps in the state as the plugin reports them.

The engine takes the steps of views after the call for their owner has ended. It must never get a view of an owner that
is not in the state, nor lose an owner whose views it still has: either breaks the state for all later commands.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import grpc

from .property_codec import decode, encode
from .protocol import provider_pb2, resource_status_pb2, resource_status_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..resources.changes import PropertyChange
    from .properties import Properties

Key: TypeAlias = tuple[str, str]
_AT_ONCE: Final = 500  # views in a message: far below the 4 MB that the engine accepts


class Op(StrEnum):
    SAME = "same"
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class View:
    """One item in the state."""

    inputs: Properties
    outputs: Properties


@dataclass(frozen=True, slots=True)
class ViewStep:
    """What happened to an item. With an `error`, only a `partial` step changes the state."""

    op: Op
    key: Key
    old: View | None = None
    new: View | None = None
    changes: tuple[PropertyChange, ...] = ()
    error: str = ""
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Views:
    """The views in the state that a call brings, and where to report what becomes of them."""

    old: Mapping[Key, View] = field(default_factory=dict)
    address: str = ""
    token: str = ""

    async def publish(self, steps: Sequence[ViewStep]) -> str | None:
        """Returns why the engine did not take them."""
        if not steps:
            return None
        if not self.address:
            return "the engine takes no views"
        async with grpc.aio.insecure_channel(self.address) as channel:
            stub = resource_status_pb2_grpc.ResourceStatusStub(channel)
            try:
                for start in range(0, len(steps), _AT_ONCE):
                    sent = [_message(step) for step in steps[start : start + _AT_ONCE]]
                    await stub.PublishViewSteps(
                        resource_status_pb2.PublishViewStepsRequest(token=self.token, steps=sent)
                    )
            except grpc.aio.AioRpcError as error:
                return f"the engine did not take the views: {error.details()}"
        return None


def views_of(request: Any) -> Views:
    """The views in a request of the engine; those without the field have none."""
    return Views(
        {
            (view.type, view.name): View(decode(view.inputs), decode(view.outputs))
            for view in getattr(request, "old_views", ())
        },
        getattr(request, "resource_status_address", ""),
        getattr(request, "resource_status_token", ""),
    )


def _message(step: ViewStep) -> Any:
    message = resource_status_pb2.ViewStep
    kind = provider_pb2.PropertyDiff.Kind
    return message(
        status=message.Status.Value("PARTIAL_FAILURE" if step.partial else "OK"),
        error=step.error,
        op=message.Op.Value(step.op.name),
        type=step.key[0],
        name=step.key[1],
        old=_side(step.key, step.old),
        new=_side(step.key, step.new),
        diffs=sorted({change.path.partition("[")[0] for change in step.changes}),
        detailed_diff={
            change.path: provider_pb2.PropertyDiff(kind=kind.Value(change.kind.name), inputDiff=True)
            for change in step.changes
        },
        has_detailed_diff=bool(step.changes),
    )


def _side(key: Key, view: View | None) -> Any:
    if view is None:
        return None
    return resource_status_pb2.ViewStepState(
        type=key[0], name=key[1], inputs=encode(view.inputs), outputs=encode(view.outputs)
    )

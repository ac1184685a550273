"""What a call of the engine answers when the plugin itself fails.

gRPC would send the text of any exception as it is, with whatever a library put into it: a password, a private key.
"""

from __future__ import annotations

import traceback
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import grpc

from kafka_topology.topology.kafka.secrets import hide, without_secrets

from ..config.keys import KEYS
from .properties import as_secret
from .property_codec import NotFinite, decode
from .secrecy import secrets_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Call = Callable[[Any, Any, Any], Awaitable[Any]]

_SECRET = tuple(key.name for key in KEYS if key.secret)
_ABORTED = (grpc.aio.AbortError, grpc.RpcError)  # an answer that the call gave itself


class Guarded(Protocol):
    def redact(self, text: str) -> str: ...


_Servicer = TypeVar("_Servicer")


def answering(servicer: type[_Servicer]) -> type[_Servicer]:
    """A class of a gRPC service whose calls are all `guarded`."""
    for name, call in list(vars(servicer).items()):
        if name[0].isupper() and callable(call):
            setattr(servicer, name, guarded(call))
    return servicer


def guarded(call: Call) -> Call:
    """The call, with an answer for every exception: its text has no secret of the settings or of the request."""

    @wraps(call)
    async def answered(servicer: Guarded, request: Any, context: Any) -> Any:
        try:
            return await call(servicer, request, context)
        except _ABORTED:
            raise
        except NotFinite as error:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"{error}: give a number, or leave it out.")
        except Exception as error:  # noqa: BLE001 - see above
            text = servicer.redact(hide(_said(error), _secrets_in(request)))
            await context.abort(grpc.StatusCode.INTERNAL, text)

    return answered


def _said(error: Exception) -> str:
    at = traceback.extract_tb(error.__traceback__)[-1]
    lines = str(error).splitlines() or [""]
    told = f": {without_secrets(lines[0])}" if lines[0] else ""
    place = f"{Path(at.filename).name}, line {at.lineno}"
    return (
        f"kafka-topology failed unexpectedly: {type(error).__name__}{told} ({place})."
        " This is a mistake in the plugin: please report it."
    )


def _secrets_in(request: Any) -> frozenset[str]:
    """The values of every property map of a request that are secrets, marked or by the name of a key of the config."""
    found: set[str] = set()
    for field, value in request.ListFields():
        if field.message_type is None or field.message_type.full_name != "google.protobuf.Struct":
            continue
        with suppress(NotFinite):
            properties = decode(value)
            found |= secrets_of(
                properties, {name: as_secret(properties[name]) for name in _SECRET if name in properties}
            )
    return frozenset(found)

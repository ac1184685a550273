"""Messages to the person at the terminal, through the engine that started the plugin."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Literal

import grpc

from .protocol import engine_pb2, engine_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_FEW: Final = 5
_SHOWN: Final = 100
Severity = Literal["DEBUG", "INFO", "WARNING", "ERROR"]


class EngineLog:
    """Silent until the engine's address is known. A lost message never fails an operation."""

    def __init__(self) -> None:
        self._channel: grpc.aio.Channel | None = None
        self.address = ""
        self._said: set[tuple[str, str]] = set()
        self.redact: Callable[[str], str] = str

    def attach(self, address: str) -> None:
        if self._channel is None and address:
            self.address = address
            self._channel = grpc.aio.insecure_channel(address)

    async def say(self, severity: Severity, message: str, urn: str = "") -> None:
        if self._channel is None:
            return
        request = engine_pb2.LogRequest(
            severity=engine_pb2.LogSeverity.Value(severity), message=self.redact(message), urn=urn
        )
        try:
            await engine_pb2_grpc.EngineStub(self._channel).Log(request, timeout=5)
        except grpc.RpcError:
            return

    async def say_all(self, severity: Severity, messages: Sequence[str], urn: str = "") -> None:
        """Many of them in one call, because each call waits for the engine. A long list is cut."""
        if len(messages) > _FEW:
            more = [f"and {len(messages) - _SHOWN:,} more"] if len(messages) > _SHOWN else []
            messages = ["\n".join([*messages[:_SHOWN], *more])]
        for message in messages:
            await self.say(severity, message, urn)

    async def say_once(self, severity: Severity, message: str) -> None:
        if (severity, message) not in self._said:
            self._said.add((severity, message))
            await self.say(severity, message)

    def reporter(self) -> Callable[[str], None]:
        """A function that other threads call to report progress."""
        loop = asyncio.get_running_loop()

        def report(message: str) -> None:
            asyncio.run_coroutine_threadsafe(self.say("INFO", message), loop)

        return report

    async def close(self) -> None:
        if self._channel is not None:
            await self._channel.close(None)

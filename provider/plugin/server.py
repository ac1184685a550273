"""Serves the plugin. The engine reads the port from stdout, so nothing else is printed there."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import TYPE_CHECKING

import grpc.aio

from ..resources.topology.declaring import Declare, nothing_to_read
from .engine_log import EngineLog
from .protocol import provider_pb2_grpc
from .servicer import Servicer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kafka_topology.provider.resources.admin import Admin

    from ..config.settings import Settings
    from .judging import Judge

_MAX_MESSAGE = 400 * 1024 * 1024  # the engine's own limit
_PARENT_CHECK = 1.0


def connect(settings: Settings) -> Admin:
    """Connects to a real cluster. Imports the client here, because a preview without changes does not need it."""
    from kafka_topology.cluster.cluster import Cluster  # noqa: PLC0415

    cluster = Cluster(settings)
    try:
        cluster.connect()
    except BaseException:
        cluster.close()
        raise
    return cluster


async def serve(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    parent: int,
    judge: Judge | None = None,
    declare: Declare = nothing_to_read,
) -> None:
    """Runs until the engine ends the plugin, or the process that started it dies.

    `judge` runs the rules on the resources of a program, `declare` loads topology files.
    """
    log = EngineLog()
    if arguments:
        log.attach(arguments[0])
    server = grpc.aio.server(
        options=[
            ("grpc.max_receive_message_length", _MAX_MESSAGE),
            ("grpc.max_send_message_length", _MAX_MESSAGE),
        ]
    )
    servicer = Servicer(connect, environment, log, judge, declare)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(servicer, server)
    stop = _stop_on_signals()
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    await _until_stopped(stop, parent)
    servicer.cancel()  # or an operation would wait until its deadline for an engine that is gone
    await server.stop(grace=1)
    await log.close()
    await asyncio.get_running_loop().shutdown_default_executor()
    servicer.close()


def _stop_on_signals() -> asyncio.Event:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    return stop


async def _until_stopped(stop: asyncio.Event, parent: int) -> None:
    # A killed engine sends no signal: without this, its plugins would run forever.
    while not stop.is_set() and os.getppid() == parent:
        try:
            await asyncio.wait_for(stop.wait(), _PARENT_CHECK)
        except TimeoutError:
            continue

"""Kafka's command-line tools in one Java process for a whole test run."""

from __future__ import annotations

import struct
import subprocess
import tempfile
import threading
from pathlib import Path

from kafka_topology.local.processes.jvm import java_command, java_environment
from kafka_topology.local.properties import TOOL_LOG4J
from kafka_topology.local.tools import tool_arguments, tool_class

_SOURCE = Path(__file__).with_name("ToolServer.java")


class ToolServer:
    """Runs one tool at a time. Starts with the first one, ends with this process, or when a tool takes too long."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="kafka-tools-")

    def run(
        self, name: str, *arguments: str, bootstrap: str, timeout: float = 180.0
    ) -> subprocess.CompletedProcess[str]:
        main = tool_class(name)
        given = tool_arguments(main, arguments, bootstrap)
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._process = self._start()
            process = self._process
            clock = threading.Timer(timeout, process.kill)
            clock.start()
            try:
                process.stdin.write(_text(main) + struct.pack(">i", len(given)) + b"".join(map(_text, given)))
                process.stdin.flush()
                code = _number(process.stdout)
                output, errors = (process.stdout.read(_number(process.stdout)).decode() for _ in range(2))
            except (EOFError, BrokenPipeError):
                process.wait()
                raise subprocess.TimeoutExpired([name, *given], timeout) from None
            finally:
                clock.cancel()
        return subprocess.CompletedProcess([name, *given], code, output, errors)

    def _start(self) -> subprocess.Popen[bytes]:
        log4j = Path(self._folder.name) / "log4j2.properties"
        log4j.write_text(TOOL_LOG4J, encoding="ascii")
        command = java_command(str(_SOURCE), [], heap="256m", log4j=log4j)
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=java_environment())


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack(">H", len(data)) + data


def _number(stream) -> int:
    data = stream.read(4)
    if len(data) < 4:
        raise EOFError
    return struct.unpack(">i", data)[0]


SERVER = ToolServer()

"""Spark outside of the test's own process, from the files of the pyspark package: a cluster, a Connect server."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspark

HOME = Path(pyspark.__file__).parent
START_S = 600.0
# As `SPARK_SUBMIT_OPTS` of all tests: neither daemons nor executors read that.
_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_ENVIRONMENT = {
    "SPARK_LOCAL_IP": "127.0.0.1",
    "SPARK_HOME": str(HOME),
    "PYSPARK_PYTHON": sys.executable,
    "SPARK_DAEMON_JAVA_OPTS": _QUICK,
}
# What an application of the standalone cluster needs: executors that fit its workers.
OF_EXECUTORS = {
    "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": _QUICK,
    "spark.driver.host": "127.0.0.1",
}


@contextmanager
def standalone_cluster(folder: Path) -> Iterator[str]:
    """A master and two workers of one core each; gives the master's address."""
    with ExitStack() as running:
        master = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        at = running.enter_context(
            _process("spark-class", master, folder / "master", r"Starting Spark master at (\S+)")
        )
        for number in (1, 2):
            worker = ["org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0"]
            worker += ["--cores", "1", "--memory", "768m", "--work-dir", str(folder / f"work-{number}"), at]
            running.enter_context(
                _process("spark-class", worker, folder / f"worker-{number}", r"Successfully registered with (master)")
            )
        yield at


@dataclass(frozen=True, slots=True)
class ConnectServer:
    address: str
    log: Path
    process: subprocess.Popen[bytes]

    def running_jobs(self) -> list[str]:
        return [str(job["name"]) for job in self._shown("jobs?status=running")]

    def bytes_spilled(self) -> int:
        """To disk, by all stages so far."""
        return sum(int(stage["diskBytesSpilled"]) for stage in self._shown("stages"))

    def _shown(self, what: str) -> list[dict[str, Any]]:
        """Asked of its UI."""
        text = self.log.read_text()
        found = re.search(r"service 'SparkUI' on port (\d+)", text)
        assert found, text
        applications = f"http://127.0.0.1:{found[1]}/api/v1/applications"
        (application,) = _json(applications)
        return _json(f"{applications}/{application['id']}/{what}")


@contextmanager
def connect_server(folder: Path, settings: Mapping[str, str] | None = None) -> Iterator[ConnectServer]:
    """A server without the Kafka connector."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    wanted = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.port": "0",
        **(settings or {}),
    }
    arguments = ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--master", "local[2]"]
    arguments += [*_conf(wanted), "spark-internal"]
    ready = r"Spark Connect server started at: (\S+)"
    started: list[subprocess.Popen[bytes]] = []
    with _process("spark-submit", arguments, folder / "connect", ready, memory="768m", started=started):
        yield ConnectServer(f"sc://127.0.0.1:{port}", folder / "connect/log.txt", *started)


def _json(address: str) -> list[dict[str, Any]]:
    with urllib.request.urlopen(address, timeout=60) as answer:  # noqa: S310 - on this machine
        found: list[dict[str, Any]] = json.load(answer)
    return found


def _conf(settings: Mapping[str, str]) -> list[str]:
    return [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]


@contextmanager
def _process(
    program: str,
    arguments: list[str],
    folder: Path,
    ready: str,
    *,
    memory: str = "256m",
    started: list[subprocess.Popen[bytes]] | None = None,
) -> Iterator[str]:
    folder.mkdir(parents=True)
    log = folder / "log.txt"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [str(HOME / "bin" / program), *arguments],
            stdout=stream,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={**os.environ, **_ENVIRONMENT, "SPARK_DAEMON_MEMORY": memory},
        )
    if started is not None:
        started.append(process)
    try:
        yield _wait(process, log, re.compile(ready))
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process: subprocess.Popen[bytes], log: Path, ready: re.Pattern[str]) -> str:
    deadline = time.monotonic() + START_S
    while True:
        text = log.read_text(errors="replace")
        found = ready.search(text)
        if found:
            return found[1]
        assert process.poll() is None, text
        assert time.monotonic() < deadline, text
        time.sleep(0.1)

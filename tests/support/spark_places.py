"""Spark outside of the test's own process, from the files of the pyspark package: a cluster, a Connect server."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark

HOME = Path(pyspark.__file__).parent
START_S = 600.0
_ENVIRONMENT = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(HOME), "PYSPARK_PYTHON": sys.executable}


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


@contextmanager
def connect_server(folder: Path, settings: Mapping[str, str] | None = None) -> Iterator[str]:
    """A server without the Kafka connector; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    wanted = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.enabled": "false",
        **(settings or {}),
    }
    arguments = ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--master", "local[2]"]
    arguments += [*_conf(wanted), "spark-internal"]
    ready = r"Spark Connect server started at: (\S+)"
    with _process("spark-submit", arguments, folder / "connect", ready, memory="768m"):
        yield f"sc://127.0.0.1:{port}"


def _conf(settings: Mapping[str, str]) -> list[str]:
    return [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]


@contextmanager
def _process(program: str, arguments: list[str], folder: Path, ready: str, *, memory: str = "256m") -> Iterator[str]:
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

"""Formatting the storage of new nodes with Kafka's own tool, all nodes at once."""

from __future__ import annotations

import base64
import shutil
import subprocess
import uuid
from typing import TYPE_CHECKING

from ..errors import LocalClusterError
from .jvm import java_command, java_environment

if TYPE_CHECKING:
    from ..layout import Layout
    from ..state import State

_TIMEOUT = 120.0


def new_cluster_id() -> str:
    """As Kafka writes them. One that begins with a dash would be taken for an option."""
    while True:
        text = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode("ascii").rstrip("=")
        if not text.startswith("-"):
            return text


def format_storage(layout: Layout, state: State) -> None:
    """Begins afresh: what an interrupted format left behind is thrown away."""
    running: list[subprocess.Popen[str]] = []
    try:
        for node in state.nodes:
            shutil.rmtree(layout.storage(node), ignore_errors=True)
            arguments = ["format", "--cluster-id", state.cluster_id]
            arguments += ["--config", str(layout.properties(node))]
            command = java_command("kafka.tools.StorageTool", arguments, heap="128m", log4j=layout.log4j)
            running.append(
                subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    errors="replace",
                    env=java_environment(),
                )
            )
        for node, process in zip(state.nodes, running, strict=True):
            output, _ = process.communicate(timeout=_TIMEOUT)
            if process.returncode != 0:
                end = "\n".join(f"  {line}" for line in output.strip().splitlines()[-8:])
                raise LocalClusterError(
                    f"The storage of node {node.id} could not be formatted:\n{end}",
                    f"Is there room in {layout.data}?",
                )
    except subprocess.TimeoutExpired:
        raise LocalClusterError(
            f"Formatting the storage took longer than {_TIMEOUT:.0f} s.",
            "The machine may be overloaded; try again.",
        ) from None
    finally:
        for process in running:
            process.kill()
            process.wait()

"""Where things are in a data folder, and which folder that is."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from . import state as states
from .errors import SettingsError
from .properties import LOG4J, render, server_properties
from .secured.certificates import Certificates, remove_unfinished
from .secured.private import write_private

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .state import Node, State

LOCK = ".lock"
_ERROR = re.compile(r"^\S+ \S+ (ERROR|FATAL)\b|^Error: |OutOfMemoryError")
_CHATTER = re.compile(r"^\S+ \S+ (INFO|DEBUG)\b")


def default_data(environ: Mapping[str, str] | None = None) -> Path:
    """The folder of the cluster that has no `--data`: in the user's state folder."""
    env = os.environ if environ is None else environ
    base = env.get("XDG_STATE_HOME", "")
    root = Path(base) if Path(base).is_absolute() else Path.home() / ".local" / "state"
    return root / "kafka-topology" / "local" / "default"


@dataclass(frozen=True)
class Layout:
    data: Path

    @property
    def lock(self) -> Path:
        return self.data / LOCK

    @property
    def log4j(self) -> Path:
        return self.data / "log4j2.properties"

    @property
    def credentials(self) -> Path:
        return self.data / "credentials.json"

    @property
    def certificates(self) -> Certificates:
        return Certificates(self.data / "tls")

    def node(self, node: Node) -> Path:
        return self.data / f"node-{node.id}"

    def properties(self, node: Node) -> Path:
        return self.node(node) / "server.properties"

    def storage(self, node: Node) -> Path:
        return self.node(node) / "storage"

    def log(self, node: Node) -> Path:
        return self.node(node) / "broker.log"

    def write(self, state: State, security: Mapping[str, str] | None = None) -> None:
        """The configuration of every node. With `security` there are passwords in it."""
        self.log4j.write_text(LOG4J, encoding="ascii")
        for node in state.nodes:
            self.node(node).mkdir(mode=0o700, exist_ok=True)
            values = {**server_properties(state, node, self.storage(node)), **(security or {})}
            write_private(self.properties(node), render(values))

    def refuse_foreign(self) -> None:
        """Refuse a folder that holds other files: `stop --delete` would delete from it."""
        if self.data.exists() and not self.data.is_dir():
            raise SettingsError(f"{self.data} is not a folder.", "Choose another one with --data.")
        strange = sorted(path.name for path in self.data.glob("*") if path.name != LOCK)
        if strange:
            raise SettingsError(
                f"{self.data} is not empty and holds no local cluster (found {strange[0]}).",
                "Choose an empty or a new folder with --data.",
            )

    def delete(self, state: State) -> None:
        """Only what was made here; the folder itself when nothing else is in it."""
        for node in state.nodes:
            shutil.rmtree(self.node(node), ignore_errors=True)
        shutil.rmtree(self.certificates.folder, ignore_errors=True)
        remove_unfinished(self.certificates.folder)
        for path in (self.log4j, self.credentials, self.data / states.FILE, self.lock):
            path.unlink(missing_ok=True)
        if not any(self.data.iterdir()):
            self.data.rmdir()


def why_it_ended(log: Path, lines: int = 12) -> str:
    """What a broker's log says about its end, indented for an error message.

    After an error a broker shuts down in many lines: the error counts. Without one, the end counts.
    """
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        return f"  (no log: {error.strerror})"
    kept = [line for line in text.splitlines() if line.strip() and not line.startswith("\tat ")]
    errors = [at for at, line in enumerate(kept) if _ERROR.search(line)]
    shown = kept[errors[0] :][:lines] if errors else kept[-lines:]
    if errors:
        shown = [line for line in shown if not _CHATTER.search(line)]
    return "\n".join(f"  {line}" for line in shown) or "  (the log is empty)"

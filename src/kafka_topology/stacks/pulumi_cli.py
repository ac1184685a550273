"""Asks the Pulumi CLI about stacks. Secrets come through its output: never on a command line, never in a file."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from kafka_topology.topology.model.words import did_you_mean, listed, visible

from .project import Project

_SECONDS: Final = 60.0
_PASSPHRASE: Final = ("PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE")
# Reading config needs no plugin, and a command that only reads must not install one.
_QUIET: Final = {
    "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
    "PULUMI_SKIP_UPDATE_CHECK": "true",
}


class StackUnreadable(Exception):
    """The stack cannot be read; the message says why and what to do."""


class PulumiSilent(StackUnreadable):
    """Pulumi gave no answer in time, so nothing is known about the stack."""


@dataclass(frozen=True, slots=True)
class ConfigValue:
    """`text` is None for a secret that was not asked for. Objects are JSON text, as a program gets them."""

    text: str | None = field(repr=False)
    secret: bool = False


class PulumiCli:
    """The CLI on PATH, in the folder of a project. Asks nobody anything: without a passphrase, it fails."""

    def __init__(self, project: Project, environ: Mapping[str, str], *, seconds: float = _SECONDS) -> None:
        self.project = project
        self._environ = environ
        self._seconds = seconds

    def selected(self) -> str | None:
        """The name of the selected stack; None if no stack is selected."""
        try:
            return self._run("stack", "--show-name").strip() or None
        except _Failed as failed:
            try:
                stacks = self._stacks()
            except _Failed:
                raise StackUnreadable(
                    f"cannot see which stack of {self.project} is selected: pulumi: {failed}"
                ) from None
            if not any(each.get("current") for each in stacks):
                return None
            raise StackUnreadable(f"cannot read the selected stack of {self.project}: pulumi: {failed}") from None

    def config(self, stack: str, *, secrets: bool) -> Mapping[str, ConfigValue]:
        """The config of a stack and of its project, by full key. Does not select the stack."""
        shown = ("--show-secrets",) if secrets else ()
        try:
            text = self._run("config", "--json", "--stack", stack, *shown)
        except _Failed as failed:
            raise StackUnreadable(self._why_no_config(stack, failed)) from None
        return _values(text, stack)

    def exported(self, stack: str) -> object:
        """The state of a stack, as JSON. Its secrets stay encrypted."""
        try:
            return json.loads(self._run("stack", "export", "--stack", stack))
        except _Failed as failed:
            raise StackUnreadable(f"cannot read the state of the stack {stack}: pulumi: {failed}") from None
        except ValueError:
            # Its text may hold secrets, so none of it is shown.
            raise StackUnreadable(f"the state of the stack {stack} is not JSON") from None

    def backend(self) -> str:
        """The address of the backend that has the states. Raises StackUnreadable if Pulumi does not say it."""
        try:
            found = json.loads(self._run("whoami", "--json"))
            return str(found["url"])
        except _Failed as failed:
            raise StackUnreadable(f"cannot see which backend has the stack: pulumi: {failed}") from None
        except (ValueError, KeyError, TypeError):
            raise StackUnreadable("cannot see which backend has the stack: `pulumi whoami --json` is unknown") from None

    def is_updating(self, stack: str) -> bool:
        """Whether Pulumi's service says that a run changes the stack now."""
        try:
            stacks = self._stacks()
        except _Failed as failed:
            raise StackUnreadable(f"cannot see whether the stack {stack} is locked: pulumi: {failed}") from None
        short = stack.rpartition("/")[2]
        return any(
            str(each.get("name")).rpartition("/")[2] == short and each.get("updateInProgress") for each in stacks
        )

    def _stacks(self) -> list[dict[str, Any]]:
        try:
            found = json.loads(self._run("stack", "ls", "--json"))
        except ValueError as error:
            raise _Failed(f"its list of stacks is not JSON: {error}") from None
        return [each for each in found if isinstance(each, dict)]

    def _why_no_config(self, stack: str, failed: _Failed) -> str:
        with suppress(_Failed):
            names = [str(each.get("name")) for each in self._stacks()]
            if stack not in names and stack.rpartition("/")[2] not in names:
                known = f"it has {listed(names)}" if names else "it has none; create one with `pulumi stack init`"
                hint = did_you_mean(stack, names)
                return f"the Pulumi project {self.project} has no stack {stack}; {hint or known}"
        reason = f"cannot read the config of the stack {stack}: pulumi: {failed}"
        if "encryptionsalt" not in _text_of(self.project.stack_file(stack)):
            return reason
        if any(self._environ.get(name) is not None for name in _PASSPHRASE):
            return f"{reason}; set PULUMI_CONFIG_PASSPHRASE to the passphrase of this stack"
        return f"{reason}; its config has secrets"

    def _run(self, *arguments: str) -> str:
        program = shutil.which("pulumi", path=self._environ.get("PATH"))
        if program is None:
            raise StackUnreadable(
                f"{self.project} is a Pulumi project, but there is no `pulumi` on PATH to read its stack with"
            )
        command = [program, "--non-interactive", "--color", "never", *arguments]
        try:
            with subprocess.Popen(
                command,
                cwd=self.folder,
                env={**self._environ, **_QUIET},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            ) as process:
                try:
                    out, errors = process.communicate(timeout=self._seconds)
                except BaseException:
                    _end(process)
                    raise
        except subprocess.TimeoutExpired:
            raise PulumiSilent(
                f"`pulumi {arguments[0]}` gave no answer within {self._seconds:g} seconds in {self.project.root}"
            ) from None
        except OSError as error:
            raise StackUnreadable(f"cannot start {program}: {(error.strerror or str(error)).lower()}") from None
        if process.returncode != 0:
            raise _Failed(_reason(errors.decode(errors="replace"), process.returncode))
        return out.decode(errors="replace")

    @property
    def folder(self) -> Path:
        """Where a user would run Pulumi: relative paths in its variables are then what the user means."""
        here = Path.cwd()
        return here if here.is_relative_to(self.project.root) else self.project.root


class _Failed(Exception):
    """Pulumi ended with an error; the message is its own."""


def _values(text: str, stack: str) -> Mapping[str, ConfigValue]:
    try:
        document = json.loads(text)
        return {
            key: ConfigValue(entry.get("value"), secret=entry.get("secret") is True) for key, entry in document.items()
        }
    except (ValueError, AttributeError):
        # Its text may hold secrets, so none of it is shown.
        raise StackUnreadable(
            f"`pulumi config --json` for the stack {stack} is not what this version of kafka-topology understands"
        ) from None


def _reason(errors: str, code: int) -> str:
    """What Pulumi says about its failure, on one line."""
    lines = [visible(line).strip() for line in errors.splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith("warning:")]
    return " ".join(line.removeprefix("error: ") for line in said)[:500].rstrip(".") or f"exit code {code}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends Pulumi with all that it started, such as a plugin of a secrets provider."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""

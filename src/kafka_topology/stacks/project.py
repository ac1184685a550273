"""Finds the Pulumi project that a folder belongs to, as Pulumi does."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

_NAMES: Final = ("Pulumi.yaml", "Pulumi.yml", "Pulumi.json")


@dataclass(frozen=True, slots=True)
class Project:
    """A folder with a project file."""

    file: Path

    @property
    def root(self) -> Path:
        return self.file.parent

    def __str__(self) -> str:
        """The file, as a user in the current folder would write it."""
        here = Path.cwd()
        return str(self.file.relative_to(here)) if self.file.is_relative_to(here) else str(self.file)

    @property
    def name(self) -> str | None:
        """None if the file cannot be read, or has no name."""
        try:
            document = yaml.safe_load(self.file.read_text(encoding="utf-8"))
        except (OSError, ValueError, yaml.YAMLError):
            return None
        name = document.get("name") if isinstance(document, dict) else None
        return name if isinstance(name, str) else None

    def stack_file(self, stack: str) -> Path:
        """The file of a stack's config, where Pulumi keeps it unless the project says otherwise."""
        short = stack.rpartition("/")[2]
        return next(
            (file for file in self._stack_files() if _stack_of(file) == short), self.root / f"Pulumi.{short}.yaml"
        )

    def stacks_with_files(self) -> tuple[str, ...]:
        return tuple(sorted(_stack_of(file) for file in self._stack_files()))

    def uses(self, package: str) -> bool:
        """Whether the project names the provider as a plugin, or it or one of its stacks has config for it.

        Looks at the files only: keys are plain text, also those of secrets. A stack may have its config elsewhere.
        """
        name = re.escape(package)
        word = re.compile(rf"(?<![\w-]){name}:\w|\bname[\"']?:\s*[\"']?{name}[\"']?\s*(?:[,}}#]|$)", re.MULTILINE)
        return any(word.search(_text(file)) for file in (self.file, *self._stack_files()))

    def _stack_files(self) -> list[Path]:
        found = self.root.glob("Pulumi.*.y*ml")
        return sorted(file for file in found if file.suffix in {".yaml", ".yml"} and _stack_of(file))


def find_project(folder: Path) -> Project | None:
    """The project of a folder, or of the nearest one above it."""
    start = Path(os.path.abspath(folder))  # noqa: PTH100 - `resolve` would leave the folder through a link
    for candidate in (start, *start.parents):
        for name in _NAMES:
            file = candidate / name
            if file.is_file():
                return Project(file)
    return None


def project_root(folder: Path) -> Path:
    """The folder of the project file, or the given one without a project."""
    project = find_project(folder)
    return folder if project is None else project.root


def _stack_of(file: Path) -> str:
    return file.name.removeprefix("Pulumi.").removesuffix(file.suffix)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""

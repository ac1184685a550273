"""The files that `init` writes: a topology that validates, and everything that reviews, deploys and watches it."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from . import github, gitlab
from .repository import PROVIDER, WHEEL, repository

__all__ = ["CI", "MERGED", "OPTIONAL", "PROVIDER", "WHEEL", "files", "merged"]

CI: TypeAlias = Literal["github", "gitlab", "none"]
# What an existing repository may have already: lines are added to the first, and the other stays as it is.
MERGED: Final = ".gitignore"
OPTIONAL: Final = "README.md"


def files(
    name: str, package: str = WHEEL, *, ci: CI = "github", stack: str = "prod", branch: str = "main"
) -> dict[str, str]:
    """Every file by path. `package` is the requirement for pip; `stack` is what the pipeline deploys to."""
    pipeline = {} if ci == "none" else {"github": github, "gitlab": gitlab}[ci].files(stack, branch)
    return dict(sorted({**repository(name, package), **pipeline}.items()))


def merged(existing: str, wanted: str) -> str:
    """The existing lines, and those of the wanted ones that are missing."""
    held = existing.splitlines()
    missing = [line for line in wanted.splitlines() if line not in held]
    return existing if not missing else "\n".join([*held, *missing]) + "\n"

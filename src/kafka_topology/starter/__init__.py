"""The files that `init` writes: a topology that validates, and everything that reviews, deploys and watches it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from . import github, gitlab
from .repository import EXAMPLE_ENVIRONMENTS, PROVIDER, WHEEL, example, repository

__all__ = [
    "CI",
    "EXAMPLE_ENVIRONMENTS",
    "MERGED",
    "OPTIONAL",
    "PROVIDER",
    "WHEEL",
    "Starter",
    "files",
    "merged",
    "must",
]

CI: TypeAlias = Literal["github", "gitlab", "none"]
# What an existing repository may have already: lines are added to the first, and the other stays as it is.
MERGED: Final = ".gitignore"
OPTIONAL: Final = "README.md"
# What the jobs of the pipeline need besides their own files.
_NEEDED: Final = (MERGED, "Pulumi.yaml", "program/__main__.py", "requirements.txt")

# What a file that stays as it is must have, so that the pipeline works.
_MUST: Final = {
    "Pulumi.yaml": "its `plugins` must name the provider with `path: .venv/bin`, and `main` the program",
    "program/__main__.py": "it must call `deploy()` of kafka_topology.program.deploy",
    "requirements.txt": "it must install kafka-topology with the extra [pulumi]",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Starter:
    """`package` is the requirement for pip, and `stack` what the pipeline deploys. Reviews take the environments.

    `topology` is a path in the repository; `has_topology` says that one is there already.
    """

    name: str
    package: str = WHEEL
    ci: CI = "github"
    stack: str = "prod"
    branch: str = "main"
    topology: str = "topology"
    environments: tuple[str, ...] = ()
    has_topology: bool = False
    is_pipeline_only: bool = False


def files(wanted: Starter) -> dict[str, str]:
    """Every file by path."""
    marks = {
        "{stack}": wanted.stack,
        "{branch}": wanted.branch,
        "{topology}": wanted.topology,
        "{environments}": " ".join(wanted.environments),
    }
    pipeline = {} if wanted.ci == "none" else {"github": github, "gitlab": gitlab}[wanted.ci].files(marks)
    rest = repository(wanted.name, wanted.package, wanted.topology)
    if wanted.is_pipeline_only:
        rest = {path: rest[path] for path in _NEEDED}
    elif not wanted.has_topology:
        rest |= example(wanted.topology)
    return dict(sorted({**rest, **pipeline}.items()))


def must(path: str) -> str:
    """What somebody who keeps their own file there must see to."""
    return _MUST.get(path, "it is not what `init` writes; to get that, move it away and run `init` again")


def merged(existing: str, wanted: str) -> str:
    """The existing lines, and those of the wanted ones that are missing."""
    held = existing.splitlines()
    missing = [line for line in wanted.splitlines() if line not in held]
    return existing if not missing else "\n".join([*held, *missing]) + "\n"

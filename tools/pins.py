"""Says whether the pinned requirements still fit pyproject.toml. `make requirements` writes them; it needs an index.

python tools/pins.py
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
# Which extras each file pins, as `make requirements` does.
FILES = {"base.txt": (), "run.txt": ("pulumi",), "dev.txt": ("local", "pulumi", "spark", "spark-connect", "dev")}


def pins(text: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9._-]+)==([^ \n]+)", text, re.MULTILINE))


def wanted(extras: tuple[str, ...]) -> list[Requirement]:
    """The requirements of the distribution with these extras, and with the extras that they include."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found, left = [Requirement(each) for each in project["dependencies"]], list(extras)
    while left:
        for each in map(Requirement, project["optional-dependencies"][left.pop()]):
            if each.name == project["name"]:
                left += sorted(each.extras)
            else:
                found.append(each)
    return found


def problems() -> list[str]:
    held = {name: pins((ROOT / "requirements" / name).read_text(encoding="utf-8")) for name in FILES}
    found = []
    for name, extras in FILES.items():
        for requirement in wanted(extras):
            version = held[name].get(canonicalize_name(requirement.name))
            if version is None or not requirement.specifier.contains(version, prereleases=True):
                found.append(f"requirements/{name}: {requirement} is not pinned; run make requirements")
        for package, version in held[name].items():
            if held["dev.txt"].get(package) != version:
                found.append(f"requirements/{name}: {package} differs from dev.txt; run make requirements")
    return found


if __name__ == "__main__":
    sys.exit("\n".join(problems()) or 0)

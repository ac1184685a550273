"""What versions of this product left behind, in tests/fixtures/upgrades."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "fixtures" / "upgrades"


def recorded_versions(folder: Path = FOLDER) -> list[Path]:
    """A folder for each version, the oldest first: 0.9.0 comes before 0.10.0."""
    return sorted(folder.iterdir(), key=lambda each: [int(part) for part in each.name.split(".")])

"""How long a review takes, compared with validating both versions, as processor time of the commands in the same run.

    python benchmarks/review.py                  # 1,000 topics
    python benchmarks/review.py --topics 5000 --repeat 5 --env

The promise is a ratio of at most 1.5: `kafka-topology review` against `kafka-topology validate` of the base and of the
change. Each command is a process of its own, with git as its child; the best of the repeats counts.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from results import Goal, json_option, save
from validate import topology_text

RATIO_LIMIT = 1.5
FORMATS = "markdown=comment.md,json=review.json"
CHANGES = {
    "no change": (),
    "one topic": (("  shop.topic-7:\n    profile: event", "  shop.topic-7:\n    retention: 1d\n    profile: event"),),
    "a profile": (("    retention: 7d\n", "    retention: 1d\n"),),
    "every topic": (("    partitions: 12\n", "    partitions: 24\n"),),
    "every name": (("shop.topic-", "shop.subject-"),),
}


@dataclass(frozen=True)
class Repository:
    root: Path

    def git(self, *arguments: str) -> None:
        identity = ("-c", "user.name=bench", "-c", "user.email=bench@example.com")
        subprocess.run(["git", *identity, *arguments], cwd=self.root, check=True, capture_output=True)

    def seconds(self, *arguments: str) -> float:
        """Processor time of a command and its children."""
        before = _used()
        command = [str(Path(sys.executable).with_name("kafka-topology")), *arguments]
        done = subprocess.run(command, cwd=self.root, check=False, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stderr}")
        return _used() - before


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(topics: int, repeat: int, *, with_environment: bool) -> list[Goal]:
    goals = []
    environment = "environments: {dev: {profiles: {event: {replication: 2}}}}\n"
    text = topology_text(topics) + (environment if with_environment else "")
    options = ("--env", "dev") if with_environment else ()
    for name, edits in CHANGES.items():
        with tempfile.TemporaryDirectory() as folder:
            repository = Repository(Path(folder))
            for version in ("base", "topology"):
                repository.root.joinpath(version).mkdir()
                repository.root.joinpath(version, "topology.yaml").write_text(text, encoding="utf-8")
            repository.git("init", "-q", "-b", "main")
            repository.git("add", "-A")
            repository.git("commit", "-qm", "base")
            changed = text
            for old, new in edits:
                assert old in changed, old
                changed = changed.replace(old, new)
            repository.root.joinpath("topology", "topology.yaml").write_text(changed, encoding="utf-8")
            reviews, validations = [], []
            for _ in range(repeat):
                validations.append(
                    sum(
                        repository.seconds("validate", path, *options, "--format", "json")
                        for path in ("base", "topology")
                    )
                )
                reviews.append(
                    repository.seconds("review", "topology", "--base", "main", *options, "--format", FORMATS)
                )
            review, both = min(reviews), min(validations)
            print(
                f"{topics:>8,} topics, {name:<12} review {review:6.2f} s, validate twice {both:6.2f} s"
                f" = {review / both:.2f}"
            )
            goals.append(Goal(f"review of {topics:,} topics, {name} / two validations", review / both, RATIO_LIMIT))
    return goals


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--topics", type=int, action="append", help="may be given several times")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--env", action="store_true", help="review an environment")
    json_option(parser)
    arguments = parser.parse_args()
    goals: list[Goal] = []
    for topics in arguments.topics or [1_000]:
        goals += measure(topics, arguments.repeat, with_environment=arguments.env)
    save(arguments.json, goals)


if __name__ == "__main__":
    main()

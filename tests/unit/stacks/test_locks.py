"""Who holds a stack, as far as its backend shows it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from kafka_topology.stacks.locks import Lock, Locks, locks_of
from kafka_topology.stacks.project import Project
from kafka_topology.stacks.pulumi_cli import StackUnreadable

HELD = '{"pid": 7, "username": "ci", "hostname": "runner", "timestamp": "2026-11-18T10:00:00Z"}'


@dataclass
class Cli:
    """What a Pulumi CLI says."""

    folder: Path
    url: str = ""
    updating: bool = False

    @property
    def project(self):
        return Project(self.folder / "Pulumi.yaml")

    def backend(self):
        if not self.url:
            raise StackUnreadable("cannot see which backend has the stack")
        return self.url

    def is_updating(self, _):
        return self.updating


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "Pulumi.yaml").write_text("name: shop\nruntime: python\n")
    return tmp_path


@pytest.mark.parametrize("where", ["organization/shop/prod", "prod"])
@pytest.mark.parametrize("is_relative", [True, False])
def test_locks_in_files(folder, where, is_relative):
    locks = folder / "state" / ".pulumi" / "locks" / where
    locks.mkdir(parents=True)
    (locks / "a.json").write_text(HELD)
    cli = Cli(folder, "file://./state" if is_relative else (folder / "state").as_uri())
    held = Lock("ci@runner (process 7)", "2026-11-18T10:00:00Z")
    assert locks_of(cli, "organization/shop/prod").held == (held,)
    assert locks_of(cli, "organization/shop/dev") == Locks("organization/shop/dev")


@pytest.mark.parametrize("text", ["", "[]", "{}", "\x00"])
def test_a_lock_that_says_nothing_is_one_all_the_same(folder, text):
    locks = folder / ".pulumi" / "locks" / "organization" / "shop" / "prod"
    locks.mkdir(parents=True)
    (locks / "a.json").write_text(text)
    assert locks_of(Cli(folder, folder.as_uri()), "prod").held == (Lock("somebody"),)


def test_other_backends(folder):
    cloud = "https://app.example.com/shop"
    assert locks_of(Cli(folder, cloud, updating=True), "prod").held == (Lock("another run"),)
    assert locks_of(Cli(folder, cloud), "prod") == Locks("prod")
    assert locks_of(Cli(folder, "s3://bucket?region=x"), "prod").unseen == "Pulumi does not show the locks of s3://"
    assert "cannot see which backend" in locks_of(Cli(folder), "prod").unseen

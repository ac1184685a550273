"""A kind of resource from outside: the label of each topic that has an owner. Its cluster is a dictionary."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from kafka_topology.audit import registry as audit_registry
from kafka_topology.audit import subjects as audit_subjects
from kafka_topology.provider import resources
from kafka_topology.provider.resources.descriptor import installed_kinds
from kafka_topology.review import registry as review_registry
from kafka_topology.review import subjects as review_subjects

DESCRIPTOR = """
from kafka_topology.provider.plugin.properties import UNKNOWN
from kafka_topology.provider.resources.base import ResourceKind, state_of
from kafka_topology.provider.resources.changes import Checked, change_between
from kafka_topology.provider.resources.descriptor import Desired, KindDescriptor, Reviewed
from kafka_topology.provider.resources.importer import Importer

LIVE = {}


class LabelKind(ResourceKind):
    word = "label"

    def check(self, resource_name, old, new):
        return Checked({"name": resource_name, **new})

    def diff(self, old, new):
        return tuple(change_between("text", old.get("text"), new.get("text")))

    def parse(self, inputs):
        return inputs["name"], inputs.get("text")

    def why_outside(self, declared):
        return None

    def gather(self, admin):
        return LIVE

    async def look(self, declared):
        return (await self.batches()).get(declared[0])

    def unknown_state(self, new):
        return state_of(UNKNOWN, new, {})

    def why_not_adopt(self, declared, live):
        return f"label '{declared[0]}' differs" if live not in (None, declared[1]) else None

    async def preview_new(self, declared, live, new):
        return state_of(declared[0], new, {})

    async def create_new(self, declared, new, timeout):
        (await self.batches())[declared[0]] = declared[1]
        return state_of(declared[0], new, {})

    async def preview_update(self, old, new):
        return state_of(old.id, new, {})

    async def update_known(self, declared, old, new, timeout):
        return await self.create_new(declared, new, timeout)

    async def read(self, old):
        live = await self.look((old.id, None))
        if live is None:
            return self.vanished(old, "gone")
        return state_of(old.id, {"name": old.id, "text": live}, {})

    async def send_deletion(self, item):
        (await self.batches()).pop(item.declared[0])


def desired(topology):
    for topic in topology.topics.values():
        if topic.owner is not None:
            yield Desired("Label", topic.name, {"name": topic.name, "text": topic.owner}, after=(topic.name,))


DESCRIPTOR = KindDescriptor(
    name="Label",
    order=60,
    inputs=("name", "text"),
    outputs=("name", "text"),
    make=LabelKind,
    desired=desired,
    reviewed=Reviewed("label", by_field=True),
    importer=Importer(
        "labels",
        {},
        take=lambda cluster, owned, reading: dict(LIVE),
        sections=lambda found: {"labels.yaml": {"labels": found}},
        listed=lambda found: [(name, name) for name in found],
    ),
)
"""
AUDITED = """
from kafka_topology.audit.check import About, Check, found
from kafka_topology.audit.observing.snapshot import Observation
from kafka_topology.audit.subject import Subject, without_options
from kafka_topology.provider.resources.label.descriptor import LIVE
from kafka_topology.topology import Severity

DIFFERS = Check("KTA901", "label-differs", Severity.ERROR, "A label differs.", "It is wrong.", "Run `pulumi up`.")
LABELS = Observation("labels", lambda survey: dict(LIVE))


def compare(topology, live):
    for topic in topology.topics.values():
        if topic.owner is not None and live.of(LABELS).get(topic.name) != topic.owner:
            yield found(DIFFERS, About("label", topic.name, topic.location), topic.location, "differs", "run pulumi up")


SUBJECT = Subject(
    order=65,
    kinds=("Label",),
    words=("label",),
    compares={"labels": "different"},
    reads=(LABELS,),
    checks=(DIFFERS,),
    compare=without_options(compare),
)
"""
REVIEWED = """
from kafka_topology.review.changes import Change, Risk
from kafka_topology.review.subject import Subject


def changes(versions):
    before, after = versions.old.topology.labels, versions.new.topology.labels
    for name in after.keys() - before.keys():
        yield Change(kind="label", name=name, action="add", risk=Risk.SAFE, reason="a new label")


SUBJECT = Subject(order=55, kinds=("label",), sections=("labels",), changes=changes)
"""
_CACHED = (installed_kinds, audit_registry.subjects, review_registry.subjects)


def forget_what_was_found() -> None:
    for found in _CACHED:
        found.cache_clear()


def _beside(package: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The modules of a folder count as modules of the package."""
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    forget_what_was_found()


def add_kind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Adds the folder of the kind; returns what is on its cluster."""
    label = folder / "kinds" / "label"
    label.mkdir(parents=True)
    (label / "__init__.py").touch()
    (label / "descriptor.py").write_text(DESCRIPTOR)
    _beside(resources, label.parent, monkeypatch)
    from kafka_topology.provider.resources.label.descriptor import LIVE  # type: ignore[import-not-found]

    LIVE.clear()
    live: dict[str, str] = LIVE
    return live


def add_to_audit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _add_module(audit_subjects, folder / "audited", AUDITED, monkeypatch)


def add_to_review(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _add_module(review_subjects, folder / "reviewed", REVIEWED, monkeypatch)


def _add_module(package: ModuleType, folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    (folder / "labels.py").write_text(text)
    _beside(package, folder, monkeypatch)

"""Renames: one change instead of a removal, an addition and all that follows from the new name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ...topology.model.declared import Topology
from ..causes import Cause
from ..changes import Change
from ..versions import Versions

_LISTS = {"topics": "topics", "reads": "reads", "writes": "writes", "copartitionedWith": "copartitioned_with"}
_REASONS = {
    "topic": "Kafka cannot rename: the old topic is deleted with its records, and the new one starts empty",
    "group": "Kafka cannot rename: the group starts without the offsets of its old name",
}


@dataclass(frozen=True, slots=True)
class Rename:
    kind: str
    old: str
    new: str

    @property
    def cause(self) -> Cause:
        return Cause("rename", f"{self.kind} {self.new}")


def with_renames(changes: list[Change], versions: Versions) -> list[Change]:
    """The changes with each rename as one, which causes the changes that only follow the new name."""
    topics, groups = versions.renamed
    renames = [Rename("topic", old.name, new.name) for old, new in topics]
    renames += [Rename("group", old.name, new.name) for old, new in groups]
    if not renames:
        return changes
    whole: dict[tuple[str, str, str], Change] = {
        (each.kind, each.name, each.action): each for each in changes if not each.path
    }
    done = [rename for rename in renames if _is_both(rename, whole)]
    dropped = {key for rename in done for key in _halves(rename)}
    kept = [each for each in changes if each.path or (each.kind, each.name, each.action) not in dropped]
    followers = _Followers(done, kept, versions)
    return [*(_renamed(rename, whole) for rename in done), *(followers.placed(each) for each in kept)]


def _halves(rename: Rename) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    return (rename.kind, rename.old, "remove"), (rename.kind, rename.new, "add")


def _is_both(rename: Rename, whole: Mapping[tuple[str, str, str], Change]) -> bool:
    return all(key in whole for key in _halves(rename))


def _renamed(rename: Rename, whole: Mapping[tuple[str, str, str], Change]) -> Change:
    gone, come = (whole[key] for key in _halves(rename))
    return Change(
        kind=rename.kind,
        name=rename.new,
        action="rename",
        before=rename.old,
        after=rename.new,
        team=come.team,
        risk=gone.risk,
        reason=_REASONS[rename.kind],
        effects=gone.effects,
        location=come.location,
        was_at=gone.was_at,
    )


class _Followers:
    """Finds the changes that only follow a new name."""

    def __init__(self, renames: Iterable[Rename], changes: Iterable[Change], versions: Versions) -> None:
        done = list(renames)
        self._by_name = {(rename.kind, name): rename for rename in done for name in (rename.old, rename.new)}
        self._new = {(rename.kind, rename.new): rename for rename in done}
        self._topics = {rename.old: rename for rename in done if rename.kind == "topic"}
        self._access = {_access_key(change, change.action) for change in changes if change.reached is not None}
        self._versions = versions

    def placed(self, change: Change) -> Change:
        if change.reached is not None:
            rename = self._mirrored(change)
        else:
            rename = self._new.get((change.kind, change.name)) or self._only_names(change)
        return replace(change, cause=rename.cause) if rename is not None else change

    def _mirrored(self, change: Change) -> Rename | None:
        """The rename by which a principal loses exactly what it gains under the other name."""
        assert change.reached is not None  # noqa: S101 - asked before
        rename = self._by_name.get((str(change.reached["resource"]), str(change.reached["name"])))
        if rename is None:
            return None
        was_old = change.reached["name"] == rename.old
        other = _access_key(change, "add" if was_old else "remove", rename.new if was_old else rename.old)
        return rename if other in self._access else None

    def _only_names(self, change: Change) -> Rename | None:
        """The first of the renames by which alone a list of topics differs."""
        attribute = _LISTS.get(change.path)
        if attribute is None or not self._topics:
            return None
        versions = self._versions
        old, new = (_declared(topology, change) for topology in (versions.old.topology, versions.new.topology))
        if old is None or new is None:
            return None
        was: tuple[str, ...] = getattr(old, attribute, ())
        renamed = [self._topics[name] for name in was if name in self._topics]
        followed = {self._topics[name].new if name in self._topics else name for name in was}
        return renamed[0] if renamed and followed == set(getattr(new, attribute, ())) else None


def _access_key(change: Change, action: str, name: str | None = None) -> tuple[object, ...]:
    """A principal's access to a resource that comes or goes."""
    assert change.reached is not None  # noqa: S101 - asked before
    return change.name, name or change.reached["name"], action, change.before or change.after


def _declared(topology: Topology, change: Change) -> object | None:
    section = {
        "topic": "topics",
        "producer": "producers",
        "group": "consumer_groups",
        "shareGroup": "share_groups",
        "streams": "streams",
    }.get(change.kind)
    held: Mapping[str, object] = getattr(topology, section) if section is not None else {}
    return held.get(change.name)

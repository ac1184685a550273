"""One cause, one row: changes that a single edit of the files makes, gathered under it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...topology.model.words import counted, named
from ...validators.facts.changes import about
from ..causes import Cause
from ..changes import Effect, Risk, worst
from .shared import SharedChange

_SHARED = ("profile", "environment", "default", "template")
_LAYERS = {
    "profile": "profile {}",
    "environment": "environment {}",
    "default": "cluster default {}",
    "kafka": "Kafka {}",
    "template": "template at {}",
}
_NOUNS = {"group": "consumer group", "shareGroup": "share group", "streams": "streams application"}
_MOST_EFFECTS = 3


@dataclass(frozen=True)  # without slots, which cached properties need
class Row:
    """`head` states the change. `members` are all changes of the cause, the worst first; often there is just one."""

    head: SharedChange
    members: tuple[SharedChange, ...]
    cause: Cause | None = None

    @property
    def is_shared(self) -> bool:
        """Whether several resources change because of one line elsewhere."""
        return len(self.members) > 1 and self.cause is not None and self.cause.kind in _LAYERS

    @property
    def followers(self) -> tuple[SharedChange, ...]:
        """What follows from the head; empty if the members are alike."""
        if self.is_shared:
            return ()
        kept = {each.change.same: each for each in reversed(self.members) if each.change.same != self.head.change.same}
        return tuple(reversed(kept.values()))

    @property
    def variants(self) -> tuple[SharedChange, ...]:
        """The head's change as each environment has it: the effects may differ."""
        return tuple(each for each in self.members if each.change.same == self.head.change.same)

    @cached_property
    def risk(self) -> Risk:
        return worst(each.change.risk for each in self.members)

    @property
    def title(self) -> str:
        if not self.is_shared or self.cause is None:
            return self.head.change.title
        return _LAYERS[self.cause.kind].format(self.cause.name)

    @property
    def teams(self) -> tuple[str, ...]:
        return tuple(sorted({each.change.team for each in self.members if each.change.team is not None}))

    @property
    def team(self) -> str | None:
        """The only team that it concerns; None if there are several or none."""
        if not self.is_shared:
            return self.head.change.team
        return self.teams[0] if len(self.teams) == 1 else None

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(sorted({rule for each in self.members for rule in each.change.rules}))

    @property
    def environments(self) -> tuple[str | None, ...]:
        return tuple(dict.fromkeys(name for each in self.members for name in each.environments))

    @property
    def names(self) -> tuple[str, ...]:
        """The resources that change alike."""
        return tuple(dict.fromkeys(each.change.name for each in self.members if each.change.kind != "cluster"))

    @property
    def reach(self) -> str:
        """`15 topics of 3 teams`; empty for a single resource."""
        if not self.is_shared:
            return ""
        kinds: dict[str, set[str]] = {}
        for each in self.members:
            if each.change.kind != "cluster":
                kinds.setdefault(each.change.kind, set()).add(each.change.name)
        counts = named([counted(len(names), _NOUNS.get(kind, kind)) for kind, names in kinds.items()])
        return f"{counts} of {counted(len(self.teams), 'team')}" if self.teams else counts

    @property
    def effects(self) -> tuple[str, ...]:
        """The effects of a single change, or those of all members added up."""
        if self.cause is not None and self.cause.kind == "choice":
            return tuple(dict.fromkeys(effect.text for each in self.members for effect in each.change.further_effects))
        if not self.is_shared:
            return tuple(_of_each(self.variants))
        return tuple(_added_up([effect for each in self.members for effect in each.change.further_effects]))


def rows_of(changes: Sequence[SharedChange]) -> tuple[Row, ...]:
    """Every change in exactly one row, the worst row first."""
    gathered: dict[Hashable, list[SharedChange]] = {}
    for shared in changes:
        gathered.setdefault(_key(shared), []).append(shared)
    rows = _with_defaults([_row(held) for held in gathered.values()])
    return tuple(sorted(rows, key=lambda row: (-row.risk.rank, not row.is_shared, row.title, row.head.change.path)))


def _key(shared: SharedChange) -> Hashable:
    change, cause = shared.change, shared.change.cause
    if cause is not None and cause.kind in _SHARED:
        return (cause, change.kind, change.path, change.before, change.after, change.is_without_effect)
    if cause is not None:
        return cause
    if change.action == "rename":
        return Cause("rename", change.title)
    if change.kind in ("producer", "group", "streams") and change.path:
        return Cause("role", f"{change.title} {change.path}")
    return change.same


def _row(held: list[SharedChange]) -> Row:
    cause = next((each.change.cause for each in held if each.change.cause is not None), None)
    ordered = sorted(held, key=lambda each: (each.change.cause is not None and cause is not None, -_rank(each)))
    if cause is not None and cause.kind in _LAYERS:
        ordered = sorted(held, key=lambda each: -_rank(each))
    return Row(ordered[0], tuple(ordered), cause)


def _rank(shared: SharedChange) -> int:
    return shared.change.risk.rank


def _with_defaults(rows: list[Row]) -> list[Row]:
    """A changed line of the cluster is a part of the worst row that it causes."""
    lines = {row.head.change.path: row for row in rows if row.head.change.kind == "cluster"}
    taken: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: -row.risk.rank):
        path = _line_of(row.cause)
        if path in lines:
            taken.setdefault(path, row)
    caused = {id(row): lines[path] for path, row in taken.items()}
    gone = {id(lines[path]) for path in taken}
    return [_joined(row, caused.get(id(row))) for row in rows if id(row) not in gone]


def _line_of(cause: Cause | None) -> str:
    """The field of the cluster that a cause is."""
    if cause is None or cause.kind not in ("default", "kafka"):
        return ""
    return "kafka" if cause.kind == "kafka" else f"defaults.{cause.name}"


def _joined(row: Row, line: Row | None) -> Row:
    if line is None:
        return row
    head = line.head if line.risk.rank > row.risk.rank else row.head
    return Row(head, (*row.members, *line.members), row.cause)


def _of_each(variants: Sequence[SharedChange]) -> Iterator[str]:
    """The effects of one change, with the environments where they differ."""
    held: dict[str, list[str | None]] = {}
    for each in variants:
        for effect in each.change.further_effects:
            held.setdefault(effect.text, []).extend(each.environments)
    every = {name for each in variants for name in each.environments}
    for text, names in held.items():
        yield text if set(names) == every else f"in {', '.join(name or 'the base' for name in names)}: {text}"


def _added_up(effects: Iterable[Effect]) -> Iterator[str]:
    totals: dict[str, list[Effect]] = {}
    single: dict[str, None] = {}
    for effect in dict.fromkeys(effects):
        if effect.total:
            totals.setdefault(effect.total, []).append(effect)
        else:
            single[effect.text] = None
    for total, held in totals.items():
        who = tuple(dict.fromkeys(name for effect in held for name in effect.who))
        size = sum(effect.size for effect in held if effect.size is not None)
        if len(held) == 1 and not who:
            yield held[0].text
        else:
            yield total.format(size=about(size), who=named(who, most=4), count=len(who))
    shown = list(single)
    yield from shown[:_MOST_EFFECTS]
    if len(shown) > _MOST_EFFECTS:
        yield f"and {counted(len(shown) - _MOST_EFFECTS, 'more effect')} on single resources"

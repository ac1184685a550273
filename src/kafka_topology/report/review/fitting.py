"""Fits a document of blocks into a size limit. Drops whole rows only, so no table, fence or fold stays open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

# GitHub accepts 65,536 characters. We count bytes, which is safe for hosts that do, too.
LIMIT = 65_536
_FOR_THE_NOTE = 1_000
# Every row has at least a hundred characters, so more rows never fit.
MOST_ROWS = 700


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together. Rows are dropped from the end, and the block with the last of them.

    A block without rows is kept or dropped as a whole. `priority` 0 is kept first. `share` is the largest part of what
    is left that its rows may fill, so that many similar rows leave room for what follows.
    """

    title: str
    head: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()
    priority: int = 5
    unseen: int = 0  # further rows that were not rendered, because they could not fit
    share: float = 1.0

    @property
    def size(self) -> int:
        return _size(self.head) + _size(self.rows) + _size(self.tail)


def fitted(blocks: Sequence[Block], limit: int = LIMIT) -> str:
    """All blocks in order, and at the end a note of what was cut."""
    if sum(block.size for block in blocks) <= limit and not any(block.unseen for block in blocks):
        return _joined(blocks)
    room = limit - _FOR_THE_NOTE
    kept: dict[int, Block] = {}
    cut: list[str] = []
    for place, block in sorted(enumerate(blocks), key=lambda each: each[1].priority):
        part = _part(block, int(room * block.share))
        if part is None:
            cut.append(block.title)
            continue
        total = len(block.rows) + block.unseen
        if len(part.rows) < total:
            cut.append(f"{total - len(part.rows):,} of {total:,} rows of {block.title}")
        kept[place] = part
        room -= part.size
    note = Block("", ("", f"**Cut to fit.** Not shown: {'; '.join(cut)}. `--format json` has everything."))
    return _joined([*(kept[place] for place in sorted(kept)), note])


def _part(block: Block, room: int) -> Block | None:
    """As much of a block as fits; None if no row does."""
    if block.size <= room:
        return block
    left = room - _size(block.head) - _size(block.tail)
    rows: list[str] = []
    for row in block.rows:
        left -= _size((row,))
        if left < 0:
            break
        rows.append(row)
    return replace(block, rows=tuple(rows)) if rows else None


def _size(lines: Sequence[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def _joined(blocks: Sequence[Block]) -> str:
    return "\n".join(line for block in blocks for line in (*block.head, *block.rows, *block.tail)).rstrip("\n") + "\n"

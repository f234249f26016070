"""Which ids came before: the last 1,000 and a few of each kind, as 8-byte hashes in blocks of 64 (E9). Pure.

A ring has 17 blocks, each a row of its own, so that only the block that changes is written and at least 1,024 ids are known whatever the
newest block holds.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from streams.activity.rows import IdBlock, Row

BLOCK_IDS = 64
SLOTS = 17
_WIDTH = 8
_KEPT_MAX = 100_000


def hashed(*parts: str) -> bytes:
    """Give the 8 bytes that stand for an id in a ring; parts are kept apart."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()[:_WIDTH]


class RecentIds(NamedTuple):
    """A ring as a value: its blocks by slot, as many as there are yet."""

    key: bytes
    """Beginning of the keys of its rows; the slot follows."""
    blocks: tuple[IdBlock, ...] = ()
    newest: int = -1
    """Slot of the newest block; -1: none."""
    applied: int = -1
    changed: frozenset[int] = frozenset()
    """Slots that differ from the rows that it was read from."""

    def seen(self, one: bytes) -> bool:
        """Say whether this hash is one of the last 1,000."""
        for block in self.blocks:
            at = block.ids.find(one)
            while at >= 0:
                if at % _WIDTH == 0:
                    return True
                at = block.ids.find(one, at + 1)
        return False

    def with_id(self, one: bytes, offset: int) -> "RecentIds":
        """Give the ring with one more hash, which the record at `offset` brought."""
        newest = self.blocks[self.newest] if self.blocks else None
        if newest is not None and len(newest.ids) < BLOCK_IDS * _WIDTH:
            slot, block = self.newest, IdBlock(offset, newest.number, newest.ids + one)
        else:
            number = 0 if newest is None else newest.number + 1
            slot, block = number % SLOTS, IdBlock(offset, number, one)
        blocks = (*self.blocks[:slot], block, *self.blocks[slot + 1 :])
        changed = self.changed if slot in self.changed else self.changed | {slot}
        return RecentIds(self.key, blocks, slot, offset, changed)

    def rows(self) -> Iterator[tuple[bytes, IdBlock]]:
        """Give the rows that have changed, with their keys, the older first: a kill in between must not lose ids below the newest."""
        for slot in sorted(self.changed, key=lambda slot: self.blocks[slot].number):
            yield slot_key(self.key, slot), self.blocks[slot]


class Rings:
    """The rings of one partition of a table, kept between batches. A cache of its rows: lose it, and they are read again."""

    def __init__(self, row_of: Callable[[bytes], Row | None]) -> None:
        self._row_of = row_of
        self._kept: dict[bytes, RecentIds] = {}

    def ring(self, key: bytes) -> RecentIds:
        """Give the ring whose rows begin with `key`, as they are in the table."""
        return self._kept.get(key) or read_ring(key, self._row_of)

    def written(self, rings: Iterable[RecentIds]) -> None:
        """Say that these rings are in the table now."""
        if len(self._kept) > _KEPT_MAX:
            self._kept.clear()
        for ring in rings:
            self._kept[ring.key] = ring._replace(changed=frozenset())


def slot_key(key: bytes, slot: int) -> bytes:
    return key + b"%d" % slot


def read_ring(key: bytes, row_of: Callable[[bytes], Row | None]) -> RecentIds:
    """Give the ring whose rows begin with `key`, as they are in a table."""
    blocks: list[IdBlock] = []
    for slot in range(SLOTS):
        block = row_of(slot_key(key, slot))
        if not isinstance(block, IdBlock):
            break
        blocks.append(block)
    if not blocks:
        return RecentIds(key)
    newest = max(range(len(blocks)), key=lambda slot: blocks[slot].number)
    return RecentIds(key, tuple(blocks), newest, max(block.applied for block in blocks))

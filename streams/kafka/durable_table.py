"""A Faust table whose rows are durable when `write` returns, kept by partition, with the offset that each has applied.

Every row belongs to one partition of one input topic and says up to which offset of it it has been applied. So that a kill, a
redelivery and a zombie change nothing:

1. Rows are written in the caller's order; a kill leaves a beginning of that order in the changelog, never a later row without an earlier.
2. `write` returns when the broker has acknowledged all of them.
3. A partition's changelog has one writer: its acknowledged offsets follow one another. A jump is a foreign write (a zombie's, or ours are),
   and ends the process, so that recovery mends it.
4. Recovery keeps of each key the row that has applied most, whatever was written last, and writes that again if a zombie's came after it.

Rows of partitions that have left are dropped; those of partitions that stay are not read again.
"""

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar, cast

import faust
from faust.stores import memory
from faust.types import TP

from streams.kafka.fatal import leave

_APPLIED = struct.Struct(">q")


class Row(Protocol):
    """What a table holds: a frozen value."""

    @property
    def applied(self) -> int:
        """The last offset of its input partition that it has applied; -1: none."""
        ...


RowT = TypeVar("RowT", bound=Row)


class _Rows(memory.Store[bytes, Any]):
    """Rows by partition and key; a row is bytes until it is asked for, so that a recovery costs no decoding."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.partitions: dict[int, dict[bytes, Any]] = {}
        self.lower_after_higher: set[tuple[int, bytes]] = set()
        self._last_offset: dict[TP, int] = {}

    def persisted_offset(self, tp: TP) -> int | None:
        return self._last_offset.get(tp)

    def set_persisted_offset(self, tp: TP, offset: int) -> None:
        self._last_offset[tp] = offset

    def apply_changelog_batch(self, batch: Iterable[Any], to_key: Callable[[Any], Any], to_value: Callable[[Any], Any]) -> None:
        topic = self._changelog()
        for event in batch:
            message = event.message
            if message.topic != topic or message.value is None or message.generation_id != self.app.consumer_generation_id:
                continue  # Faust hands over strays at a rebalance (F23); we write no tombstones
            rows = self.partitions.setdefault(message.partition, {})
            known = rows.get(message.key)
            where = (message.partition, message.key)
            if known is not None and _applied(known) > _APPLIED.unpack_from(message.value)[0]:
                self.lower_after_higher.add(where)
            else:
                rows[message.key] = message.value
                self.lower_after_higher.discard(where)

    async def on_rebalance(self, assigned: set[TP], revoked: set[TP], newly_assigned: set[TP], generation_id: int = 0) -> None:
        for tp in revoked | newly_assigned:
            if tp.topic == self._changelog():
                self._drop(tp.partition)

    async def on_recovery_completed(self, active_tps: set[TP], standby_tps: set[TP]) -> None:
        for partition in set(self.partitions) - {tp.partition for tp in active_tps}:
            self._drop(partition)

    def _changelog(self) -> str:
        return cast("DurableTable[Any]", self.table).changelog_topic_name

    def _drop(self, partition: int) -> None:
        self.partitions.pop(partition, None)
        self._last_offset.pop(TP(self._changelog(), partition), None)
        self.lower_after_higher = {where for where in self.lower_after_higher if where[0] != partition}


def _applied(row: Any) -> int:
    return int(_APPLIED.unpack_from(row)[0] if isinstance(row, bytes) else row.applied)


class DurableTable(faust.Table[bytes, Any], Generic[RowT]):
    """See the module. `encode` gives a row's bytes without `applied`; `decode` takes the key, `applied` and those bytes."""

    def __init__(self, app: Any, *, encode: Callable[[RowT], bytes], decode: Callable[[bytes, int, bytes], RowT], **options: Any) -> None:
        self._encode, self._decode = encode, decode
        self._next: dict[int, int] = {}  # partition: the offset that our next changelog record must get
        super().__init__(app, key_type=bytes, value_type=bytes, **options)

    @classmethod
    def add_to(
        cls, app: Any, name: str, encode: Callable[[RowT], bytes], decode: Callable[[bytes, int, bytes], RowT]
    ) -> "DurableTable[RowT]":
        """Give a new table of this app; its changelog is `<app id>-<name>-changelog`."""
        partitions = app.conf.topic_partitions
        table = cls(app, name=name, beacon=app.tables.beacon, partitions=partitions, encode=encode, decode=decode)
        app.tables.add(table)
        return table

    def _new_store(self) -> _Rows:
        return _Rows("memory://", self.app, self, table_name=self.name, loop=self.loop)

    @property
    def _rows(self) -> _Rows:
        return cast(_Rows, self.data)

    def row(self, partition: int, key: bytes) -> RowT | None:
        """Give the row of a key."""
        rows = self._rows.partitions.get(partition)
        if rows is None:
            return None
        row = rows.get(key)
        if isinstance(row, bytes):
            row = rows[key] = self._decode(key, _APPLIED.unpack_from(row)[0], row[8:])
        return row

    def keys_of(self, partition: int) -> Iterator[bytes]:
        """Give the keys of a partition, in no order."""
        yield from list(self._rows.partitions.get(partition, ()))

    async def write(self, partition: int, rows: Mapping[bytes, RowT]) -> None:
        """Write rows in their order; returns when all are durable. Ends the process after a foreign write."""
        held = self._rows.partitions.setdefault(partition, {})
        await self._send(partition, [(key, _APPLIED.pack(row.applied) + self._encode(row)) for key, row in rows.items()])
        if self._rows.partitions.get(partition) is not held:
            leave("a partition was taken away while its rows were written", table=self.name, partition=partition)
        held.update(rows)

    async def _send(self, partition: int, values: Iterable[tuple[bytes, bytes]]) -> None:
        topic, send = self.changelog_topic_name, self.app.producer.send
        acknowledgements = [await send(topic, key, value, partition, None, None) for key, value in values]
        for acknowledgement in acknowledgements:
            offset = (await acknowledgement).offset
            if offset != self._next.get(partition):
                leave(
                    "another process writes this table", changelog=topic, partition=partition, offset=offset, due=self._next.get(partition)
                )
            self._next[partition] = offset + 1
        if acknowledgements:
            self._rows.set_persisted_offset(TP(topic, partition), offset)

    async def on_changelog_event(self, event: Any) -> None:
        """Undo what a stray of an older assignment does to Faust's recovery, which would skip all offsets below it."""
        if event.message.generation_id != self.app.consumer_generation_id:
            leave("a changelog record of an older assignment", changelog=event.message.topic, partition=event.message.partition)

    async def on_recovery_completed(self, active_tps: set[TP], standby_tps: set[TP]) -> None:
        try:  # Faust drops an exception of this callback
            await super().on_recovery_completed(active_tps, standby_tps)
            for tp in active_tps:
                end = cast(Any, self.app.tables).recovery.active_highwaters[tp]
                self._next[tp.partition] = end + 1
                self._rows.set_persisted_offset(tp, end)
            for partition, key in sorted(self._rows.lower_after_higher):
                row = self._rows.partitions[partition][key]
                value = row if isinstance(row, bytes) else _APPLIED.pack(row.applied) + self._encode(row)
                await self._send(partition, [(key, value)])
            self._rows.lower_after_higher.clear()
        except Exception as error:
            leave("a table could not be recovered", error, changelog=self.changelog_topic_name)

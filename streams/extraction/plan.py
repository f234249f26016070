"""From the records of a request to its chunks, within the budget of a step (X1, X2, X3, X10). Pure and deterministic.

1. Each record gets its least form: a user's message up to a quarter of the step, other words less, a tool's result 300 tokens.
2. Chunks are filled in reading order. They end between runs where possible: a run that does not fit begins the next chunk, and only one
   that does not fit a whole chunk is split, between two records.
3. What is left of a chunk goes to its tool results, all to one level, up to 2,000 tokens each and half of the chunk together.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from schemas.events import MemoryMode
from schemas.extraction import ExtractionRequest, PlannedRecord, RoomIndex
from streams.extraction.budget import Budget, Limits, limits
from streams.extraction.cutting import cost, fit
from streams.extraction.framing import framing, run_framing
from streams.extraction.records import ReadRecord
from streams.extraction.shown import ShownRecord, shown_records, shown_room


@dataclass(frozen=True, slots=True)
class PlannedChunkDraft:
    """A chunk without an id."""

    room: str
    ordinal: int
    """Within the Room, from 0."""
    before: tuple[PlannedRecord, ...]
    records: tuple[PlannedRecord, ...]
    tokens: int
    """Estimated tokens of the whole step."""


def plan_chunks(
    request: ExtractionRequest,
    records: Sequence[ReadRecord],
    before: Mapping[str, Sequence[ReadRecord]],
    summaries: Mapping[str, str],
    budget: Budget,
) -> tuple[PlannedChunkDraft, ...]:
    """Give the chunks of all Rooms, by Room id; `before`: per Room the last records of earlier requests.

    `summaries` so far cost nothing more: their place is reserved whether there is one yet or not, since each chunk rewrites it.

    Every record of a Room that is shared is new in exactly one chunk. Raises NoRoomInStep.
    """
    by_room: dict[str, list[ReadRecord]] = {}
    for record in records:
        by_room.setdefault(_room_of(record), []).append(record)
    rooms = sorted((room for room in request.rooms if room.memory is MemoryMode.SHARED), key=lambda room: room.room)
    return tuple(
        chunk
        for room in rooms
        if room.room in by_room
        for chunk in _chunks(request, room, by_room[room.room], before.get(room.room, ()), budget)
    )


def _room_of(record: ReadRecord) -> str:
    return str(getattr(record.event.data, "room", ""))


def _chunks(
    request: ExtractionRequest, room: RoomIndex, new: Sequence[ReadRecord], earlier: Sequence[ReadRecord], budget: Budget
) -> Iterator[PlannedChunkDraft]:
    allowed = limits(budget, shown_room(room))
    shown = shown_records((*earlier, *new))
    # An earlier call's run has no end within this interval; its time places it among the earlier messages.
    tail = sorted((shown[record.place] for record in earlier), key=lambda record: (record.time, record.kind, record.offset))
    records = in_reading_order(request, [shown[record.place] for record in new])
    forms = list(_least_forms(records, allowed))
    starts = _starts(forms, tail, allowed)
    for ordinal, (start, end) in enumerate(zip(starts, [*starts[1:], len(forms)], strict=True)):
        seen = _before([*tail, *records[:start]], allowed)
        grown = _grown(forms[start:end], allowed, sum(form.tokens for form in seen))
        tokens = allowed.fixed + sum(form.tokens for form in (*seen, *grown)) + _runs_tokens(form.record for form in grown)
        yield PlannedChunkDraft(room.room, ordinal, tuple(form.planned for form in seen), tuple(form.planned for form in grown), tokens)


def in_reading_order(request: ExtractionRequest, records: Iterable[ShownRecord]) -> list[ShownRecord]:
    """Give messages by offset, a run's tool calls, by offset, directly before that run's end (X1).

    A late call's run has ended before the interval, so it stands before everything.
    """
    ends = {run.run: (run.end, order) for order, run in enumerate(request.runs)}

    def place(record: ShownRecord) -> tuple[int, int, int, int]:
        if record.kind == "message":
            return record.offset, 1, 0, 0
        end, order = ends.get(record.run or "", (-1, 0))
        return end, 0, order, record.offset

    return sorted(records, key=place)


@dataclass(frozen=True, slots=True)
class _Form:
    """A record as it is shown: how much is kept, and what that costs."""

    record: ShownRecord
    text_kept: int | None
    arguments_kept: int | None
    frame: int
    text_tokens: int
    arguments_tokens: int
    repeated: bool = False

    @property
    def tokens(self) -> int:
        return self.frame + self.text_tokens + self.arguments_tokens

    @property
    def is_result(self) -> bool:
        return self.record.kind == "tool_call"

    @property
    def result_tokens(self) -> int:
        return self.text_tokens if self.is_result else 0

    @property
    def planned(self) -> PlannedRecord:
        return PlannedRecord(
            kind=self.record.kind,
            offset=self.record.offset,
            text_kept=self.text_kept,
            arguments_kept=self.arguments_kept,
            late=self.record.late,
            edit=self.record.edit,
        )


@dataclass(frozen=True, slots=True)
class _Chunk:
    room: str
    ordinal: int
    before: tuple[_Form, ...]
    records: tuple[_Form, ...]
    tokens: int


# --- 1. forms -------------------------------------------------------------------------------------------------------------------


def _least_forms(records: Iterable[ShownRecord], limits: Limits) -> Iterator[_Form]:
    seen: set[tuple[str, str, str]] = set()
    for record in records:
        what = (record.tool, record.arguments, record.text)
        repeated = record.kind == "tool_call" and what in seen and len(record.text) > 64
        if record.kind == "tool_call":
            seen.add(what)
        yield _form(record, limits, text=_text_limit(record, limits), arguments=limits.arguments, repeated=repeated)


def _text_limit(record: ShownRecord, limits: Limits) -> int:
    if record.is_of_user:
        return limits.message_of_user
    if record.kind == "message" or record.error:
        return limits.message
    return limits.result_least


def _form(record: ShownRecord, limits: Limits, *, text: int, arguments: int, repeated: bool = False) -> _Form:
    """Give the record cut to these limits, and further if it would not fit a chunk of its own."""
    frame = framing(record)
    room = limits.one_record - frame - (run_framing(record.run) if record.run else 0)
    arguments_kept = fit(record.arguments, max(0, min(arguments, room // 2)))
    arguments_tokens = cost(record.arguments, arguments_kept)
    room -= arguments_tokens
    if record.kind == "tool_call":
        room = min(room, limits.one_record // 2)
    text_kept = 0 if repeated else fit(record.text, max(0, min(text, room)))
    return _Form(record, text_kept, arguments_kept, frame, cost(record.text, text_kept), arguments_tokens, repeated)


# --- 2. chunks ------------------------------------------------------------------------------------------------------------------


def _starts(forms: Sequence[_Form], earlier: Sequence[ShownRecord], limits: Limits) -> list[int]:
    """Give where each chunk begins."""
    starts = [0]
    chunk = _Filling(limits, _before_tokens(earlier, limits))
    for first, last in _blocks([form.record for form in forms]):
        block = forms[first:last]
        if not chunk.takes(block):
            if chunk.count:
                starts.append(first)
                chunk = _Filling(limits, _before_tokens([*earlier, *(form.record for form in forms[:first])], limits))
            if not chunk.takes(block):
                for at in range(first, last):
                    if chunk.count and not chunk.takes(forms[at : at + 1]):
                        starts.append(at)
                        chunk = _Filling(limits, _before_tokens([*earlier, *(form.record for form in forms[:at])], limits))
                    chunk.add(forms[at : at + 1])
                continue
        chunk.add(block)
    return starts


class _Filling:
    """What a chunk holds while it is filled."""

    def __init__(self, limits: Limits, before: int) -> None:
        self._room = limits.records - before
        self._results = self._room // 2
        self._runs: set[str] = set()
        self.count = 0

    def takes(self, forms: Sequence[_Form]) -> bool:
        """Whether these records fit as well."""
        tokens = sum(form.tokens for form in forms) + sum(run_framing(run) for run in self._new_runs(forms))
        return tokens <= self._room and sum(form.result_tokens for form in forms) <= self._results

    def add(self, forms: Sequence[_Form]) -> None:
        new_runs = self._new_runs(forms)
        self._room -= sum(form.tokens for form in forms) + sum(run_framing(run) for run in new_runs)
        self._results -= sum(form.result_tokens for form in forms)
        self._runs |= new_runs
        self.count += len(forms)

    def _new_runs(self, forms: Sequence[_Form]) -> set[str]:
        return {form.record.run for form in forms if form.record.run} - self._runs


def _blocks(records: Sequence[ShownRecord]) -> Iterator[tuple[int, int]]:
    """Give the parts, first and last exclusive, between which no run goes on; a user's message without a run goes with what follows."""
    last_of_run = {record.run: at for at, record in enumerate(records) if record.run}
    first, open_to = 0, -1
    for at, record in enumerate(records):
        if record.run:
            open_to = max(open_to, last_of_run[record.run])
        asks = record.run is None and record.is_of_user
        if at >= open_to and not asks:
            yield first, at + 1
            first = at + 1
    if first < len(records):
        yield first, len(records)


def _before(earlier: Sequence[ShownRecord], limits: Limits) -> tuple[_Form, ...]:
    """Give the last exchanges before a chunk, as many as fit their part."""
    forms: list[_Form] = []
    left = limits.before
    for record in reversed(earlier):
        form = _form(record, limits, text=limits.one_before, arguments=min(limits.arguments, limits.one_before))
        if form.tokens > left:
            break
        left -= form.tokens
        forms.append(form)
    return tuple(reversed(forms))


def _before_tokens(earlier: Sequence[ShownRecord], limits: Limits) -> int:
    return sum(form.tokens for form in _before(earlier, limits))


def _runs_tokens(records: Iterable[ShownRecord]) -> int:
    return sum(run_framing(run) for run in {record.run for record in records if record.run})


# --- 3. what is left goes to tool results ----------------------------------------------------------------------------------------


def _grown(forms: Sequence[_Form], limits: Limits, before: int) -> tuple[_Form, ...]:
    room = limits.records - before
    used = sum(form.tokens for form in forms) + _runs_tokens(form.record for form in forms)
    spare = min(room - used, room // 2 - sum(form.result_tokens for form in forms))
    growing = [form for form in forms if form.is_result and form.text_kept is not None and not form.repeated and not form.record.error]
    low, high = 0, limits.result_most  # at 0 nothing grows: a result may have been cut below the least where a chunk was too small for it
    if not growing or spare <= 0:
        return tuple(forms)
    sizes = {id(form): min(high, cost(form.record.text, fit(form.record.text, high))) for form in growing}
    while low < high:
        level = (low + high + 1) // 2
        if sum(max(0, min(sizes[id(form)], level) - form.text_tokens) for form in growing) <= spare:
            low = level
        else:
            high = level - 1
    return tuple(_at_level(form, low) if id(form) in sizes else form for form in forms)


def _at_level(form: _Form, level: int) -> _Form:
    kept = fit(form.record.text, max(level, form.text_tokens))
    return replace(form, text_kept=kept, text_tokens=cost(form.record.text, kept))

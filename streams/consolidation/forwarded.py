"""Life-cycle events and operators' commands that activity forwards, as far as they change a memory."""

from dataclasses import replace

from schemas.events import AgentDeleted, AgentUpdated, MemoryMode, RoomUpdated, WorkspaceAttached, WorkspaceDetached
from schemas.journal import Forwarded
from schemas.memory import AgentMemory, KnownRoom, KnownWorkspace


def forward(memory: AgentMemory, record: Forwarded) -> tuple[AgentMemory, bool]:
    """Give the memory after the event, and whether it changed what a step is decided on.

    Commands, `room.deleted`, `message.edited` and `message.deleted` are taken without effect.
    """
    match record.data:
        case AgentUpdated() as data:
            given = {name: getattr(data, name) for name in ("name", "model", "window") if getattr(data, name) is not None}
            return _with_state(memory, **given), True
        case AgentDeleted():
            # The next revision, which needs no licence, ends all lines; nothing that comes later is ever merged.
            return _with_state(memory, deleted=True, step=None, licence=None, forgets=memory.state.forgets + 1), True
        case RoomUpdated() as data:
            return _room(memory, data), True
        case WorkspaceAttached() as data:
            known = KnownWorkspace(agent=memory.state.agent, workspace=data.workspace, path=data.path, room=data.room)
            return replace(memory, workspaces={**memory.workspaces, known.workspace: known}), False
        case WorkspaceDetached() as data:
            attached = memory.workspaces.get(data.workspace)
            if attached is None:
                return memory, False
            detached = attached.model_copy(update={"attached": False})
            return replace(memory, workspaces={**memory.workspaces, detached.workspace: detached}), False
        case _:
            return memory, False


def _room(memory: AgentMemory, data: RoomUpdated) -> AgentMemory:
    known = memory.rooms.get(data.room) or KnownRoom(agent=memory.state.agent, room=data.room)
    given = {name: getattr(data, name) for name in ("title", "project", "zone", "memory") if getattr(data, name) is not None}
    room = known.model_copy(update=given)
    turned_off = room.memory is MemoryMode.OFF and known.memory is not MemoryMode.OFF
    memory = replace(memory, rooms={**memory.rooms, room.room: room})
    return _with_state(memory, forgets=memory.state.forgets + 1) if turned_off else memory


def _with_state(memory: AgentMemory, **changes: object) -> AgentMemory:
    return replace(memory, state=memory.state.model_copy(update=changes)) if changes else memory

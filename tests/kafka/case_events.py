"""Agents to each of whom one case of CASES happens, as events of a server; the whole pipeline is fed with all of them at once."""

from schemas.codec import Event
from schemas.events import Context, MessagePosted, RoomUpdated, WorkspaceAttached
from tests.activity_events import PERSON, Server

NOTE = "Always answer in French."
RULE = "Always run make lint before a commit."
CUTS = {"noted": 4, "twice": 1, "four": 0, "full": 1, "wren": 1, "finch": 1, "restarted": 1, "tasks": 0, "still": 1}
"""Each agent with the cuts that it comes to."""
RULES = {"wren": "Always sign a letter with the name of the shop.", "finch": "Never ship a parcel on a Sunday."}


def a_run(
    server: Server, agent: str, run: str, text: str, room: str = "desk", context: Context = Context.ROOM, note: str | None = None
) -> list[Event]:
    """Give a whole run with one message of a person and one tool call."""
    said = MessagePosted(agent=agent, boot=server.boot, room=room, context=context, author=PERSON, text=text, note=note, run=run)
    return [
        server.started(agent, run, room, context),
        server.event(said),
        server.called(agent, run, room, context),
        server.finished(agent, run, room, context=context),
    ]


def before_the_restart(server: Server) -> list[Event]:
    """Give all events up to the server's restart. The agent `restarted` has a Task's run open then, and three runs after its cut."""
    events: list[Event] = []
    for agent in sorted(CUTS.keys() - {"still"}):
        events.append(server.event(WorkspaceAttached(agent=agent, boot=server.boot, workspace=f"w-{agent}", path=f"{agent}/desk")))
        events.append(server.event(RoomUpdated(agent=agent, boot=server.boot, room="desk", title="Desk", people=2)))
    for n in range(20):
        events += a_run(server, "noted", f"noted-{n}", f"What time is it in Lima, question {n}?", note=NOTE)
    for n in range(5):
        events += a_run(server, "twice", f"twice-{n}", RULE if n in (1, 3) else "Good morning.", f"room-{n}")
    for n in range(5):
        events += a_run(server, "full", f"full-{n}", RULE)
        if n < 4:
            events += a_run(server, "four", f"four-{n}", RULE)
    pairs = [[a_run(server, agent, f"{agent}-{n}", rule, "both") for agent, rule in RULES.items()] for n in range(5)]
    events += [event for pair in pairs for events_side_by_side in zip(*pair, strict=True) for event in events_side_by_side]
    for n in range(50):
        for context in (Context.TASK, Context.DOCUMENT):
            events += a_run(server, "tasks", f"{context}-{n}", RULE, context=context)
    events.append(server.started("restarted", "open", "desk", Context.TASK))
    for n in range(8):
        events += a_run(server, "restarted", f"restarted-{n}", RULE if n < 5 else "Good morning.")
    return events


def five_runs_of_the_still_one(server: Server) -> list[Event]:
    """Give five runs of an agent that is alone in its partition, so that the time of the log can be told there."""
    attached = WorkspaceAttached(agent="still", boot=server.boot, workspace="w-still", path="still/desk")
    return [server.event(attached), *(event for n in range(5) for event in a_run(server, "still", f"still-{n}", RULE))]


def after_the_restart(server: Server) -> list[Event]:
    """Give four runs of a new boot: with the three before it they would be a cut, if the count had not begun anew."""
    return [event for n in range(4) for event in a_run(server, "restarted", f"again-{n}", "Good evening.")]

"""The agent's own reading of its memory: memory does not feed on itself (X5). Pure."""

import re

from schemas.events import ToolCalled

FOLDER = "agent-memory"
_OUR_TOOLS = ("linger-memory", "linger_memory")
_LONGEST_PATH = 1_000
_PATH = re.compile(rf"(?:^|[\s/\\\"'=:(])(?:\./)?{FOLDER}(?:$|[\s/\\\"';,)])")
_FOUND_LINE = re.compile(rf"^[^\n]*{FOLDER}/(?:summary\.md|MEMORY\.md|session_summaries/)[^\n]*\n?", re.MULTILINE)


def reads_own_memory(call: ToolCalled) -> bool:
    """Whether a call looks into `agent-memory/`, or is one of our own tools."""
    if any(name in call.tool.lower() for name in _OUR_TOOLS):
        return True
    waiting = [call.arguments]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
        elif isinstance(item, str) and len(item) <= _LONGEST_PATH and FOLDER in item and _PATH.search(item):
            return True
    return False


def without_own_memory(result: str) -> str:
    """Give a result without the lines that a search through the workspace found in `agent-memory/`."""
    return _FOUND_LINE.sub("", result) if FOLDER in result else result

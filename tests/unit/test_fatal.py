"""A process ends itself at once where going on would lose a record: by its own watchdog, also when its loop hangs."""

import subprocess
import sys
import time

import pytest

from streams.kafka.fatal import EXIT_FATAL

LEAVES = """
import atexit
from streams.kafka.fatal import leave
atexit.register(lambda: print("cleaned up"))
try:
    leave("a batch could not be finished", ValueError("text of a record"), offset=7)
finally:
    print("unwound")
"""
HANGS = """
import time
from streams.kafka.fatal import Watchdog
watchdog = Watchdog(check_every_seconds=0.05)
watchdog.watch("done", "a batch in time", 0.2)
watchdog.release("done")
watchdog.watch("late", "messages[0]@7", 0.3)
assert not watchdog.overdue("late")
time.sleep(60)
"""


@pytest.mark.parametrize("program", [LEAVES, HANGS])
def test_it_ends_with_70_and_no_clean_up_F02(program: str) -> None:
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == EXIT_FATAL, done.stderr
    assert "unwound" not in done.stdout
    assert "cleaned up" not in done.stdout
    assert time.monotonic() - began < 45

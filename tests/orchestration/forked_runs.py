"""Runs that are forked from one warm process, so that a test can kill hundreds of them: the test's side and the runs'."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]


class Runner:
    """A process that forks one run after another.

    Args:
        module: What it executes; it calls `serve`.
        arguments: What that is given.
    """

    def __init__(self, module: str, *arguments: str) -> None:
        command = [sys.executable, "-m", module, *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert self.heard() == "ready"

    def heard(self) -> str:
        """The next line that is meant for the test."""
        for line in self.process.stdout or ():
            if line.startswith("> "):
                return line[2:].strip()
        raise AssertionError("the runner ended")

    def say(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{text}\n")
        self.process.stdin.flush()

    def run(self, what: str, kill_after: float | None = None) -> tuple[int, float]:
        """One run's exit code and how long it took.

        Args:
            what: What is run, in a line.
            kill_after: When it is killed, in seconds.
        """
        self.say(what)
        child, started = int(self.heard()), time.monotonic()
        if kill_after is not None:
            time.sleep(kill_after)
            os.kill(child, signal.SIGKILL)
        self.say("wait for it")
        return int(self.heard()), time.monotonic() - started

    def close(self) -> None:
        with self.process:  # closes its pipes, and waits for it
            pass


def serve(run: Callable[[str], bool]) -> None:
    """Fork a run for each line that comes in, and say which process it is and how it ended.

    Args:
        run: Runs what a line says; whether that succeeded.
    """
    _say("ready")
    for line in iter(sys.stdin.readline, ""):
        child = os.fork()
        if child == 0:
            os._exit(0 if run(line.strip()) else 1)
        _say(str(child))
        sys.stdin.readline()  # until then, no other process can have the child's number
        _, status = os.waitpid(child, 0)
        _say(str(os.waitstatus_to_exitcode(status)))


def _say(text: str) -> None:
    sys.stdout.write(f"\n> {text}\n")
    sys.stdout.flush()

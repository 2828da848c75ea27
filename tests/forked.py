"""Processes to be killed, forked from one that has imported what they need: the import takes seconds, the fork none.

`python -m tests.forked MODULE` imports the module and waits. For each line of JSON, a list of arguments, it forks a
process that calls the module's `main` with them, and says its number; for an empty line it kills that process with
SIGKILL, and for `wait` it lets it end: both say how it ended. It does nothing else, so that no thread and no lock is in
the middle of something when it forks.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import json
import os
import select
import signal
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_SECONDS = 120.0


class Fork:
    """The process that forks, for as long as the tests run. One forked process at a time."""

    def __init__(self, module: str) -> None:
        command = [sys.executable, "-m", "tests.forked", module]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, cwd=ROOT
        )

    def start(self, *arguments: str) -> int:
        """Fork a process; its number. The first time, this waits for the import."""
        return self._asked(json.dumps(arguments))

    def kill(self) -> int:
        """Kill the process that runs; how it ended, as in `Popen.returncode`."""
        return self._asked("")

    def wait(self) -> int:
        """Let the process end by itself; how it ended, as in `Popen.returncode`."""
        return self._asked("wait")

    def close(self) -> None:
        """End, and kill what still runs."""
        with self._process as process:
            assert process.stdin is not None
            process.stdin.close()

    def _asked(self, line: str) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        answers, _, _ = select.select([self._process.stdout], [], [], PATIENCE_SECONDS)
        assert answers, "the process that forks does not answer"
        return int(self._process.stdout.readline())


@functools.cache
def fork_of(module: str) -> Fork:
    """The one process that forks processes of a module."""
    fork = Fork(module)
    atexit.register(fork.close)
    return fork


def _call(main: Callable[..., None], arguments: list[str]) -> None:
    """Be the forked process."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)  # the answers to the tests are written there
    try:
        main(*arguments)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def serve(main: Callable[..., None]) -> None:
    """Fork processes as the lines say, until there are no more lines."""
    running = 0
    try:
        for line in iter(sys.stdin.readline, ""):
            said = line.strip()
            if said in {"", "wait"}:
                if not said:
                    os.kill(running, signal.SIGKILL)
                _, status = os.waitpid(running, 0)
                running = 0
                print(os.waitstatus_to_exitcode(status), flush=True)
                continue
            with warnings.catch_warnings():
                # lancedb starts its threads anew in a fork, and warns of locks that were held: nothing runs here.
                warnings.simplefilter("ignore")
                running = os.fork()
            if not running:
                _call(main, json.loads(said))
            print(running, flush=True)
    finally:
        if running:
            os.kill(running, signal.SIGKILL)


if __name__ == "__main__":
    serve(importlib.import_module(sys.argv[1]).main)

"""A PostgreSQL server of the tests' own: made in a folder, reached by a Unix socket in it, gone at the end."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

UNPRIVILEGED = "postgres"
"""The server refuses to run as root; Debian's package makes this user."""


def server_programs() -> Path | None:
    """The folder of `initdb` and `pg_ctl`: on the path, or where Debian puts them; None where there is none."""
    if os.geteuid() == 0 and not _has_user(UNPRIVILEGED):
        return None
    named = shutil.which("initdb")
    if named is not None and shutil.which("pg_ctl", path=str(Path(named).parent)):
        return Path(named).resolve().parent
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


def _has_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


@contextmanager
def running_server() -> Iterator[str]:
    """A server with an empty database; its SQLAlchemy address."""
    programs = server_programs()
    assert programs is not None
    # A short path: a socket's may have 107 characters.
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    user = UNPRIVILEGED if os.geteuid() == 0 else None
    if user is not None:
        shutil.chown(folder, user, user)

    def call(*command: str) -> None:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
        assert done.returncode == 0, done.stdout.decode("utf-8", "replace")

    data = str(folder / "data")
    try:
        call(str(programs / "initdb"), "-D", data, "-U", "testigo", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        # No TCP: only who may open the folder may connect. What is lost with the machine is of no account here.
        options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
        # Its output goes to a file, or it would hold our pipe open for as long as it runs.
        call(str(programs / "pg_ctl"), "-D", data, "-w", "-t", "60", "-o", options, "-l", str(folder / "log"), "start")
        # Ends it when our end of a pipe closes: also when we are killed.
        ending = [
            "sh", "-c", 'cat >/dev/null; "$0" -D "$1" -w -m immediate stop >/dev/null 2>&1; rm -rf "$2"',
            str(programs / "pg_ctl"), data, str(folder),
        ]  # fmt: skip
        with subprocess.Popen(
            ending,
            cwd="/",
            stdin=subprocess.PIPE,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
            start_new_session=True,
        ):
            yield f"postgresql+psycopg://testigo@/postgres?host={quote(str(folder), safe='')}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)

"""Requests to a warm process that grades; one is started if there is none.

Promptfoo starts a new Python for every assertion, and this module is all that such a process has to load. It imports
only modules that an empty assertion would load too. On any failure it returns no answer, and the caller grades in its
own process.

One session serves one environment: interpreter, installed package, working directory and folder of graders (not other
folders that were given their names), configuration files, and all environment variables except the few that can't
change a verdict. A different API key, or a different value of a variable that only a user's own judge reads, makes a
different environment, which never uses this session.
"""

import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from markscheme.session import SETTINGS_FILES, is_private, sockets_folder

try:
    from _blake2 import blake2b  # as in hashlib, but without loading OpenSSL
except ImportError:
    from hashlib import blake2b

TYPE_CHECKING = False
"""Flag that type checkers take to be true; importing `typing` only for its flag would cost every assertion
milliseconds."""

if TYPE_CHECKING:
    from typing import Any

SILENCE = 5.0
"""Seconds without a heartbeat after which a session's process is checked; a session sends one every second."""
LONGEST_SILENCE = 30.0
"""Longest time in seconds without a heartbeat from a running process, which may be starting or loading a model."""
LOCK_PATIENCE = 10.0
"""Seconds to wait for another process that is starting or ending a session."""
ATTEMPTS = 3
"""Number of sessions that are tried: the existing one, one that was killed while it accepted the connection, and a
new one."""
WAITING = 512
"""Largest number of callers that may queue for a session, which accepts them once it has started or finished a
verdict."""

AFTER_VERDICTS = frozenset(
    (
        *("readers", "calibration", "pages", "report"),
        "commands",
    )
)
"""Names of folders above `promptfoo` in the layers, which no session loads, so that their edits change no verdict.
They have two thirds of the modules, and every assertion checks all the others for edits."""
STARTS = "markscheme.promptfoo.serving"
"""Name of the module whose `main` is the warm process."""

_IRRELEVANT = frozenset(
    {
        *("_", "PWD", "OLDPWD", "SHLVL", "TERM", "COLORTERM", "COLUMNS", "LINES", "LS_COLORS"),
        *("WINDOWID", "TMUX", "TMUX_PANE", "STY", "SSH_TTY", "GPG_TTY", "XDG_SESSION_ID"),
        *("INIT_CWD", "NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE", "PYTEST_CURRENT_TEST"),
    }
)
"""Names of environment variables that change with the shell, the window or the running test, and don't affect a
judge."""
_IRRELEVANT_PREFIXES = ("MARKSCHEME_SESSION", "TERM_", "PROMPTFOO_", "npm_")
"""Prefixes of environment variables about sessions and the terminal, and of those that Promptfoo and npm set for
their own processes."""


class _Refused(Exception):  # noqa: N818 - what the session did
    """Error for a request that the session refuses: the caller is in another environment, or the session is ending."""


def ask(request: "dict[str, Any]", *, folder: str, wish: object = None) -> "dict[str, Any] | None":
    """Send a request to this environment's session and return its answer; None if there is no session or no answer.

    Args:
        request: The request as plain data.
        folder: The graders' folder.
        wish: `auto`, `off` or the path of a socket; None for the value of MARKSCHEME_SESSION, whose value `off`
            overrides all other values.
    """
    session = _place_and_key(folder, wish)
    if session is None:
        return None
    path, key = session
    message = json.dumps({"key": key, "request": request}).encode("ascii")
    for _ in range(ATTEMPTS):
        mark = socket_mark(path)
        try:
            return _exchange(connected(path) or _started(path, folder), message, path)
        except TimeoutError:
            remove_marked(path, mark)  # the session stopped answering
        except (OSError, ValueError, _Refused):
            continue
    _remove_stale(path)
    return None


def start(*, folder: str, wish: object = None) -> str | None:
    """Return the path of a running session's socket, starting it if needed; None if sessions are off or can't start.

    Args:
        folder: The folder of the graders.
        wish: `auto`, `off` or the path of a socket; None for the value of MARKSCHEME_SESSION.
    """
    session = running(folder=folder, wish=wish)
    return None if session is None else session[0]


def running(*, folder: str, wish: object = None) -> tuple[str, str] | None:
    """Return the path of a session's socket, starting it if needed, and its environment's digest; None if none can run.

    Args:
        folder: The folder of the graders.
        wish: `auto`, `off` or the path of a socket; None for the value of MARKSCHEME_SESSION.
    """
    place_and_key = _place_and_key(folder, wish)
    if place_and_key is None:
        return None
    path = place_and_key[0]
    try:
        (connected(path) or _started(path, folder)).close()
    except OSError:
        return None
    return place_and_key


def stop(path: str) -> bool:
    """End the session at `path` once it has answered its open requests; return True if there was one.

    A socket that a killed session left behind is removed.
    """
    try:
        connection = connected(path)
        if connection is None:
            return False
        with connection:
            connection.sendall(b'{"control": "stop"}')
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4096):  # until the process has ended
                pass
        return True
    except OSError:
        return False
    finally:
        _remove_stale(path)


def status(path: str) -> "dict[str, Any] | None":
    """Return the status of the session at `path`; None if no session answers."""
    try:
        connection = connected(path)
        return None if connection is None else _exchange(connection, b'{"control": "status"}', path)
    except (OSError, ValueError, _Refused):
        return None


# --- where ----------------------------------------------------------------------------------------------------------


def socket_path(folder: str) -> str | None:
    """Return the path of this environment's session socket; None if sessions are off or impossible.

    Args:
        folder: The folder of the graders.
    """
    session = _place_and_key(folder, None)
    return None if session is None else session[0]


def _place_and_key(folder: str, wish: object) -> tuple[str, str] | None:
    """Compute this environment's socket path and the key that identifies it; None if sessions are off or impossible.

    Args:
        folder: The graders' folder.
        wish: The value of `config.session`: a socket's path, "auto" or None for the usual one, "off" or False for none.
    """
    forced = os.environ.get("MARKSCHEME_SESSION") or None
    wish = forced if forced == "off" or wish in (None, "auto") else wish
    if wish is False or wish == "off" or not hasattr(socket, "AF_UNIX"):
        return None
    try:
        if wish is None or wish == "auto":
            home = sockets_folder()
            os.makedirs(home, mode=0o700, exist_ok=True)
            key = environment_key(folder)
            return (f"{home}/{key}.sock", key) if is_private(home) else None
        if not isinstance(wish, str) or b"\0" in os.fsencode(wish):  # raises ValueError for a lone surrogate
            return None
        named = os.path.abspath(wish)
        return (named, environment_key(folder)) if is_private(os.path.dirname(named)) else None
    except (OSError, ValueError):
        return None


def environment_key(folder: str) -> str:
    """Compute a digest that differs between environments that must not share a session; it reveals no API keys.

    Args:
        folder: The folder of the graders' files, which is a part of the environment, as the working directory is.
    """
    interpreter = [sys.prefix, os.path.realpath(sys.executable), sys.version]  # one binary has many names: python3 ...
    variables = sorted((name, value) for name, value in os.environ.items() if matters(name))
    facts = [interpreter, _package_stamp(), folder_marks(folder), variables, settings_texts()]
    return blake2b(json.dumps(facts).encode("ascii"), digest_size=12).hexdigest()


def folder_marks(folder: str) -> "list[tuple[str, int, int]]":
    """Return path, device and inode of the working directory and of the graders' folder, to notice if one is replaced.

    Raises:
        OSError: The working directory or the folder is gone.
    """
    folders = (os.getcwd(), os.path.abspath(folder))
    return [(path, about.st_dev, about.st_ino) for path in folders for about in (os.stat(path),)]


def settings_texts() -> list[tuple[str, str]]:
    """List the path and the text of each settings file in the working directory and the folders above it."""
    files = []
    folder = os.getcwd()
    above = ""
    while folder != above:
        for name in SETTINGS_FILES:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    files.append((path, file.read().decode("latin-1")))
        if os.path.exists(os.path.join(folder, ".git")):
            break
        above = folder
        folder = os.path.dirname(folder)
    return [(path, text) for path, text in files if "markscheme" in os.path.basename(path) + text]


def matters(name: str) -> bool:
    """Return True if an environment variable may affect grades, so that a session serves one value of it only."""
    return name not in _IRRELEVANT and not name.startswith(_IRRELEVANT_PREFIXES)


def _package_stamp() -> list[tuple[str, int, int]]:
    """List path, size and time of each module on which a verdict may depend, to notice new versions and edits."""
    stamps = []
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = [package]
    while folders:
        folder = folders.pop()
        passed_over = AFTER_VERDICTS if folder == package else ()
        for file in os.scandir(folder):
            if file.name.endswith(".py"):
                about = file.stat()
                stamps.append((file.path, about.st_size, max(about.st_mtime_ns, about.st_ctime_ns)))
            elif file.name != "__pycache__" and file.name not in passed_over and file.is_dir():
                folders.append(file.path)
    return sorted(stamps)


# --- talking --------------------------------------------------------------------------------------------------------


def connected(path: str) -> socket.socket | None:
    """Connect to the session at `path`; None if no process listens there.

    Raises:
        OSError: The socket belongs to another user, or no connection can be made.
    """
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(SILENCE)
        connection.connect(path)
        if not is_own(connection):
            raise PermissionError(f"another user listens at {path}")
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        return None
    except BaseException:
        connection.close()
        raise
    return connection


def _remove_socket(path: str) -> None:
    """Remove the file at a path if it is a socket; a user may name any path, but no other file may be removed."""
    if os.path.lexists(path) and (os.lstat(path).st_mode & 0o170000) == 0o140000:
        os.unlink(path)


def is_own(connection: socket.socket) -> bool:
    """Return True if the process at the other end of a connection is this user's, or if the system can't say."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    of_peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)  # pid, uid, gid
    return int.from_bytes(of_peer[4:8], sys.byteorder) == os.getuid()


def _exchange(connection: socket.socket, message: bytes, path: str) -> "dict[str, Any]":
    """Send a message to a session and return its answer.

    Blanks before the answer are heartbeats, which show that the session is still working on the answer.

    Args:
        connection: The connection to the session; it is closed.
        message: The message.
        path: Path of the session's socket, for errors.

    Raises:
        TimeoutError: No heartbeat or answer arrives in time.
    """
    with connection:
        connection.sendall(message)
        connection.shutdown(socket.SHUT_WR)
        parts = []
        while received := _received(connection, path):
            parts.append(received)
    response = json.loads(b"".join(parts))
    if not isinstance(response, dict) or not isinstance(response.get("answer"), dict):
        raise _Refused(response)
    answer: dict[str, Any] = response["answer"]
    return answer


def _received(connection: socket.socket, path: str) -> bytes:
    """Return the next bytes of an answer; the wait is longer if the session's process runs than if it is halted."""
    silent = 0.0
    while True:
        try:
            return connection.recv(1 << 16)
        except TimeoutError:
            silent += SILENCE
            if silent >= LONGEST_SILENCE or not _is_running(path):
                raise


def _is_running(path: str) -> bool:
    """Return True if the process serving the socket `path` is neither stopped nor dead, or if the system can't say."""
    if not os.path.isdir("/proc/self"):
        return True
    for process in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as command:
                serves = os.fsencode(path) in command.read().split(b"\0")
        except OSError:
            continue
        if serves:
            return not is_halted(int(process))
    return False


def is_halted(pid: int) -> bool:
    """Return True if a process was stopped or has ended, as far as the system can say."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as about:
            return about.read().rpartition(b") ")[2][:1] in b"TtZX"
    except FileNotFoundError:
        return os.path.isdir("/proc/self")
    except OSError:
        return False


def socket_mark(path: str) -> "tuple[int, int, int] | None":
    """Return a mark that tells a socket's file from a later one at the same path; None without a file."""
    try:
        about = os.lstat(path)
    except OSError:
        return None
    return about.st_dev, about.st_ino, about.st_ctime_ns


def remove_marked(path: str, mark: "tuple[int, int, int] | None") -> None:
    """Remove a socket's file unless a later socket has taken its place.

    Args:
        path: Path of the file.
        mark: What `socket_mark` returned for the socket to remove; None to remove nothing.
    """
    try:
        with folder_lock(os.path.dirname(path)):
            if mark is not None and socket_mark(path) == mark:
                _remove_socket(path)
    except OSError:
        return


# --- starting -------------------------------------------------------------------------------------------------------


def _started(path: str, folder: str) -> socket.socket:
    """Start a session and connect to it; if another process has started one already, connect to that one.

    Args:
        path: Path of the session's socket.
        folder: The graders' folder.
    """
    with folder_lock(os.path.dirname(path)):
        connection = connected(path)
        if connection is not None:
            return connection
        _remove_socket(path)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with listener:
            listener.bind(path)
            try:
                listener.listen(WAITING)
                _spawn(listener, path, folder)
            except BaseException:
                os.unlink(path)
                raise
        connection = connected(path)  # waits in the queue until the process is up
    if connection is None:
        raise ConnectionRefusedError(f"the session at {path} ended as it began")
    return connection


def _spawn(listener: socket.socket, path: str, folder: str) -> None:
    """Start the warm process on a socket that listens already, so that no caller has to wait for it."""
    import subprocess

    code = f"import sys, json; sys.path[:] = json.loads(sys.argv[1]); from {STARTS} import main; main(sys.argv[2:])"
    arguments = [str(listener.fileno()), path, os.path.abspath(folder)]
    subprocess.Popen(
        [sys.executable, "-P", "-c", code, json.dumps(sys.path), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[listener.fileno()],
        start_new_session=True,
    ).returncode = 0  # it outlives this process, which therefore must not wait for it


def _remove_stale(path: str) -> None:
    """Remove a socket's file if no process listens on the socket; keep it if that isn't certain."""
    try:
        with folder_lock(os.path.dirname(path)):
            connection = connected(path)
            if connection is not None:
                connection.close()
            else:
                _remove_socket(path)
    except OSError:
        return


@contextmanager
def folder_lock(folder: str) -> Iterator[None]:
    """Lock a folder of sockets, so that no other process starts or ends a session in it until the block ends.

    Raises:
        OSError: Another process holds the lock too long.
    """
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        until = time.monotonic() + LOCK_PATIENCE
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.005)
        yield
    finally:
        os.close(handle)

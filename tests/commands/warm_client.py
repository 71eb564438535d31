"""Asks the warm process for a command: from a test, or as the command's script. Standard library only."""

import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence

COMMANDS = ("calibrate", "markscheme")
MESSAGE_BYTES = 1 << 17


class Asked:
    """A command that the warm process runs on the given standard streams.

    Attributes:
        pid: Its process id.
    """

    def __init__(
        self, place: str, command: Sequence[str], *, cwd: str, env: Mapping[str, str], streams: Sequence[int]
    ) -> None:
        parts = [cwd, str(len(command)), *command, *(f"{name}={value}" for name, value in env.items())]
        self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._connection.connect(place)
        socket.send_fds(self._connection, [os.fsencode("\0".join(parts))], list(streams))
        self.pid = int(self._connection.recv(32))

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the command ends, and return its exit status, negative for a signal.

        Raises:
            TimeoutError: It is still at work after `timeout` seconds, and is now killed.
        """
        with self._connection:
            self._connection.settimeout(timeout)
            return int(self._connection.recv(32))


def main(place: str, name: str) -> None:
    """Run the command `name` in the warm process with all of this process's input, and end as it ends."""
    passed_on = (signal.SIGINT, signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_BLOCK, passed_on)
    request = Asked(place, [name, *sys.argv[1:]], cwd=os.getcwd(), env=os.environ, streams=(0, 1, 2))
    for number in passed_on:
        signal.signal(number, lambda number, _: os.kill(request.pid, number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, passed_on)
    status = request.wait()
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)

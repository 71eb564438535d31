"""Options of commands that serve pages for people to work on, and the preparations for serving them."""

import getpass
import sys
from typing import TYPE_CHECKING

from markscheme.errors import UsageError
from markscheme.pages.options import PageOptions
from markscheme.pages.share import Share

if TYPE_CHECKING:
    import socket


def share_of(named: str | None, times: int, overlap: int | None) -> "Share | None":
    """Read from options how annotators share a pool of outputs; None if everyone labels all of it.

    Args:
        named: Names of the annotators, separated by commas; None if the pool isn't shared.
        times: Number of annotators per output.
        overlap: Number of outputs that get `times` annotators, while each remaining output gets one; None if all get
            `times` annotators.

    Raises:
        UsageError: There is an overlap and no names, or the names are too few or repeated.
    """

    if named is None:
        if overlap is not None:
            raise UsageError("--overlap needs --share: who shares the pool?")
        return None
    try:
        return Share(tuple(name.strip() for name in named.split(",") if name.strip()), times, overlap)
    except ValueError as error:
        raise UsageError(f"--share {named}: {error}") from error


def login_name() -> str:
    """Return the login name of the user at the terminal.

    Raises:
        UsageError: The login name isn't known.
    """
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError) as error:
        raise UsageError("who labels? name them with --rater") from error


def listen(page: PageOptions) -> "tuple[socket.socket, int]":
    """Open the socket on which pages are served, on another port if the wanted one is in use; return socket and port.

    Raises:
        UsageError: The page couldn't be reached with these options, or no port is free.
    """
    from markscheme.pages.serving import free_socket

    page.refuse_unreachable()
    listening = free_socket(page.host, page.port)
    port: int = listening.getsockname()[1]
    if port != page.port:
        print(f"port {page.port} is in use; using {port} instead", file=sys.stderr)
    if page.is_unprotected:
        print("warning: pages cross the network unencrypted; put HTTPS in front of them", file=sys.stderr)
    return listening, port

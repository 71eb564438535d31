"""Options of pages that people work on, and what commands do with them before pages are served."""

import getpass
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated
from urllib.parse import SplitResult, urlsplit

from cyclopts import Parameter

from markscheme.commands.options import COUNT, PORT
from markscheme.errors import UsageError
from markscheme.pages.order import Share

if TYPE_CHECKING:
    import socket


LOOPBACK = "127.0.0.1"

RaterName = Annotated[str | None, Parameter(metavar="NAME", help="who labels (default: your login name)")]
Seed = Annotated[int, COUNT, Parameter(metavar="K", help="random seed (1)")]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """Where pages are served, and what browsers call them.

    Attributes:
        host: address to listen on (127.0.0.1)
        port: port, or the next free one (8765)
        public_url: what raters' browsers call a tunnel or forwarded port
    """

    host: Annotated[str, Parameter(metavar="ADDRESS")] = LOOPBACK
    port: Annotated[int, Parameter(metavar="N", validator=PORT)] = 8765
    public_url: Annotated[str | None, Parameter(metavar="URL")] = None

    def refuse_unreachable(self) -> None:
        """Refuse a URL that is none, and pages for other machines without one.

        Raises:
            UsageError: It is one of these.
        """
        public = self.public
        if public is not None and (public.scheme not in ("http", "https") or not public.netloc or public.query):
            raise UsageError(f"`--public-url` must be like https://label.example.org/, got {self.public_url!r}")
        if public is None and self.host in ("0.0.0.0", "::"):  # noqa: S104 - refused without a name
            raise UsageError(f"`--host {self.host}` needs `--public-url`: the name by which browsers reach the page")

    @property
    def public(self) -> SplitResult | None:
        """The public URL, in its parts."""
        return urlsplit(self.public_url) if self.public_url else None

    def hosts(self, port: int) -> set[str]:
        """What browsers may call the server that listens on a port."""
        local = {f"{name}:{port}" for name in (LOOPBACK, "localhost", self.host)}
        return local | {self.public.netloc.lower()} if self.public else local

    def url(self, port: int, token: str) -> str:
        """The address of the page behind a token."""
        if self.public_url:
            return f"{self.public_url.rstrip('/')}/{token}/"
        return f"http://{self.host}:{port}/{token}/"

    @property
    def is_unprotected(self) -> bool:
        """Whether labels and tokens may cross a network unencrypted."""
        name, scheme = (self.public.hostname, self.public.scheme) if self.public else (self.host, "http")
        return scheme != "https" and name not in (LOOPBACK, "localhost")


def share_of(named: str | None, times: int, overlap: int | None) -> "Share | None":
    """How the pool is shared; None where everyone labels all of it."""

    if named is None:
        if overlap is not None:
            raise UsageError("--overlap needs --share: who shares the pool?")
        return None
    try:
        return Share(tuple(name.strip() for name in named.split(",") if name.strip()), times, overlap)
    except ValueError as error:
        raise UsageError(f"--share {named}: {error}") from error


def login_name() -> str:
    """The name of who is at the terminal.

    Raises:
        UsageError: It isn't known.
    """
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError) as error:
        raise UsageError("who labels? name them with --rater") from error


def listen(page: PageOptions) -> "tuple[socket.socket, int]":
    """Where pages are served, and the port, which may be another than the one asked for.

    Raises:
        UsageError: The page can't be reached under the options, or no port is free.
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

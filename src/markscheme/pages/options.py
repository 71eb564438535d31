"""Options of the pages that people label on."""

from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from markscheme.errors import UsageError
from markscheme.numerals import finite
from markscheme.options.forms import SWITCH, WHOLE, ValueForm, text_form
from markscheme.options.table import WHOLE_IN_FILES, setting

LOOPBACK: Final = "127.0.0.1"
LAST_PORT: Final = 65_535
"""The highest number of a TCP port."""


def _port(written: Any) -> int:
    value = finite(written)
    if value is None or value != int(value) or not 1 <= value <= LAST_PORT:
        raise ValueError
    return int(value)


PORT: Final = ValueForm(f"a port from 1 to {LAST_PORT}", _port, int)


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """Options of served pages: address and port, public URL, random seed, and whether times are recorded."""

    host: str = setting(LOOPBACK, f"address to listen on ({LOOPBACK})", text_form("an address"), value="ADDRESS")
    port: int = setting(8765, "port, or the next free one (8765)", PORT, value="N", written=WHOLE_IN_FILES)
    public_url: str | None = setting(
        None, "what raters' browsers call a tunnel or forwarded port", text_form("a URL"), value="URL"
    )
    untimed: bool = setting(False, "don't note how long each response takes", SWITCH)
    seed: int | None = setting(None, "random seed (1; of demo a new one)", WHOLE, value="K", written=WHOLE_IN_FILES)

    def refuse_unreachable(self) -> None:
        """Refuse an invalid public URL, and a server for all network addresses without a public URL.

        Raises:
            UsageError: The public URL is invalid, or is missing for such a server.
        """
        public = self.public
        if public is not None and (public.scheme not in ("http", "https") or not public.netloc or public.query):
            sentence = f"`public_url` must be like https://label.example.org/, got {self.public_url!r}"
            raise UsageError(sentence).of_setting("public_url", str(self.public_url))
        if public is None and self.host in ("0.0.0.0", "::"):  # noqa: S104 - refused without a name
            raise UsageError(f"`host={self.host}` needs `-o public_url=URL`: the name by which browsers reach the page")

    @property
    def public(self) -> SplitResult | None:
        """The public URL, split into scheme, host and path; None if none is set."""
        return urlsplit(self.public_url) if self.public_url else None

    def hosts(self, port: int) -> set[str]:
        """Return the host names, with ports, under which browsers may reach the server."""
        local = {f"{name}:{port}" for name in (LOOPBACK, "localhost", self.host)}
        return local | {self.public.netloc.lower()} if self.public else local

    def url(self, port: int, token: str) -> str:
        """Return the URL of a rater's page, which is found by the rater's token."""
        if self.public_url:
            return f"{self.public_url.rstrip('/')}/{token}/"
        return f"http://{self.host}:{port}/{token}/"

    @property
    def is_unprotected(self) -> bool:
        """True if labels and tokens may cross a network unencrypted."""
        name, scheme = (self.public.hostname, self.public.scheme) if self.public else (self.host, "http")
        return scheme != "https" and name not in (LOOPBACK, "localhost")

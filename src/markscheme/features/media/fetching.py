"""Fetch an image or a PDF from an address, if the settings allow its host."""

from http.client import HTTPMessage
from typing import IO, Final
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from markscheme.errors import UsageError
from markscheme.features.media.options import media_options

_SECONDS: Final = 20.0
"""Seconds after which a download is given up; a judgement, since a slow download would hold up a whole run."""


class _StayingThere(HTTPRedirectHandler):
    """Handler of HTTP redirections that follows them only to hosts that the settings allow."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        """Follow a redirection; raise an error if it leads to a host that isn't allowed."""
        refuse_foreign(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def refuse_foreign(address: str) -> None:
    """Raise an error for an address, if the settings don't allow fetching from its host.

    Raises:
        UsageError: The host isn't allowed.
    """
    parts = urlsplit(address)
    host = (parts.hostname or "").casefold()
    if parts.scheme.casefold() not in ("http", "https") or host not in media_options().hosts:
        raise UsageError(
            f"{host} is another computer, and nothing is fetched from it: save the file next to this one, or allow the "
            f'host by `media_hosts = "{host}"` in markscheme.toml'
        )


def fetched(address: str, kind: str) -> bytes:
    """Download the content at an address of an allowed host.

    If the content is larger than the limit for its kind, one byte more than the limit is returned.

    Args:
        address: The address.
        kind: Kind of the content, such as an image or a PDF, which has a limit of its own.

    Raises:
        UsageError: The host isn't allowed, or doesn't answer.
    """
    refuse_foreign(address)
    try:
        with build_opener(_StayingThere).open(Request(address), timeout=_SECONDS) as answer:  # noqa: S310 - http(s) alone
            content: bytes = answer.read(media_options().most_bytes(kind) + 1)
    except (URLError, OSError, ValueError) as error:
        raise UsageError(f"{urlsplit(address).hostname} doesn't give the {kind}: {error}") from error
    return content

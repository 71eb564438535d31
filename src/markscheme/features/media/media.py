"""Images and PDF documents as parts of a submission."""

import base64
import hashlib
import os
from collections.abc import Mapping
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, ClassVar, Final

from markscheme.errors import RatingError, UsageError, no_file
from markscheme.features.media.formats import (
    IMAGE_KIND,
    MEDIA_FORMATS,
    PDF_KIND,
    DamagedContentError,
    SniffedContent,
    described,
    sniffed,
)
from markscheme.features.media.options import MediaOptions, media_options
from markscheme.plain_data import refuse_device

DIGEST_DIGITS: Final = 32
"""Number of hexadecimal digits of a content's SHA-256 that are stored: nobody finds two contents with equal 128
bits."""
_MILLION: Final = 10**6
"""Number of bytes in a megabyte, and of pixels in a megapixel."""
_PIXELS_PER_TOKEN: Final = 750
"""Pixels per token by Anthropic's documentation; other providers count fewer tokens."""
_MOST_TOKENS: Final = 1600
"""Largest number of tokens of an image, by Anthropic's documentation: the provider scales larger images down."""
_BYTES_PER_PAGE: Final = 60_000
"""Assumed number of bytes of a PDF's page; a judgement, since pages of text have fewer and scanned ones have more."""
_TOKENS_PER_PAGE: Final = 2500
"""Number of tokens of a PDF's page, which is read as text and as an image, by Anthropic's documentation."""


class Media:
    """An image or a document: its content, checked when it is made.

    Args:
        source: A file's path, or the content.
        alt: Description of what it shows, for people who can't see it; judges don't get it.

    Raises:
        UsageError: The file can't be read, or its content has a format that judges don't accept, is too large, or isn't
            what the file's ending says.
    """

    kind: ClassVar[str]

    def __init__(self, source: str | os.PathLike[str] | bytes, alt: str | None = None) -> None:
        self.alt = alt
        self.path: Path | None = None
        self._limits = options = media_options()
        if isinstance(source, bytes | bytearray):
            self._kept: bytes | None = bytes(source)
            name = f"the {self.kind}"
        else:
            self.path, self._kept = Path(source).absolute(), None
            name = os.fspath(source)
        content = self._kept if self._kept is not None else _content_of(Path(name), self.kind, options)
        self._sniffed = checked(content, name, self.kind, self.path, options)
        self.size = len(content)
        self.digest = hashlib.sha256(content).hexdigest()[:DIGEST_DIGITS]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def __eq__(self, media: object) -> bool:
        return isinstance(media, Media) and (self.kind, self.digest) == (media.kind, media.digest)

    def __hash__(self) -> int:
        return hash((self.kind, self.digest))

    @property
    def name(self) -> str:
        """Name of the file that holds the image or document; without a file, the placeholder for it in texts."""
        return self.mark if self.path is None else self.path.name

    @property
    def mark(self) -> str:
        """Placeholder that a response or input has in its text for the image or document."""
        return f"[{self.kind} {self.digest}]"

    @property
    def mime(self) -> str:
        """Media type (MIME type) of the content, by its bytes."""
        return self._sniffed.format.mime

    @property
    def width(self) -> int | None:
        """Width of an image in pixels; None for a document."""
        return self._sniffed.width

    @property
    def height(self) -> int | None:
        """Height of an image in pixels; None for a document."""
        return self._sniffed.height

    @property
    def content(self) -> bytes:
        """Bytes of the content; those of a file are read each time, to save memory.

        Raises:
            UsageError: The file has changed.
        """
        if self._kept is not None:
            return self._kept
        content = _content_of(Path(str(self.path)), self.kind, self._limits)
        if hashlib.sha256(content).hexdigest()[:DIGEST_DIGITS] != self.digest:
            raise UsageError(f"{self.path} has changed since this run began; run it again")
        return content

    @property
    def base64(self) -> str:
        """The content encoded in base64."""
        return base64.b64encode(self.content).decode()

    @property
    def data_url(self) -> str:
        """The content as a data URL."""
        return f"data:{self.mime};base64,{self.base64}"

    @property
    def tokens(self) -> int:
        """Approximate number of tokens that a model counts for the content."""
        raise NotImplementedError

    def in_message(self, api: str) -> Mapping[str, Any]:
        """Return the content as a block of a message, in the form of an API: "messages", "chat" or "assets"."""
        raise NotImplementedError

    def html(self, address: str | None = None) -> str:
        """Return HTML that shows the content without running scripts or loading anything.

        Args:
            address: Beginning of the address at which a server has the document, to which the document's digest is
                added; None to put the document into the HTML.
        """
        raise NotImplementedError

    def _source(self) -> dict[str, str]:
        return {"type": "base64", "media_type": self.mime, "data": self.base64}


class Image(Media):
    """An image in a submission: PNG, JPEG, WebP or GIF."""

    kind = IMAGE_KIND

    @cached_property
    def tokens(self) -> int:
        """Approximate number of tokens that a model counts for the image, by its pixels."""
        return min(_MOST_TOKENS, self._sniffed.pixels // _PIXELS_PER_TOKEN + 1)

    def in_message(self, api: str) -> Mapping[str, Any]:
        """Return the image as a block of a message, in the form of an API: "messages", "chat" or "assets"."""
        if api == "messages":
            return {"type": "image", "source": self._source()}
        if api == "assets":
            return {"type": "image", "format": self.mime.removeprefix("image/"), "data_base64": self.base64}
        return {"type": "image_url", "image_url": {"url": self.data_url}}

    def html(self, address: str | None = None) -> str:  # noqa: ARG002 - an image is part of its page
        """Return HTML that shows the image at a size that fits, and in full size after a click or key press.

        Args:
            address: Not used, since the HTML contains the image itself.
        """
        shown = escape(self.alt or f"Image without a description, {self.width} × {self.height} pixels", quote=True)
        image = f'<img src="{self.data_url}" alt="{shown}" width="{self.width}" height="{self.height}">'
        return f'<details class="media"><summary>{image}</summary></details>'


class Pdf(Media):
    """A PDF document in a submission."""

    kind = PDF_KIND

    @cached_property
    def tokens(self) -> int:
        """Approximate number of tokens that a model counts for the document, by its size."""
        return (self.size // _BYTES_PER_PAGE + 1) * _TOKENS_PER_PAGE

    def in_message(self, api: str) -> Mapping[str, Any]:
        """Return the document as a block of a message, in the form of an API: "messages", "chat" or "assets"."""
        if api == "messages":
            return {"type": "document", "source": self._source()}
        name = f"{self.digest}.pdf"
        return {"type": "file", "file": {"filename": name, "file_data": self.data_url}}

    def html(self, address: str | None = None) -> str:
        """Return an HTML link that opens the document; without an address to get it from, the link saves the document.

        Browsers show no documents in a frame without scripts, and don't open one that is in a page's own text.
        """
        words = escape(self.alt or self.name)
        if address is not None:
            return (
                f'<p class="media"><a href="{address}{self.digest}" target="_blank" rel="noopener">PDF: {words}</a></p>'
            )
        name = escape(self.name if self.path else f"{self.digest}.pdf", quote=True)
        return f'<p class="media"><a href="{self.data_url}" download="{name}">PDF: {words}</a></p>'


MEDIA_KINDS: Final[Mapping[str, type[Media]]] = {IMAGE_KIND: Image, PDF_KIND: Pdf}
"""Class of image or document by its kind."""


def _content_of(path: Path, kind: str, options: MediaOptions) -> bytes:
    refuse_device(path, RatingError)
    if path.is_fifo():  # opening it would wait for a writer
        raise UsageError(f"{path} is a pipe, not a file")
    try:
        with path.open("rb") as file:
            return file.read(options.most_bytes(kind) + 1)
    except FileNotFoundError as error:
        raise UsageError(f"{path}: {no_file(path)}") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error


def checked(content: bytes, name: str, kind: str, path: Path | None, options: MediaOptions) -> SniffedContent:
    """Return the format and size of an image or document; raise an error for content that judges don't accept.

    Args:
        content: The content's bytes.
        name: Its name in messages.
        kind: The kind that it should have: image or PDF.
        path: Its file, whose ending says the format; None without a file.
        options: The limits on images and documents.

    Raises:
        UsageError: The content isn't of that kind, isn't what the file's ending says, or is too large.
    """
    if len(content) > options.most_bytes(kind):
        setting = "max_image_mb" if kind == IMAGE_KIND else "max_pdf_mb"
        most = getattr(options, setting)
        raise UsageError(f"{name} has more than {most:g} MB, which is the limit (`{setting}` in markscheme.toml)")
    accepted = " or ".join(media_format.name for media_format in MEDIA_FORMATS if media_format.kind == kind)
    try:
        content_kind = sniffed(content)
    except DamagedContentError as error:
        raise UsageError(f"{name} {error}; expected a whole {accepted} file") from None
    if content_kind is None:
        raise UsageError(f"{name} is {described(content)}; expected {accepted}")
    if content_kind.format.kind != kind:
        raise UsageError(
            f"{name} is {content_kind.format.name} by its content: name it as `{content_kind.format.kind}`"
        )
    endings = content_kind.format.suffixes
    if path is not None and path.suffix and path.suffix.casefold() not in endings:
        raise UsageError(
            f"{name} is {content_kind.format.name} by its content, so its name must end in {' or '.join(endings)}"
        )
    megapixels = content_kind.pixels / _MILLION
    if megapixels > options.max_megapixels:
        size = f"{content_kind.width} × {content_kind.height} pixels"
        raise UsageError(
            f"{name} has {size}; the limit is {options.max_megapixels:g} million (`max_megapixels` in markscheme.toml)"
        )
    if kind == IMAGE_KIND and not content_kind.pixels:
        raise UsageError(f"{name} is an image without pixels")
    return content_kind

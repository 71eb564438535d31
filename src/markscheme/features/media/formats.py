"""Recognizes the format of images and PDFs by their content, and reads an image's size in pixels."""

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

IMAGE_KIND: Final = "image"
PDF_KIND: Final = "pdf"
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_PNG_END: Final = b"IEND\xaeB`\x82"
_FRAMES: Final = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""Markers in JPEG data that begin a frame, whose header has the image's height and width."""
_ALONE: Final = frozenset({0x01, *range(0xD0, 0xD9)})
"""Markers in JPEG data that aren't followed by a length."""
_SCAN: Final = 0xDA
"""Marker in JPEG data after which the pixels begin."""
_LARGEST_VP8: Final = 0x3FFF
"""Largest width or height of a WebP image, which has fourteen bits for each."""
_TRAILER_BYTES: Final = 1024
"""Number of bytes at the end of a PDF in which its last line is looked for, as PDF readers do."""


@dataclass(frozen=True, slots=True)
class MediaFormat:
    """An image or document format that judges accept.

    Attributes:
        name: Its name for readers.
        kind: What it is: an image or a PDF.
        mime: Its media type.
        suffixes: Endings of the names of its files.
    """

    name: str
    kind: str
    mime: str
    suffixes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SniffedContent:
    """Format of an image or document, and an image's size, as read from its bytes.

    Attributes:
        format: The format.
        width: Width in pixels; None for a document.
        height: Height in pixels; None for a document.
    """

    format: MediaFormat
    width: int | None = None
    height: int | None = None

    @property
    def pixels(self) -> int:
        """Number of pixels of an image; 0 for a document."""
        return (self.width or 0) * (self.height or 0)


PNG_FORMAT: Final = MediaFormat("PNG", IMAGE_KIND, "image/png", (".png",))
PDF_FORMAT: Final = MediaFormat("PDF", PDF_KIND, "application/pdf", (".pdf",))
MEDIA_FORMATS: Final = (
    PNG_FORMAT,
    MediaFormat("JPEG", IMAGE_KIND, "image/jpeg", (".jpg", ".jpeg", ".jpe", ".jfif")),
    MediaFormat("WebP", IMAGE_KIND, "image/webp", (".webp",)),
    MediaFormat("GIF", IMAGE_KIND, "image/gif", (".gif",)),
    PDF_FORMAT,
)
_BY_NAME: Final = {media_format.name: media_format for media_format in MEDIA_FORMATS}


class DamagedContentError(ValueError):
    """Error for content that begins like a known format but is incomplete."""


def sniffed(content: bytes) -> SniffedContent | None:
    """Return a content's format and size, recognized by its bytes; None if it isn't PNG, JPEG, WebP, GIF or PDF.

    Raises:
        DamagedContentError: The content begins like one of these formats, but is incomplete.

    Example:
        >>> sniffed(b"GIF89a" + bytes([2, 0, 3, 0]) + bytes(3) + b";").pixels
        6
        >>> sniffed(b"<svg/>") is None
        True
    """
    for name, (is_one, size) in _SNIFFERS.items():
        if is_one(content):
            try:
                dimensions = size(content)
            except (IndexError, struct.error) as error:
                raise DamagedContentError(f"begins like a {name} file and is cut off") from error
            return SniffedContent(_BY_NAME[name], *dimensions)
    return None


def described(content: bytes) -> str:
    """Return a few words on what content of an unsupported format seems to be."""
    beginning = content[:2048].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if not content:
        return "empty"
    if b"<svg" in beginning:
        return "an SVG drawing, which is a program and can load others"
    if beginning.startswith((b"<!doctype html", b"<html")):
        return "an HTML page"
    if content[4:12] in (b"ftypheic", b"ftypavif", b"ftypmif1"):
        return "a HEIC or AVIF image"
    if content.startswith((b"II*\0", b"MM\0*")):
        return "a TIFF image"
    if content.startswith(b"BM"):
        return "a BMP image"
    return "none of these by its content"


def _png_size(content: bytes) -> tuple[int, int]:
    width, height = struct.unpack_from(">II", content, 16)
    if content[12:16] != b"IHDR" or _PNG_END not in content[-64:]:
        raise DamagedContentError("begins like a PNG file and is cut off")
    return width, height


def _jpeg_size(content: bytes) -> tuple[int, int]:
    offset = 2
    while True:
        while content[offset] != 0xFF:
            offset += 1
        marker = content[offset + 1]
        if marker == 0xFF:
            offset += 1
        elif marker in _FRAMES:
            height, width = struct.unpack_from(">HH", content, offset + 5)
            return width, height
        elif marker == _SCAN:
            raise DamagedContentError("begins like a JPEG file and has no frame")
        else:
            offset += 2 if marker in _ALONE else 2 + int(struct.unpack_from(">H", content, offset + 2)[0])


def _gif_size(content: bytes) -> tuple[int, int]:
    width, height = struct.unpack_from("<HH", content, 6)
    return width, height


def _webp_size(content: bytes) -> tuple[int, int]:
    chunk = content[12:16]
    if chunk == b"VP8X":
        return _three_bytes(content, 24) + 1, _three_bytes(content, 27) + 1
    if chunk == b"VP8L":
        (bits,) = struct.unpack_from("<I", content, 21)
        return (bits & _LARGEST_VP8) + 1, (bits >> 14 & _LARGEST_VP8) + 1
    if chunk == b"VP8 ":
        width, height = struct.unpack_from("<HH", content, 26)
        return width & _LARGEST_VP8, height & _LARGEST_VP8
    raise DamagedContentError("begins like a WebP file and has no image")


def _three_bytes(content: bytes, offset: int) -> int:
    if len(content) < offset + 3:
        raise IndexError(offset)
    return int.from_bytes(content[offset : offset + 3], "little")


def _no_size(content: bytes) -> tuple[()]:
    if b"%%EOF" not in content[-_TRAILER_BYTES:]:
        raise DamagedContentError("begins like a PDF file and is cut off")
    return ()


_SNIFFERS: Final[Mapping[str, tuple[Callable[[bytes], bool], Callable[[bytes], tuple[int, ...]]]]] = {
    "PNG": (lambda content: content.startswith(_PNG), _png_size),
    "JPEG": (lambda content: content.startswith(b"\xff\xd8\xff"), _jpeg_size),
    "WebP": (lambda content: content[:4] == b"RIFF" and content[8:12] == b"WEBP", _webp_size),
    "GIF": (lambda content: content.startswith((b"GIF87a", b"GIF89a")), _gif_size),
    "PDF": (lambda content: content.startswith(b"%PDF-"), _no_size),
}

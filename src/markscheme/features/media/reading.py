"""Reads images and PDFs in plain data: named by path, as data URLs, or in messages as other tools write them."""

import binascii
import json
import os
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote_to_bytes, urlsplit

from markscheme.errors import SubmissionError, UsageError
from markscheme.features.media.fetching import fetched
from markscheme.features.media.formats import IMAGE_KIND, MEDIA_FORMATS, PDF_KIND, DamagedContentError, sniffed
from markscheme.features.media.media import MEDIA_KINDS, Media
from markscheme.features.media.options import media_options
from markscheme.json_text import parse_json
from markscheme.plain_data import shown
from markscheme.prompts.parts import PartedText, may_name_parts
from markscheme.text import encodable

_SHORT: Final = ({IMAGE_KIND}, {PDF_KIND}, {IMAGE_KIND, "alt"}, {PDF_KIND, "alt"})
"""Sets of keys by which an object is recognized as markscheme's own short form of an image or document."""
_LOADED: Final = ("data:image/", "data:application/pdf")
"""Beginnings of data URLs that contain an image or a document."""
_MIMES: Final = {media_format.mime: media_format.kind for media_format in MEDIA_FORMATS}
"""Kind of image or document by its media type."""


def read_media(value: Any, folder: Path | None, name: str) -> PartedText | None:
    """Return a value with images or PDFs as a text with a mark in place of each; None if there are none in it.

    A single part, or a list of parts and texts, becomes a text with its texts and marks, one below the other. Anything
    else, such as a list of messages, becomes JSON with a mark in place of each part.

    Args:
        value: Plain data, which may contain Image and Pdf objects.
        folder: The folder that paths are relative to and must lie in; None if paths aren't allowed.
        name: Name of the value in messages.

    Raises:
        SubmissionError: A part can't be judged: its file doesn't exist, its format isn't known, it is too large, or it
            is at an address that isn't allowed.
    """
    reader = _MediaReader(folder)
    try:
        pieces = reader.pieces(value)
        text = "\n".join(pieces) if pieces is not None else json.dumps(reader.marked(value), ensure_ascii=False)
        reader.refuse_too_many()
    except UsageError as error:
        raise _part_error(name, str(error)) from error
    except (TypeError, ValueError, RecursionError):  # no JSON data, which the caller reports
        return None
    if not reader.media:
        return None
    return PartedText(encodable(text), reader.media, value)


class _MediaReader:
    """Reader that finds and loads the images and PDFs in one value of plain data.

    Attributes:
        folder: The folder that paths are relative to; None if paths aren't allowed.
        media: The images and PDFs found, in order.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.media: list[Media] = []

    def refuse_too_many(self) -> None:
        """Raise an error if a value has more images and PDFs than the settings allow.

        Raises:
            UsageError: The value has more of them than are allowed.
        """
        most = media_options().max_media
        if len(self.media) > most:
            raise UsageError(
                f"there are {len(self.media)} images and PDFs, and the limit is {most} (`max_media` in markscheme.toml)"
            )

    def pieces(self, value: Any) -> list[str] | None:
        """Return texts and marks for an image or PDF, or for a list of these and texts; None for any other value."""
        items = value if isinstance(value, list | tuple) else [value]
        if not any(_is_part(item) for item in items) or not all(_is_part(item) or _is_text(item) for item in items):
            return None
        return [self._mark(item) if _is_part(item) else _text(item) for item in items]

    def marked(self, value: Any, *, in_list: bool = False) -> Any:
        """Return plain data with marks in place of images and PDFs.

        Args:
            value: The data.
            in_list: True if the data are an item of a list. Only there is the short form {"image": …} an image.
        """
        if isinstance(value, Media) or (_is_part(value) and (in_list or not _is_short(value))):
            return self._mark(value)
        if isinstance(value, str):
            return self._marked_text(value)
        if isinstance(value, Mapping):
            return {key: self.marked(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.marked(inner, in_list=True) for inner in value]
        return value

    def _marked_text(self, text: str) -> str:
        """Return a text with a mark in place of each image or PDF that it encodes.

        A text that is one image or PDF becomes a mark. In a text that is JSON, each image or PDF is replaced by a mark.
        Any other text is returned unchanged.
        """
        try:
            if text.startswith(_LOADED):
                media = _loaded_from(text, "a text")
                return text if media is None else self._mark(media)
            if text[:1] not in ("{", "[") or not may_name_parts(text):
                return text
            inner = _MediaReader(None)
            marked = inner.marked(parse_json(text))
        except (ValueError, RecursionError):  # a text like any other
            return text
        self.media += inner.media
        return json.dumps(marked, ensure_ascii=False) if inner.media else text

    def _mark(self, value: Any) -> str:
        media = value if isinstance(value, Media) else self._read(value)
        self.media.append(media)
        return media.mark

    def _read(self, named: Any) -> Media:
        kind, source = _source_of(named)
        alt = named.get("alt") if isinstance(named, Mapping) else None
        if not isinstance(source, str) or not source.strip():
            raise UsageError(f"`{kind}` must be a path or a data URL, got {shown(source)}")
        text_alt = alt if isinstance(alt, str) else None
        if source[:5].casefold() == "data:":
            return MEDIA_KINDS[kind](_decoded(source, kind), text_alt)
        if urlsplit(source).scheme.casefold() in ("http", "https"):
            return MEDIA_KINDS[kind](fetched(source, kind), text_alt)
        return MEDIA_KINDS[kind](self._path(source, kind), text_alt)

    def _path(self, source: str, kind: str) -> Path:
        if self.folder is None:
            raise UsageError(
                f"`{kind}` is the path {shown(source)}, which only a file may name; in a program, give "
                f"{MEDIA_KINDS[kind].__name__}({source!r}) of markscheme"
            )
        if "\0" in source:
            raise UsageError(f"`{kind}` is no path: {shown(source)}")
        folder = self.folder.resolve()
        path = folder / source
        if not path.resolve().is_relative_to(folder):
            raise UsageError(f"{shown(source)} lies outside of {folder}, the folder of the file that names it")
        return path


def _is_short(value: Any) -> bool:
    return isinstance(value, Mapping) and set(value) in _SHORT


def _is_part(value: Any) -> bool:
    return isinstance(value, Media) or _is_short(value) or _source_of(value) is not None


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (
        isinstance(value, Mapping) and set(value) <= {"type", "text"} and isinstance(value.get("text"), str)
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value["text"])


def _source_of(value: Any) -> Any:
    """Return kind and source of an image or PDF written in one of the known forms; None for any other value."""
    match value:
        case {"image": source, **rest} if set(rest) <= {"alt"}:
            return IMAGE_KIND, source
        case {"pdf": source, **rest} if set(rest) <= {"alt"}:
            return PDF_KIND, source
        case {"type": "image_url", "image_url": {"url": source}} | {"type": "image_url", "image_url": str(source)}:
            return IMAGE_KIND, source
        case {"type": "input_image", "image_url": str(source)}:
            return IMAGE_KIND, source
        case {"type": "file", "file": {"file_data": str(source)}} | {"type": "input_file", "file_data": str(source)}:
            return PDF_KIND, source
        case {"type": "image", "image": str(source)}:
            return IMAGE_KIND, source
        case {"type": "document", "document": str(source)}:
            return PDF_KIND, source
        case {"type": "blob", "mime_type": str(mime), "content": str(data)} if mime in _MIMES:
            return _MIMES[mime], f"data:{mime};base64,{data}"
        case bytes(content) | {"bytes": bytes(content), "path": str() | None}:
            return _stored_source(content)
        case {"type": "uri", "modality": "image", "uri": str(source)}:
            return IMAGE_KIND, source
        case {"type": "image" | "document" as form, "source": {"type": "base64", "media_type": mime, "data": data}}:
            return IMAGE_KIND if form == "image" else PDF_KIND, f"data:{mime};base64,{data}"
        case {"type": "image" | "document" as form, "source": {"type": "url", "url": str(source)}}:
            return IMAGE_KIND if form == "image" else PDF_KIND, source
    return None


def _stored_source(content: bytes) -> tuple[str, str] | None:
    """Return kind and source of an image or PDF that a table's cell stores as bytes; None for any other value."""
    try:
        content_kind = sniffed(content)
    except DamagedContentError:
        return None
    if content_kind is None:
        return None
    encoded = b64encode(content).decode()
    return content_kind.format.kind, f"data:{content_kind.format.mime};base64,{encoded}"


def _decoded(url: str, kind: str) -> bytes:
    head, comma, data = url.partition(",")
    if not comma:
        raise UsageError(f"`{kind}` is a data URL without a comma: {shown(head)}")
    if not head.casefold().endswith(";base64"):
        return unquote_to_bytes(data)
    try:
        return b64decode("".join(data.split()), validate=True)
    except (binascii.Error, ValueError):
        raise UsageError(f"`{kind}` is a data URL whose base64 is damaged") from None


def written_media(text: PartedText, folder: Path | None) -> Any:
    """Return what a file stores for a text with images or PDFs: pieces of text, and paths or data URLs."""
    pieces: list[Any] = [str(text)]
    for shown_part in text.parts:
        if isinstance(shown_part, Media):
            pieces = [piece for before in pieces for piece in _divided(before, shown_part, folder)]
    pieces = [piece.strip("\n") if isinstance(piece, str) else piece for piece in pieces]
    written = [piece for piece in pieces if piece]
    return written[0] if len(written) == 1 else written


def _divided(piece: Any, media: Media, folder: Path | None) -> Iterable[Any]:
    if not isinstance(piece, str):
        return [piece]
    texts = piece.split(media.mark)
    return [item for text in texts[:-1] for item in (text, _in_file(media, folder))] + texts[-1:]


def _in_file(media: Media, folder: Path | None) -> dict[str, str]:
    alt = {"alt": media.alt} if media.alt else {}
    if media.path is None or folder is None or not media.path.resolve().is_relative_to(folder.resolve()):
        return {media.kind: media.data_url, **alt}
    return {media.kind: os.path.relpath(media.path, folder), **alt}


def loaded_media(text: str, name: str) -> PartedText | None:
    """Load the image or PDF that a text encodes as a data URL or in base64; None for any other text.

    Raises:
        SubmissionError: The image or PDF can't be judged.
    """
    media = _loaded_from(text, name)
    return None if media is None else PartedText(media.mark, [media], {media.kind: media.data_url})


def _loaded_from(text: str, name: str) -> Media | None:
    is_url = text.startswith("data:")
    try:
        content = _decoded(text if is_url else f"data:;base64,{text}", "var")
        content_kind = sniffed(content)
    except (UsageError, DamagedContentError) as error:
        if is_url:
            raise _part_error(name, str(error)) from error
        return None
    if content_kind is None and not is_url:
        return None
    kind = IMAGE_KIND if content_kind is None else content_kind.format.kind
    try:
        return MEDIA_KINDS[kind](content)
    except UsageError as error:
        raise _part_error(name, str(error)) from error


def _part_error(name: str, problem: str) -> SubmissionError:
    """Make the error for a part of a submission, such as an image, that can't be judged.

    Args:
        name: The response, or the input, that names the part.
        problem: Which part it is, what is wrong with it, and what is allowed.
    """
    error = SubmissionError(name, problem)
    error.args = (f"{name}: {problem}",)
    return error

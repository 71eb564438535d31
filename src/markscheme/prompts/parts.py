"""Parts of a submission that aren't text, such as images, which a judge is shown, and for which the text has marks.

This module doesn't know the kinds of parts. A text with marks is a `PartedText`: in fingerprints and reports it is the
text with its marks, and a mark contains the part's digest. Prompts, judges' adapters and pages find the parts in it.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from markscheme.errors import RatingWarning
from markscheme.json_text import json_or
from markscheme.seam import OpenTable

_SIGNS: Final = ('"image', '"pdf"', '"input_', '"file"', '"document"', "data:image/", "application/pdf")
"""Texts of which JSON that names a part, such as an image, contains at least one; JSON without them isn't searched."""

_LOADED: Final = ("data:image/", "data:application/pdf", "iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "JVBERi0")
"""Beginnings of the contents, as data URLs or in base64, of files that Promptfoo loads into variables."""


class ShownPart(Protocol):
    """A part of a submission that isn't text, such as an image or a PDF."""

    @property
    def kind(self) -> str:
        """Word for the kind of the part, such as "image"; judges differ in which kinds they can read."""
        ...

    @property
    def digest(self) -> str:
        """Digest of the part's content."""
        ...

    @property
    def mark(self) -> str:
        """Placeholder for the part in a text; it names the part's kind and digest."""
        ...

    @property
    def tokens(self) -> int:
        """Approximate number of tokens that the part costs as a model's input."""
        ...

    @property
    def size(self) -> int:
        """Number of bytes of the part's content."""
        ...

    @property
    def path(self) -> Path | None:
        """The file with the part's content; None if the content isn't in a separate file."""
        ...

    def in_message(self, api: str) -> Mapping[str, Any]:
        """Return the part as a content block for a model's API.

        Args:
            api: The API: "messages" for Anthropic's, "chat" for OpenAI's, "assets" for that of decision models.
        """
        ...

    @property
    def mime(self) -> str:
        """Media type of the part's content."""
        ...

    @property
    def content(self) -> bytes:
        """The part's content as bytes."""
        ...

    def html(self, address: str | None = None) -> str:
        """Return the part as HTML that neither runs nor loads anything.

        Args:
            address: URL under which a server has parts, each by its digest; None without a server.
        """
        ...


class PartedText(str):
    """A text with marks in place of parts such as images, together with these parts.

    Attributes:
        parts: The parts, each once, in the order of their marks.
        written: What a file stores for this text, such as a list of texts and images; the images are stored as paths or
            as data. None if that isn't known.
    """

    parts: tuple[ShownPart, ...]
    written: Any

    def __new__(cls, text: str, parts: Iterable[ShownPart], written: Any = None) -> "PartedText":
        """Make a text from words with marks in place of images or other parts, and from these parts.

        Args:
            text: The text with a mark in place of each part.
            parts: The parts.
            written: The value by which a file stores this text; None if it isn't known.
        """
        made = super().__new__(cls, text)
        made.parts = tuple({shown_part.digest: shown_part for shown_part in parts}.values())
        made.written = written
        return made

    def __getnewargs__(self) -> tuple[str, tuple[ShownPart, ...], Any]:  # type: ignore[override]
        """Return the constructor's arguments, for copying and pickling."""
        return str(self), self.parts, self.written


class PartReader(NamedTuple):
    """Functions that read images or other parts of one kind from plain data, and write them to files.

    Attributes:
        read: Function that returns a value as a text with parts, or None if the value names no parts. Its arguments are
            the value, the folder that paths in the value are relative to (None if the value may contain no paths), and
            the value's name for messages. It raises SubmissionError for a part that can't be judged.
        written: Function that returns the value by which a file stores a text with parts. Its arguments are the text
            and the file's folder, to which paths of parts are relative; if that is None, the value contains the parts
            themselves.
        loaded: Function that converts a text that holds the content of a part, as a tool passes it in a variable, to a
            text with this part; it returns None for any other text. Its arguments are the text and the text's name for
            messages.
    """

    read: Callable[[Any, Path | None, str], PartedText | None]
    written: Callable[[PartedText, Path | None], Any]
    loaded: Callable[[str, str], PartedText | None]


class PartChange(NamedTuple):
    """A change of images or other parts, by which a stress test finds out if a judge looks at them.

    Attributes:
        name: The change's name in files and options.
        what: Description of the change for the note below a table.
        moves: True if a judge that looks at the part must give other levels after the change; False if its levels
            should stay.
        change: Function that returns the part changed, or None if the change can't be made. Its arguments are the part
            and the corresponding part of another example, or None if no other example has a part of that kind.
    """

    name: str
    what: str
    moves: bool
    change: Callable[[ShownPart, ShownPart | None], ShownPart | None]


PART_CHANGES: Final = OpenTable[PartChange]()
"""Changes of parts, in the order of the table of a stress test."""
PART_SUFFIXES: Final = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".pdf")
"""Endings of the names of files that can be shown to a judge as parts."""
PART_READERS: Final = OpenTable[PartReader]()
"""Readers of parts, such as images, from plain data; the first that finds any is used."""


def may_name_parts(json_text: str) -> bool:
    """Return True if a JSON text may contain parts such as images, by a quick search for their keys.

    Example:
        >>> may_name_parts('{"image": "chart.png"}'), may_name_parts('{"role": "user"}')
        (True, False)
    """
    return any(sign in json_text for sign in _SIGNS)


def parted_text(value: Any, folder: Path | None, name: str) -> PartedText | None:
    """Convert a value that names parts, such as image files, to a PartedText; None if it names none.

    Args:
        value: Plain data, or an object that is a part.
        folder: The folder that paths in it are relative to; None if it may name no paths.
        name: Name of the value in messages.

    Raises:
        SubmissionError: The value names a part that can't be judged.
    """
    for reader in PART_READERS:
        text = reader.read(value, folder, name)
        if text is not None:
            return text
    return None


def warn_of_bare_path(text: str, folder: Path, name: str) -> None:
    """Warn of a text that is just the path of an image or document: a judge would see the path, not the file.

    Args:
        text: The text, which ends as the name of such a file does.
        folder: The folder that paths are relative to.
        name: Name of the text in the warning.
    """
    with suppress(OSError, ValueError):  # a text that can't be a path
        if (folder / text).is_file():
            key = "pdf" if text.endswith(".pdf") else "image"
            shows = f'{{"{key}": "PATH"}} in its place shows the file'
            warnings.warn(f"{name} is the path of a file, and a judge is shown that text; {shows}", RatingWarning, 2)


def loaded_part(value: Any, name: str) -> Any:
    """Convert a variable into which a tool loaded a file such as an image to a PartedText; return any other unchanged.

    Args:
        value: The variable's value: a data URL or base64, if a file was loaded.
        name: Name of the value in messages.

    Raises:
        SubmissionError: The value is a part that can't be judged.
    """
    if not isinstance(value, str) or not value.startswith(_LOADED):
        return value
    texts = (reader.loaded(value, name) for reader in PART_READERS)
    return next((text for text in texts if text is not None), value)


def in_cell(cell: Any) -> Any:
    """Parse a table's cell if it is JSON that names parts such as images; return any other cell unchanged.

    Example:
        >>> in_cell('{"image": "chart.png"}'), in_cell("a text")
        ({'image': 'chart.png'}, 'a text')
    """
    if not isinstance(cell, str) or cell[:1] not in ("{", "[") or not may_name_parts(cell):
        return cell
    data = json_or(cell, cell)
    return data if _names_parts(data) else cell


def _names_parts(data: Any) -> bool:
    """Return True if plain data names parts such as images: a dict with their keys, or a list of such dicts."""
    pieces = data if isinstance(data, list) else [data]
    return bool(pieces) and all(isinstance(piece, dict) and not _OF_PARTS.isdisjoint(piece) for piece in pieces)


_OF_PARTS: Final = frozenset({"image", "pdf", "text", "type", "role"})


def parts_of(texts: Iterable[str]) -> tuple[ShownPart, ...]:
    """Return the parts, such as images, that occur in several texts, each part once."""
    marked = [text for text in texts if isinstance(text, PartedText)]
    return tuple({shown_part.digest: shown_part for text in marked for shown_part in text.parts}.values())


def as_written(text: str, folder: Path | None) -> Any:
    """Return a text as a file stores it: with parts such as images, it becomes plain data.

    Args:
        text: The text.
        folder: The folder that paths of the parts are relative to; None to store the parts' content.
    """
    if not isinstance(text, PartedText):
        return text
    return next((reader.written(text, folder) for reader in PART_READERS), str(text))


def message_content(prompt_text: str, parts: Sequence[ShownPart], api: str) -> str | list[Mapping[str, Any]]:
    """Return the content of a user's message: its parts, each after its mark, and then the text.

    Args:
        prompt_text: The text.
        parts: The parts that the text's marks name.
        api: Name of the API for which the parts are written.
    """
    if not parts:
        return prompt_text
    blocks = [
        block
        for shown_part in parts
        for block in ({"type": "text", "text": f"{shown_part.mark}:"}, shown_part.in_message(api))
    ]
    return [*blocks, {"type": "text", "text": prompt_text}]

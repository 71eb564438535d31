"""YAML, JSON and tables read as plain data, with the line of every key.

Nothing in a file is executed or imported, and the expansion of its aliases is limited.
"""

import io
import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from types import UnionType
from typing import Any, Final, Literal, TypeAlias, get_args

import yaml

from markscheme.errors import FileError, UsageError, no_file, refuse_lines
from markscheme.files import append_lines
from markscheme.json_text import SHOWN_DIGITS, PairsHook, decoder_for, json_value, pairs_once, parse_json
from markscheme.numerals import finite
from markscheme.text import cut_short, encodable, encodable_data

MAX_DEPTH = 50
"""Largest number of levels of nesting: rubrics have about five, and Python's recursion ends at a thousand calls, of
which a level takes several."""
MAX_NODES = 50_000
"""Largest number of nodes of a text with its aliases followed, unless the text itself has more."""
MAX_LETTERS = 4_000_000
"""Largest number of characters in keys and values of a text with its aliases followed: many aliases may repeat a
long text."""

BATCH: Final = 2**16
"""Number of bytes of a file's lines that are read and parsed together."""
LONGEST_CELL = 2**31 - 1
"""Largest number of characters of a table's cell, for csv's reader, whose default of 131,072 is too few for whole
documents."""
Place: TypeAlias = tuple[str | int, ...]
Form: TypeAlias = Literal["yaml", "json"]


def form_of(path: Path | None) -> Form:
    """Return the form of a file's content by the ending of its name: "json" for .json, else "yaml"."""
    return "json" if path is not None and path.suffix.lower() == ".json" else "yaml"


def read_text(path: Path, error: type[FileError], *, most_bytes: int | None = None) -> str:
    """Read the text of a file.

    Args:
        path: The file.
        error: Class of the error to raise.
        most_bytes: Largest size of the file in bytes; None for no limit.

    Raises:
        FileError: The file cannot be read, is too long, or is not UTF-8 text; the error is of the class `error`.
    """
    with refusing_unreadable(path, error), path.open("rb") as file:
        raw = file.read(-1 if most_bytes is None else most_bytes + 1)
    if most_bytes is not None and len(raw) > most_bytes:
        raise error(f"is longer than {most_bytes:,} bytes, which are the most that are read", path=path)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = raw[: problem.start].count(b"\n") + 1
        raise error("is not UTF-8 text", path=path, line=line) from problem


@contextmanager
def refusing_unreadable(path: Path, error: type[FileError]) -> Iterator[None]:
    """Convert the system's error that a file can't be read, raised in the `with` block, to one that names the file.

    Raises:
        FileError: The file doesn't exist, can't be read, or is a device; the error is of the class `error`.
    """
    refuse_device(path, error)
    try:
        yield
    except FileNotFoundError as problem:
        raise error(no_file(path), path=path) from problem
    except OSError as problem:
        raise error(f"cannot be read: {problem.strerror or problem}", path=path) from problem


def refuse_device(path: Path, error: type[FileError]) -> None:
    """Refuse to read a device without an end, such as /dev/zero; a terminal and /dev/null are allowed.

    Raises:
        FileError: The path is that of such a file; the error is of the class `error`.
    """
    try:
        is_device = stat.S_ISCHR(path.stat().st_mode)
        with_end = (stream for stream in WITH_END if os.path.exists(stream))
        if not is_device or any(path.samefile(stream) for stream in with_end):
            return
    except OSError:  # reading it says why
        return
    raise error("is a device, not a file", path=path)


WITH_END = ("/dev/null", "/dev/stdin", "/dev/tty")
"""Devices that may be read, since they have an end."""


def plain_data(
    text: str, form: Form, error: type[FileError], *, path: Path | None = None
) -> tuple[Any, dict[Place, int]]:
    """Parse JSON or YAML to lists, dicts and scalars, and map the path of each key and item to its line.

    Args:
        text: The whole text.
        form: The format of the text.
        error: Class of the error to raise.
        path: The file that it came from, for messages; None if there is none.

    Raises:
        FileError: The text is unreadable, nested too deep or not plain data, or its aliases lead to more than MAX_NODES
            or MAX_LETTERS; the error is of the class `error`.
    """
    reader = _Reader(path, error)
    whole = encodable(text)
    return reader.from_json(whole) if form == "json" else reader.from_yaml(whole)


def line_at(lines: Mapping[Place, int], path: Place) -> int | None:
    """Return the line of the value at a path, or of the nearest mapping or list around it; None if none is known."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path)


def json_lines(path: Path, error: type[FileError]) -> Iterator[tuple[int, Any]]:
    """Yield the values in a file of JSON lines, with their line numbers.

    Args:
        path: The file.
        error: Class of the error to raise.

    Raises:
        FileError: The file can't be read, or a line is not readable JSON; the error is of the class `error`.
    """
    for line_number, raw in raw_lines(path, error):
        for data in json_in_line(raw, path, line_number, error):
            yield line_number, data


def raw_lines(path: Path, error: type[FileError]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that aren't blank, with their numbers.

    Raises:
        FileError: The file can't be read; the error is of the class `error`.
    """
    return chain.from_iterable(line_batches(path, error))


def line_batches(path: Path, error: type[FileError]) -> Iterator[list[tuple[int, bytes]]]:
    """Yield the lines of a file that aren't blank, with their numbers, in batches of limited size.

    Raises:
        FileError: The file can't be read; the error is of the class `error`.
    """
    before = 0
    with refusing_unreadable(path, error), path.open("rb") as file:
        while lines := file.readlines(BATCH):
            yield [(line_number, raw) for line_number, raw in enumerate(lines, before + 1) if not raw.isspace()]
            before += len(lines)


def json_in_line(raw: bytes, path: Path, line_number: int, error: type[FileError]) -> tuple[Any, ...]:
    """Parse a line of a JSON lines file; return its value in a tuple, or () if the line is damaged and skipped.

    Raises:
        FileError: The line isn't readable JSON; the error is of the class `error`.
    """
    try:
        return (_json_line(raw, path, line_number, error),)
    except FileError as problem:
        refuse_lines(problem)
        return ()


def json_rows(path: Path, error: type[FileError]) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a JSON lines file with line numbers, or of a list in a `.json` file with their ordinals.

    Raises:
        FileError: The file can't be read, or isn't JSON; the error is of the class `error`.
    """
    if path.suffix.casefold() != ".json":
        yield from json_lines(path, error)
        return
    data = read_json(path, error)
    yield from enumerate(data if isinstance(data, list) else [data], start=1)


def append_readable(path: Path, lines: Sequence[Mapping[str, Any]], read: Callable[[Any], object]) -> None:
    """Append JSON objects as lines to a file, after `read`, which reads such files, has accepted each of them.

    Raises:
        UsageError: A line couldn't be read back; nothing is written.
        OSError: The lines can't be written; the file is unchanged.
    """
    refuse_unreadable(lines, read)
    append_lines(path, lines, follow=False)


def refuse_unreadable(lines: Iterable[Mapping[str, Any]], read: Callable[[Any], object]) -> None:
    """Raise an error if lines that are to be written to a file couldn't be read back by the file's reader.

    Args:
        lines: The lines, as JSON objects.
        read: The function that reads a line of the file; a ValueError says why it can't.

    Raises:
        UsageError: A line couldn't be read back; the message says why.
    """
    try:
        for line in lines:
            read(parse_json(json.dumps(line, ensure_ascii=False, allow_nan=False), object_pairs_hook=pairs_once))
    except ValueError as problem:
        raise UsageError(f"nothing is kept, since it couldn't be read again: {problem}") from problem


LINES = (".jsonl", ".ndjson")
"""Endings of the names of files with a JSON object on each line."""
TABLES = (".csv", ".tsv")
PARQUET = ".parquet"
ANOTHER_LENGTH = "has another number of cells than the header"


def _json_line(raw: bytes, path: Path, line_number: int, error: type[FileError]) -> Any:
    try:
        return json_value(raw)
    except UnicodeDecodeError as problem:
        raise error("is not UTF-8 text", path=path, line=line_number) from problem
    except ValueError as problem:
        end = "" if raw.endswith(b"\n") else "; it is the end of the file, which may be cut off"
        raise error(f"is not readable JSON: {problem}{end}", path=path, line=line_number) from problem


def read_json(path: Path, error: type[FileError], *, parse_constant: Callable[[str], Any] | None = None) -> Any:
    """Read the value in a JSON file.

    Raises:
        FileError: The file cannot be read, or is not JSON; the error is of the class `error`.
    """
    try:
        return parse_json(read_text(path, error), parse_constant=parse_constant)
    except ValueError as problem:
        raise error(_why_not_json(problem, path), path=path) from problem


def json_parts(path: Path, error: type[FileError]) -> Iterator[tuple[str, Any]]:
    """Yield the entries of a JSON file one by one, so that only one is in memory.

    Args:
        path: The file.
        error: Class of the error to raise.

    Yields:
        ("", item) for each item of a list; (key, value) for each key of an object, and for a value that is a list
        (key, item) for each of its items.

    Raises:
        FileError: The file can't be read, or is not JSON; the error is of the class `error`.
    """
    try:
        with refusing_unreadable(path, error), path.open(encoding="utf-8-sig") as file:
            text = _JsonStream(file)
            if text.peek() == "[":
                yield from (("", pair) for pair in text.items())
            elif text.peek() == "{":
                yield from text.entries()
            else:
                yield "", text.value()
            if text.peek():
                raise ValueError("there is text after its end")
    except UnicodeDecodeError as problem:
        raise error("is not UTF-8 text", path=path) from problem
    except (ValueError, RecursionError) as problem:
        raise error(_why_not_json(problem, path), path=path) from problem


def _why_not_json(problem: Exception, path: Path) -> str:
    """Say why a file isn't JSON: it is empty, or the parser's reason."""
    return f"is not readable JSON: {problem}" if path.stat().st_size else "is empty"


class _JsonStream:
    """Stream of a JSON text, read one value at a time."""

    def __init__(self, file: io.TextIOBase) -> None:
        self._file = file
        self._text = ""
        self._at = 0
        self._size = 1 << 20
        self._decoder = decoder_for("")

    def peek(self) -> str:
        """Return the next character in the stream that isn't white space; "" at the end."""
        while True:
            match = _NOT_SPACE.search(self._text, self._at)
            if match is not None:
                self._at = match.start()
                return self._text[self._at]
            self._at = len(self._text)
            if not self._more():
                return ""

    def value(self) -> Any:
        """Return the next value in the stream, read as a whole."""
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError:
                if not self._more():
                    raise
            else:
                if end < len(self._text) or not self._more():  # a number may continue in the next block
                    self._at = end
                    return encodable_data(value)

    def items(self) -> Iterator[Any]:
        """Yield the items of the list at the current position."""
        yield from (self.value() for _ in self._parts("[", "]"))

    def entries(self) -> Iterator[tuple[str, Any]]:
        """Yield the entries of the object at the current position."""
        for _ in self._parts("{", "}"):
            key = self.value()
            if not isinstance(key, str):
                raise ValueError("a key must be a text")
            self._take(":")
            if self.peek() == "[":
                yield from ((key, pair) for pair in self.items())
            else:
                yield key, self.value()

    def _parts(self, start: str, end: str) -> Iterator[None]:
        self._take(start)
        if self.peek() != end:
            yield
            while self.peek() != end:
                self._take(",")
                yield
        self._take(end)

    def _take(self, mark: str) -> None:
        character = self.peek()
        if character != mark:
            raise ValueError(f"expected {mark!r}, got {character!r}")
        self._at += 1

    def _more(self) -> bool:
        """Read the next block of the file; return False at its end.

        A block is twice as large as the one before if that was too small for one value.
        """
        block = self._file.read(self._size)
        self._size = self._size * 2 if not self._at else 1 << 20
        self._text = self._text[self._at :] + block
        self._at = 0
        self._decoder = decoder_for(self._text)
        return bool(block)


Shape: TypeAlias = "type | UnionType | list[Shape] | dict[str, Shape]"
"""The required shape of plain data: a type, a list whose items all have one shape, or an object with a shape for each
key that it may have."""


def refuse_other_shape(data: Any, shape: Shape, location: str | None = None) -> None:
    """Raise an error if plain data doesn't have a given shape, such as a number in place of a text.

    Args:
        data: The data.
        shape: A type, a dict with the shape of each key's value, or a list of the shape that every item has.
        location: Path of the data in a larger document, such as "levels[1]", for the message; None for a whole
            document.

    Raises:
        ValueError: The data have another shape; the message names the first value that differs.

    Example:
        >>> refuse_other_shape({"levels": [{"label": "poor"}, {"label": 1.5}]}, {"levels": [{"label": str}]})
        Traceback (most recent call last):
        ValueError: levels[1].label is 1.5, which isn't a text
    """
    if isinstance(shape, dict):
        _refuse_other_type(data, dict, location)
        for key, of_key in shape.items():
            if key in data:
                refuse_other_shape(data[key], of_key, f"{location}.{key}" if location else key)
    elif isinstance(shape, list):
        _refuse_other_type(data, list, location)
        for index, element in enumerate(data):
            refuse_other_shape(element, shape[0], f"{location or ''}[{index}]")
    else:
        _refuse_other_type(data, shape, location)


def _refuse_other_type(data: Any, kind: type | UnionType, location: str | None) -> None:
    allowed = get_args(kind) or (kind,)
    is_number = finite(data) is not None
    if float in allowed and is_number:
        return
    if (
        not isinstance(data, kind)
        or (isinstance(data, bool) and bool not in allowed)
        or (isinstance(data, float) and not is_number)
    ):
        names = " or ".join(_TYPE_NAMES[allowed_type] for allowed_type in allowed)
        raise ValueError(f"{location or 'it'} is {shown(data)}, which isn't {names}")


_TYPE_NAMES: Mapping[type, str] = {
    str: "a text",
    float: "a number",
    int: "a whole number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
    type(None): "null",
}

_NOT_SPACE = re.compile(r"[^ \t\n\r]")


def id_of(*values: Any) -> str:
    """Return the first of several values that is neither None nor "", as text; "" if all are.

    >>> id_of(None, 0, "ex-1"), id_of("", None)
    ('0', '')
    """
    return next((str(value) for value in values if value not in (None, "")), "")


def shown(value: Any) -> str:
    """Shorten a value from a file for use in a message, on one line.

    >>> shown("x" * 100) == "'" + "x" * 56 + "…"
    True
    """
    text = " ".join(repr(value).split("\n"))
    return text if len(text) <= 60 else text[:57] + "…"


GROWS_TOO_LARGE = "grows too large when its aliases are followed"


class _Reader:
    """Parser of one JSON or YAML text."""

    _TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float", "str", "timestamp"))

    def __init__(self, path: Path | None, error: type[FileError]) -> None:
        self.path, self.error = path, error
        self.lines: dict[Place, int] = {}
        self._nodes, self._most_nodes = 0, MAX_NODES
        self._letters, self._most_letters = 0, MAX_LETTERS
        self._scalars = yaml.constructor.SafeConstructor()

    def refuse(self, problem: str, line: int | None = None) -> FileError:
        return self.error(problem, path=self.path, line=line)

    def from_json(self, text: str) -> tuple[Any, dict[Place, int]]:
        data = self._parsed(text)
        try:  # nearly all JSON is YAML, whose reader knows the lines; the data come from the JSON reader
            node = self._composed(text.replace("\t", " "))
        except yaml.YAMLError:
            return self._parsed(text, pairs_once), {}
        if node is not None:
            self._plain(node, ())
        return data, self.lines

    def _parsed(self, text: str, pairs: PairsHook | None = None) -> Any:
        try:
            return parse_json(text, object_pairs_hook=pairs)
        except json.JSONDecodeError as problem:
            raise self.refuse(f"is not readable JSON: {problem.msg}", problem.lineno) from problem
        except ValueError as problem:
            raise self.refuse(f"is not readable JSON: {problem}") from problem

    def from_yaml(self, text: str) -> tuple[Any, dict[Place, int]]:
        try:
            node = self._composed(text)
        except yaml.YAMLError as problem:
            mark = getattr(problem, "problem_mark", None)
            problem_text = getattr(problem, "problem", None) or str(problem).splitlines()[0]
            raise self.refuse(f"is not readable YAML: {problem_text}", mark.line + 1 if mark else None) from problem
        return (None if node is None else self._plain(node, ())), self.lines

    def _composed(self, text: str) -> yaml.Node | None:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        self._most_letters = max(MAX_LETTERS, len(text))
        self._most_nodes = max(MAX_NODES, self._written_nodes(yaml.parse(text, Loader=loader)))
        return yaml.compose(text, Loader=loader)

    def _written_nodes(self, events: Iterator[Any]) -> int:
        """Count a YAML text's nodes, and raise an error if it is nested too deep, before recursive code reads it."""
        depth = nodes = 0
        for event in events:
            nodes += isinstance(event, yaml.NodeEvent)
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > MAX_DEPTH:
                raise self.refuse(f"is nested more than {MAX_DEPTH} deep", event.start_mark.line + 1)
        return nodes

    def _plain(self, node: yaml.Node, path: Place) -> Any:
        self._nodes += 1
        line = node.start_mark.line + 1
        self.lines.setdefault(path, line)
        if len(path) > MAX_DEPTH or self._nodes > self._most_nodes:
            raise self.refuse(GROWS_TOO_LARGE, line)
        if isinstance(node, yaml.SequenceNode) and node.tag == "tag:yaml.org,2002:seq":
            return [self._plain(child, (*path, index)) for index, child in enumerate(node.value)]
        if isinstance(node, yaml.MappingNode) and node.tag == "tag:yaml.org,2002:map":
            return self._mapping(node, path)
        if isinstance(node, yaml.ScalarNode) and node.tag in self._TAGS:
            self._count_letters(node)
            return encodable(node.value) if node.tag.endswith(":timestamp") else self._scalar(node)
        raise self.refuse(f"is not plain data: the tag {node.tag!r} is not read; without it, what follows is", line)

    def _count_letters(self, node: yaml.ScalarNode) -> None:
        self._letters += len(node.value)
        if self._letters > self._most_letters:
            raise self.refuse(GROWS_TOO_LARGE, node.start_mark.line + 1)

    def _mapping(self, node: yaml.MappingNode, path: Place) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise self.refuse("a key must be a word; a text with {{…}} or a comma inside { } needs quotes", line)
            self._count_letters(key_node)
            key = encodable(key_node.value)
            if key in entries:
                raise self.refuse(f"the key {key!r} occurs twice in one place", line)
            self.lines[(*path, key)] = line
            entries[key] = self._plain(value_node, (*path, key))
        return entries

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        try:
            value = self._scalars.construct_object(node)
        except (ValueError, yaml.YAMLError) as problem:  # an integer of 10,000 digits, say
            raise self.refuse("a value cannot be read", node.start_mark.line + 1) from problem
        if isinstance(value, int) and not isinstance(value, bool) and finite(value) is None:
            digits = cut_short(node.value, SHOWN_DIGITS)
            raise self.refuse(f"the number {digits} is too large", node.start_mark.line + 1)
        return encodable(value) if isinstance(value, str) else value


def mapping(value: Any) -> Mapping[str, Any]:
    """Return the value if it is an object, else an empty object."""
    return value if isinstance(value, Mapping) else {}


def elements(value: Any) -> list[Any]:
    """Return the value if it is a list, else an empty list."""
    return value if isinstance(value, list) else []


def objects(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects in a list, without its other elements; none if the value isn't a list."""
    return [element for element in elements(value) if isinstance(element, Mapping)]

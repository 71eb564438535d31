"""YAML, JSON and tables as plain data with the line of every key, and files written whole or by the line.

Nothing in a file is run, imported or expanded at will.
"""

import io
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import yaml

from markscheme.errors import FileError

MAX_DEPTH = 50
MAX_NODES = 50_000
"""Parts of a rubric once its aliases are followed."""

Place: TypeAlias = tuple[str | int, ...]
Form: TypeAlias = Literal["yaml", "json"]


def form_of(path: Path | None) -> Form:
    """Whether a file is JSON or YAML, by its ending."""
    return "json" if path is not None and path.suffix.lower() == ".json" else "yaml"


def read_text(path: Path, error: type[FileError], *, most_bytes: int | None = None) -> str:
    """The text of a file.

    Raises:
        FileError: Of the given class: it cannot be read, is too long, or is no UTF-8 text.
    """
    try:
        raw = path.read_bytes()
    except OSError as problem:
        raise error(f"cannot be read: {problem.strerror or problem}", path=path) from problem
    if most_bytes is not None and len(raw) > most_bytes:
        raise error(f"is {len(raw):,} bytes long; at most {most_bytes:,} are read", path=path)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = raw[: problem.start].count(b"\n") + 1
        raise error("is not UTF-8 text", path=path, line=line) from problem


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all, its line ends as they are in the text and its permissions as they were.

    A link is followed. What is there and no file, such as a device or a pipe, can't be replaced: it is written into.

    Raises:
        OSError: It cannot be written.
    """
    raw = text.encode("utf-8")
    if is_no_file(path):
        path.write_bytes(raw)
        return
    whole = end_of_link(path)
    partial = whole.with_name(f".{whole.name}.partial")
    out = partial.open("wb")
    try:
        with out:
            if whole.exists():
                partial.chmod(whole.stat().st_mode & 0o777)
            out.write(raw)
        partial.replace(whole)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def is_no_file(path: Path) -> bool:
    """Whether something is there that is no file, such as a device or a pipe."""
    return path.exists() and not path.is_file()  # asked of the link itself: /dev/stdout leads to no name there is


def end_of_link(path: Path) -> Path:
    """Where a link leads; the path itself where it is none."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def plain_data(
    text: str, form: Form, error: type[FileError], *, path: Path | None = None, most_nodes: int | None = MAX_NODES
) -> tuple[Any, dict[Place, int]]:
    """A text as lists, dicts and scalars, and the line of each key and item, by its place.

    Args:
        text: The whole text.
        form: What it is written in.
        error: The class of error to raise.
        path: Where it came from, for messages.
        most_nodes: Parts it may have once aliases are followed.

    Raises:
        FileError: Of the given class: unreadable, nested too deep, grown too large, not plain data.
    """
    reader = _Reader(path, error, most_nodes)
    return reader.from_json(text) if form == "json" else reader.from_yaml(text)


def json_lines(path: Path, error: type[FileError]) -> Iterator[tuple[int, Any]]:
    """The objects of a .jsonl file with their line numbers.

    Raises:
        FileError: Of the given class: the file cannot be read, or a line is no JSON.
    """
    try:
        with path.open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, _json_line(line, path, number, error)
    except (OSError, UnicodeDecodeError) as problem:
        raise error(f"cannot be read: {problem}", path=path) from problem


def append_lines(path: Path, lines: Sequence[dict[str, Any]]) -> None:
    """Append JSON objects, one a line; on disk when this returns."""
    text = "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)
    is_new = not path.exists()
    with path.open("ab+") as file:
        if file.tell() and not _ends_its_line(path):
            text = "\n" + text
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())
    if is_new:
        keep_entry(path.parent)


def _ends_its_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def keep_entry(folder: Path) -> None:
    """A new file is there after a power cut only once its folder is on disk too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


ANOTHER_LENGTH = "has another number of cells than the header"


def table_rows(path: Path, error: type[FileError]) -> Iterator[tuple[int, dict[str, str] | None]]:
    """The rows of a .csv or .tsv file by its header, with their line numbers; None for one of ANOTHER_LENGTH.

    Cells are separated by commas, or as the header shows by semicolons or tabs, as spreadsheets write them.

    Raises:
        FileError: Of the given class: the file cannot be read as a table.
    """
    import csv  # few files are tables, and whoever reads none pays nothing

    text = read_text(path, error)
    header = text.split("\n", 1)[0]
    others = (mark for mark in "\t;" if mark in header and (path.suffix == ".tsv" or "," not in header))
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=next(others, ","))
    try:
        for row in rows:
            is_whole = None not in row and None not in row.values()
            yield rows.line_num, dict(row) if is_whole else None
    except csv.Error as problem:
        raise error(f"cannot be read: {problem}", path=path, line=rows.line_num + 1) from problem


def _json_line(line: str, path: Path, number: int, error: type[FileError]) -> Any:
    try:
        return json.loads(line, parse_constant=_no_constant, object_pairs_hook=_pairs_once)
    except (ValueError, RecursionError) as problem:
        raise error(f"is not readable JSON: {problem}", path=path, line=number) from problem


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def shown(value: Any) -> str:
    """A value from a file as it may stand in a message: short, on one line.

    >>> shown("x" * 100) == "'" + "x" * 56 + "…"
    True
    """
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


class _Reader:
    """One reading of one text."""

    _TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float", "str", "timestamp"))

    def __init__(self, path: Path | None, error: type[FileError], most_nodes: int | None) -> None:
        self.path, self.error, self.most_nodes = path, error, most_nodes
        self.lines: dict[Place, int] = {}
        self._nodes = 0
        self._scalars = yaml.constructor.SafeConstructor()

    def refuse(self, problem: str, line: int | None = None) -> FileError:
        return self.error(problem, path=self.path, line=line)

    def from_json(self, text: str) -> tuple[Any, dict[Place, int]]:
        try:
            data = json.loads(text)
        except json.JSONDecodeError as problem:
            raise self.refuse(f"is not readable JSON: {problem.msg}", problem.lineno) from problem
        except RecursionError as problem:
            raise self.refuse(f"is nested more than {MAX_DEPTH} deep") from problem
        except ValueError as problem:
            raise self.refuse(f"is not readable JSON: {problem}") from problem
        try:  # JSON is nearly YAML, which tells the lines; the data are the JSON reader's
            node = self._composed(text.replace("\t", " "))
        except yaml.YAMLError:
            return self._without_lines(text), {}
        if node is not None:
            self._plain(node, ())
        return data, self.lines

    def _without_lines(self, text: str) -> Any:
        try:
            return json.loads(text, object_pairs_hook=_pairs_once)
        except ValueError as problem:
            raise self.refuse(f"is not readable JSON: {problem}") from problem

    def from_yaml(self, text: str) -> tuple[Any, dict[Place, int]]:
        try:
            node = self._composed(text)
        except yaml.YAMLError as problem:
            mark = getattr(problem, "problem_mark", None)
            said = getattr(problem, "problem", None) or str(problem).splitlines()[0]
            raise self.refuse(f"is not readable YAML: {said}", mark.line + 1 if mark else None) from problem
        return (None if node is None else self._plain(node, ())), self.lines

    def _composed(self, text: str) -> yaml.Node | None:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        self._refuse_depth(yaml.parse(text, Loader=loader))
        return yaml.compose(text, Loader=loader)

    def _refuse_depth(self, events: Iterator[Any]) -> None:
        """Depth is checked on the flat stream of events, before anything recursive sees the text."""
        depth = 0
        for event in events:
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > MAX_DEPTH:
                raise self.refuse(f"is nested more than {MAX_DEPTH} deep", event.start_mark.line + 1)

    def _plain(self, node: yaml.Node, at: Place) -> Any:
        self._nodes += 1
        line = node.start_mark.line + 1
        self.lines.setdefault(at, line)
        if len(at) > MAX_DEPTH or (self.most_nodes is not None and self._nodes > self.most_nodes):
            raise self.refuse("grows too large when its aliases are followed", line)
        if isinstance(node, yaml.SequenceNode) and node.tag == "tag:yaml.org,2002:seq":
            return [self._plain(item, (*at, place)) for place, item in enumerate(node.value)]
        if isinstance(node, yaml.MappingNode) and node.tag == "tag:yaml.org,2002:map":
            return self._mapping(node, at)
        if isinstance(node, yaml.ScalarNode) and node.tag in self._TAGS:
            return node.value if node.tag.endswith(":timestamp") else self._scalar(node)
        raise self.refuse(f"is not plain data: the tag {node.tag!r} is not read", line)

    def _mapping(self, node: yaml.MappingNode, at: Place) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise self.refuse("a key must be a word", line)
            key = key_node.value
            if key in found:
                raise self.refuse(f"the key {key!r} stands twice in one place", line)
            self.lines[(*at, key)] = line
            found[key] = self._plain(value_node, (*at, key))
        return found

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        try:
            return self._scalars.construct_object(node)
        except (ValueError, yaml.YAMLError) as problem:  # an integer of 10,000 digits, say
            raise self.refuse("a value cannot be read", node.start_mark.line + 1) from problem


def _pairs_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(k for k in keys if keys.count(k) > 1)!r} stands twice in one place")
    return found

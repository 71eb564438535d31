"""Sentences on a file that a command can't take: what the file is by its content, and what takes it."""

import dataclasses
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from inspect import BoundArguments, Parameter
from pathlib import Path
from typing import Any, Final, NamedTuple

from markscheme.commands.families import is_written, option_name, paths_in
from markscheme.errors import ComparisonError, FileError, MarkschemeError, NothingGraded, UsageError
from markscheme.json_text import parse_json
from markscheme.options.settings import find_settings
from markscheme.options.table import AddedOptions, options_of
from markscheme.phrases import filled
from markscheme.rubrics.search import known_rubrics

_MOST_BYTES: Final = 2_000_000
"""Largest number of bytes of a file that are read to recognize what it is: a larger file is none of these kinds."""
_MAGIC: Final[Mapping[bytes, str]] = {
    b"\x89PNG": "an image (PNG)",
    b"\xff\xd8\xff": "an image (JPEG)",
    b"GIF8": "an image (GIF)",
    b"%PDF": "a PDF",
    b"\x7fELF": "a program",
    b"GGUF": "a local model (GGUF)",
}
"""First bytes of files that hold no text."""
_CONTAINERS: Final = (
    b"PK\x03\x04",
    b"\xd0\xcf\x11\xe0",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ",
    b"\x28\xb5\x2f\xfd",
    b"SQLite format 3",
    b"PAR1",
    b"ARROW1",
    b"\xff\xfe",
    b"\xfe\xff",
)
"""First bytes of workbooks, compressed tables, databases and UTF-16 text, which are readable though they hold zeros."""
_COLUMNS_OF_COUNTS: Final = frozenset(["part", "gold", "judge", "n"])


class _FileContent:
    """The content of a file, as far as it is needed to recognize what kind of file it is.

    Attributes:
        path: The file.
        raw: Its bytes, up to `_MOST_BYTES`.
    """

    def __init__(self, path: Path) -> None:
        """Read the beginning of a file."""
        self.path = path
        with path.open("rb") as file:
            self.raw = file.read(_MOST_BYTES)

    @cached_property
    def text(self) -> str:
        """The text of the file; bytes that aren't UTF-8 are replaced."""
        return self.raw.decode("utf-8-sig", errors="replace")

    @cached_property
    def document(self) -> Any:
        """The value in a JSON file, or in the first line of a file of JSON lines; None for any other file."""
        for text in (self.text, self.text.partition("\n")[0]):
            try:
                return parse_json(text)
            except ValueError:
                continue
        return None

    @property
    def binary(self) -> str | None:
        """What a file without text is, such as "an image (PNG)"; None for text and for readable containers."""
        name = next((name for magic, name in _MAGIC.items() if self.raw.startswith(magic)), None)
        if name is not None or self.raw.startswith(_CONTAINERS):
            return name
        return "binary data" if b"\0" in self.raw else None

    @property
    def emptiness(self) -> str | None:
        """Phrase on an empty file, "is empty" or "has a header and no rows below it"; None if the file has content."""
        text = self.text.strip()
        if not text:
            return "is empty"
        is_header = self.path.suffix in (".csv", ".tsv") and "\n" not in text
        return "has a header and no rows below it" if is_header else None

    @property
    def rubric(self) -> str:
        """Name of the rubric that the JSON object in the file states; the word "RUBRIC" if it states none."""
        stated = self.document.get("rubric") if isinstance(self.document, dict) else None
        name = stated.get("name") if isinstance(stated, dict) else None
        return name if isinstance(name, str) else "RUBRIC"

    def has(self, *keys: str) -> bool:
        """Return True if the JSON object in the file, or in its first line, has all the keys."""
        return isinstance(self.document, dict) and self.document.keys() >= set(keys)

    def has_lines(self, *beginnings: str) -> bool:
        """Return True if the file has, for each of the given texts, a line that begins with it.

        Keys in YAML are recognized so.
        """
        return all(re.search(rf"^{re.escape(beginning)}", self.text, re.MULTILINE) for beginning in beginnings)


class _FileKind(NamedTuple):
    """A kind of file that only some commands and options take, and that users pass to other commands by mistake.

    Attributes:
        name: What the file is, for an error.
        is_mine: Function that returns True for the content of such a file.
        takers: Commands and options that take such a file, or refuse it themselves.
        way_out: What to do with the file; in this text, FILE is replaced by its path and RUBRIC by the name of its
            rubric.
    """

    name: str
    is_mine: Callable[[_FileContent], bool]
    takers: frozenset[str]
    way_out: str


def _is_list_of_edits(content: _FileContent) -> bool:
    edits = content.document
    if not isinstance(edits, list) or not edits:
        return False
    return all(isinstance(edit, dict) and {"old", "new"} <= edit.keys() for edit in edits)


def _has_counts(content: _FileContent) -> bool:
    header = re.split(r"[,;\t]", content.text.partition("\n")[0].strip())
    return set(header) >= _COLUMNS_OF_COUNTS or content.has(*_COLUMNS_OF_COUNTS)


_KINDS: Final = (
    _FileKind(
        "an accepted run, which `calibrate --accept` wrote",
        lambda content: content.has("measurements", "ratings", "use"),
        frozenset(["--accepted"]),
        "`markscheme calibrate RUBRIC` compares later runs with it",
    ),
    _FileKind(
        "a record of accepted runs",
        lambda content: content.has("use", "wordings", "ratings", "date"),
        frozenset(),
        "`markscheme status --html PAGE.html` shows it",
    ),
    _FileKind(
        "a record of the settings that were calibrated",
        lambda content: content.has("setting", "examples", "n", "at"),
        frozenset(),
        "`markscheme calibrate RUBRIC` reads it by itself",
    ),
    _FileKind(
        "a judge card",
        lambda content: content.has("id", "terms", "figures", "files"),
        frozenset(["verify"]),
        "`markscheme verify FILE` computes its figures again",
    ),
    _FileKind(
        "a certificate, which `certify --write` wrote",
        lambda content: content.has("stages", "fingerprints", "error", "confidence"),
        frozenset(["verify", "--judge"]),
        "`--judge cascade:FILE` decides by it, and `markscheme verify FILE` computes it again",
    ),
    _FileKind(
        "recorded replies of a judge",
        lambda content: content.has("fingerprint", "judge", "model", "text"),
        frozenset(["--judge", "--model"]),
        "`--judge recorded:FILE` answers from them",
    ),
    _FileKind(
        "a report of `calibrate`",
        lambda content: content.has("rubric", "agreement", "verdict", "counts"),
        frozenset(["calibrate", "certify", "compare", "import", "pass-rate", "--calibration", "--report", "--ratings"]),
        "`markscheme compare FILE OTHER.json` compares it with another",
    ),
    _FileKind(
        "an experiment",
        lambda content: content.has_lines("variants:", "cases:") or content.has("variants", "cases"),
        frozenset(["experiment"]),
        "`markscheme experiment FILE` runs it",
    ),
    _FileKind(
        "a configuration of Promptfoo",
        lambda content: content.has_lines("prompts:", "providers:"),
        frozenset(),
        "`markscheme init` in its folder makes a rubric of what its assertions ask",
    ),
    _FileKind(
        "edits of a rubric's words",
        _is_list_of_edits,
        frozenset(["--candidates"]),
        "`markscheme improve RUBRIC --candidates FILE` tries them",
    ),
    _FileKind(
        "a settings file",
        lambda content: content.path.suffix == ".toml",
        frozenset(),
        "markscheme.toml and pyproject.toml are read without being named; `markscheme help settings` lists their keys",
    ),
    _FileKind(
        "a counts file",
        _has_counts,
        frozenset(["--counts", "calibrate", "compare"]),
        "`markscheme calibrate RUBRIC --counts FILE` reads it",
    ),
)
"""The kinds, in the order in which they are tried."""
_IN_PLACE_OF_ACCEPTED: Final = (
    _FileKind(
        "ratings, not an accepted run",
        lambda content: content.has("id", "criteria"),
        frozenset(),
        "`markscheme calibrate RUBRIC --ratings FILE --accept` makes an accepted run of them",
    ),
    _FileKind(
        "examples, not an accepted run",
        lambda content: content.has("id", "response"),
        frozenset(),
        "`markscheme calibrate RUBRIC --examples FILE` compares a judge with their labels",
    ),
)
"""Kinds of file that many commands take, which are recognized only in place of an accepted run."""

_EXPECTED: Final = {
    "--accepted": "an accepted run, which `markscheme calibrate RUBRIC --accept` writes",
    "--ratings": 'ratings of a judge: a line like {"id": …, "rater": …, "criteria": {…}} each, or a table',
    "--examples": 'labelled examples: a line like {"id": …, "response": …, "labels": […]} each',
    "--pool": "outputs: a row for each, with `id` and `response`",
    "--counts": "counts of distinct rows, as `markscheme export RUBRIC --counts FILE` writes them",
    "--calibration": "what `markscheme calibrate RUBRIC --json FILE` writes",
    "--report": "what `markscheme calibrate RUBRIC --json FILE` writes",
    "--judge": (
        "recorded replies: a line for each, with `fingerprint`, `judge`, `model` and `text`; `markscheme grade RUBRIC "
        "--show-prompt --missing` prints what they answer"
    ),
    "--from": "a table: a row for each output, with a column of a judge or of people",
    "--asked": "what `markscheme grade RUBRIC FILE --json` prints",
    "--rubric": "a rubric with `criteria`",
    "--candidates": "a rubric with other words, or a JSON list of edits",
    "--notes": "notes: a row for each, with `id` and `note`",
    "import": "ratings: a row for each, with the columns of an id, of who rated and of a level or label",
    "calibrate": "a rubric, or a table: a row for each output, with a column of a judge and one of people",
    "grade": "responses to grade: a row for each, with `id`, inputs and `response`",
    "lint": "a rubric with `criteria`",
    "label": "a rubric with `criteria`",
    "improve": "a rubric with `criteria`",
    "stress": "a rubric with `criteria`",
    "export": "a rubric with `criteria`",
    "certify": "a rubric, or a table: a row for each output, with a column of a judge and one of people",
    "compare": "ratings, or a table: a row for each output, with the columns of two judges",
    "pass-rate": "graded responses: a row for each, with `id` and `pass`",
    "verify": "a judge card or a certificate",
    "experiment": "an experiment: `rubric`, `variants`, `cases` and where outputs come from",
}
"""What a command, or an option of any command, reads."""
_TAKE_FOLDERS: Final = frozenset(["init", "verify", "demo", "session", "--judge"])
"""Commands and options that take folders."""


def explain(error: MarkschemeError, command: str, bound: BoundArguments) -> None:
    """Explain an error of a command: raise a clearer one, or add to its message where a wrong value was set.

    If the error is about a file of the wrong kind, the error raised says what the file is. If it is about a table's
    values, judges' columns that can be compared are added. If it is about a value from
    a settings file, the file's path is added to the message of `error`.

    Args:
        error: The error of the command.
        command: The command.
        bound: The arguments that the command was called with.

    Raises:
        UsageError: A file that the command was called with is of the wrong kind.
    """
    _explain_file(error, command, bound)
    if isinstance(error, UsageError) and error.code is not None and command != "compare":  # which needs two judges
        from markscheme.features.mistaken_calls.fitting_judges import name_fitting_judges

        name_fitting_judges(error, bound)
    with suppress(UsageError):
        settings = find_settings(Path.cwd())
        key, value = error.setting or ("", "")
        if value in settings.texts(key):
            error.args = (f"{error}; `{key}` is set in {settings.path}",)


def _explain_file(error: MarkschemeError, command: str, bound: BoundArguments) -> None:
    """Raise UsageError if a command's error is about a file of a kind that the command doesn't take there.

    The message says what the file is, and which command or option takes it.

    Args:
        error: The error.
        command: The command.
        bound: The values of the parameters of the command's function, among them the files.
    """
    explained = isinstance(error, UsageError | FileError | ComparisonError) and not isinstance(error, NothingGraded)
    says_kind = isinstance(error, UsageError) and error.code == "not-a-table"
    if not explained or says_kind or error.path is None or not Path(error.path).exists():
        return
    for taker, path in _files_to_read(command, bound):
        if path.exists() and path.samefile(error.path) and not (taker == command and str(path) in known_rubrics()):
            sentence = _sentence(taker, path, is_of_content=isinstance(error, FileError) or taker != command)
            if sentence is not None:
                raise UsageError(sentence, path=path) from error


def _files_to_read(command: str, bound: BoundArguments) -> Iterator[tuple[str, Path]]:
    """Yield each path that a command may read, with the name of its option; without an option, the command's name.

    Args:
        command: The command.
        bound: The values of the parameters of the command's function.
    """
    for option, value, is_file_to_write in _typed_values(command, bound):
        if not is_file_to_write:
            yield from ((option, path) for path in paths_in(value))


def _typed_values(command: str, bound: BoundArguments) -> Iterator[tuple[str, Any, bool]]:
    """Yield the name of each option with its value, and True if the value is a file that the command writes.

    An operand has no name, so the command's name is yielded with its value.

    Args:
        command: The command.
        bound: The values of the parameters of the command's function.
    """
    for name, value in bound.arguments.items():
        parameter = bound.signature.parameters[name]
        families = value.values if isinstance(value, AddedOptions) else (value,)
        if not all(map(dataclasses.is_dataclass, families)):
            is_operand = parameter.kind is Parameter.POSITIONAL_ONLY
            yield command if is_operand else option_name(parameter), value, is_written(parameter)
            continue
        for family in families:
            for key, declared in options_of(type(family)).items():
                option = declared.name or f"--{key.strip('_').replace('_', '-')}"
                yield option, getattr(family, key), declared.form.is_written


def _sentence(taker: str, path: Path, *, is_of_content: bool) -> str | None:
    """Say which kind of file the user passed in place of the expected one; None if it may be of the expected kind.

    Args:
        taker: The option whose value is the file or, if the file was typed without an option, the command.
        path: The file.
        is_of_content: True if the command failed on the file's content; False if it failed on the name, which may be
            that of a rubric.
    """
    expected = f"; expected {_EXPECTED[taker]}" if taker in _EXPECTED else ""
    if path.is_dir():
        is_refused = is_of_content and taker not in _TAKE_FOLDERS
        return f"{path} is a folder, not a file{expected}" if is_refused else None
    if not path.is_file():  # reading a pipe would wait for its writer
        return None
    try:
        content = _FileContent(path)
    except OSError:
        return None
    if content.emptiness is not None:
        return f"{path} {content.emptiness}{expected}"
    if content.binary is not None:
        return f"{path} is {content.binary}{expected}"
    kinds = (*_KINDS, *_IN_PLACE_OF_ACCEPTED) if taker == "--accepted" else _KINDS
    kind = next((kind for kind in kinds if kind.is_mine(content)), None)
    if kind is None or taker in kind.takers:
        return None
    way_out = filled(kind.way_out, {"RUBRIC": shlex.quote(content.rubric), "FILE": shlex.quote(str(path))})
    return f"{path} is {kind.name}; {way_out}"

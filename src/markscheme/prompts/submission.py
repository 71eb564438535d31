"""The response to judge, with its named inputs."""

import json
from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass, field
from datetime import date, time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from markscheme.errors import SubmissionError, UsageError
from markscheme.json_text import json_or
from markscheme.plain_data import shown
from markscheme.prompts.parts import PART_SUFFIXES, loaded_part, may_name_parts, parted_text, warn_of_bare_path
from markscheme.rubrics.of_rows import ROW_RUBRIC_KEYS, as_row_text
from markscheme.rubrics.rubric import Rubric
from markscheme.text import encodable

NO_RESPONSE = "the row has no response"
"""Message for a row without a response; the other rows of the file are still graded."""
NO_PAIR = "the rubric compares pairs, and this is a single response: it needs `first` and `second`"
IS_PAIR = "this is a pair of responses, and the rubric judges single ones: it needs `compare: pairs`"
RESPONSE = "response"
"""Name of the response among the texts that a judge sees, in prompts and in files."""
PAIR_NAMES = ("first", "second")
"""Keys of the two responses of a pair, in stored order."""
RESPONSE_KEYS = ("response", "output")
"""Keys that may hold the response in a row of plain data."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A response to judge with its named inputs.

    Attributes:
        response: Text that is judged. Numbers, booleans, lists, mappings and traces are shown as JSON.
        inputs: Inputs by name: query, reference, context, messages, or any name that a rubric declares; converted like
            the response. None, or NaN as in tables, means that an input is missing.
        id: Id in files and reports.
        fault: Reason why it can't be graded, such as a row without response; None if it can.
        second: For a pair, the other response, with which `response` is compared; None for a single response.
        turned: True for a pair whose second response is shown to a judge first.
        folder: The folder that paths of parts, such as images, are relative to; None to refuse such paths.

    Lone surrogates, which no encoding can carry, are replaced by U+FFFD.

    Raises:
        SubmissionError: The response is None. Or the response or an input is bytes, is an object that isn't JSON data
            (such as a list with NaN), or names a part that can't be judged.

    Example:
        >>> Submission("Paris.", {"query": "Capital of France?"}).inputs["query"]
        'Capital of France?'
    """

    response: str
    inputs: Mapping[str, str] = field(default_factory=dict)
    id: str = ""
    fault: str | None = None
    second: str | None = None
    turned: bool = False
    folder: InitVar[Path | None] = None

    if TYPE_CHECKING:  # what is given may be anything that a text is made of

        def __init__(
            self,
            response: Any,
            inputs: Mapping[str, Any] = ...,
            id: str = ...,
            fault: str | None = ...,
            second: Any = None,
            turned: bool = False,
            folder: Path | None = None,
        ) -> None:
            """Create a submission; the class's docstring describes the arguments."""

    def __post_init__(self, folder: Path | None) -> None:
        if self.response is None:
            raise SubmissionError("the response", "None")
        object.__setattr__(self, "response", _given_text(self.response, "the response", folder))
        if self.second is not None:
            object.__setattr__(self, "second", _given_text(self.second, "the second response", folder))
        if self.inputs:
            inputs = {
                name: _input_text(name, value, folder) for name, value in self.inputs.items() if not is_missing(value)
            }
            object.__setattr__(self, "inputs", inputs)

    @property
    def texts(self) -> dict[str, str]:
        """Texts to be judged, by name: the response, or a pair's two responses in the order in which they are shown."""
        if self.second is None:
            return {RESPONSE: self.response}
        names = PAIR_NAMES[::-1] if self.turned else PAIR_NAMES
        texts = dict(zip(PAIR_NAMES, (self.response, self.second), strict=True))
        return {name: texts[name] for name in names}

    @property
    def responses(self) -> tuple[str, ...]:
        """Texts to be judged, without names: the response, or a pair's two in the order of `texts`."""
        return tuple(self.texts.values())

    @classmethod
    def of(cls, response: Any, inputs: Mapping[str, Any]) -> "Submission":
        """Create a submission from a response and its inputs; a Submission is returned as it is.

        Raises:
            SubmissionError: The response or an input can't be judged, as for `Submission`.
            ValueError: `response` is a Submission, which has its own inputs, and `inputs` isn't empty.
        """
        if not isinstance(response, Submission):
            return cls(response, inputs)
        if inputs:
            raise ValueError("give inputs in the Submission, or next to a response, not both")
        return response


def metadata_of(submission: Submission) -> dict[str, str]:
    """Read the plain values in a submission's input `metadata`.

    Example:
        >>> metadata_of(Submission("Hallo.", {"metadata": {"language": "de"}}))
        {'language': 'de'}
    """
    return plain_metadata(json_or(submission.inputs.get("metadata", ""), {}))


def plain_metadata(metadata: Any) -> dict[str, str]:
    """Select the plain values in metadata: texts, numbers, and booleans as `true` and `false`.

    Lists and objects, such as the reason why an output was drawn, are left out.

    Example:
        >>> plain_metadata({"language": "de", "turns": 3, "first": True, "why": ["near the mark"]})
        {'language': 'de', 'turns': '3', 'first': 'true'}
    """
    if not isinstance(metadata, Mapping):
        return {}
    words = {key: str(value).lower() if isinstance(value, bool) else value for key, value in metadata.items()}
    return {str(key): str(value) for key, value in words.items() if isinstance(value, str | int | float)}


_MISSING_IN_PANDAS = {("pandas", "NAType"), ("pandas", "NaTType")}
"""Types of pandas' values for empty cells, by package and name, so that pandas needn't be imported. Their module
differs between versions of pandas."""


def is_missing(value: Any) -> bool:
    """Return True if a value is None, NaN, or pandas' NA or NaT, as empty cells of tables are.

    Example:
        >>> is_missing(float("nan")), is_missing(0.0)
        (True, False)
    """
    if value is None or isinstance(value, str):
        return value is None
    if (type(value).__module__.partition(".")[0], type(value).__name__) in _MISSING_IN_PANDAS:
        return True
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    may_be_nan = isinstance(value, float) or (kind in ("f", "M", "m") and value.shape == ())  # or a date that is none
    return may_be_nan and bool(value != value)


def _forget(_: tuple[str]) -> None:
    """Do nothing on the notice that an image or other part of a submission can't be shown."""


def as_text(value: Any, name: str = "the value", *, allow_nan: bool = True, folder: Path | None = None) -> str:
    """Convert a value to the text shown to a judge: text unchanged, everything else as JSON.

    Args:
        value: The value: text, numbers, booleans, lists, mappings and traces; dates and times, as in tables, become
            text.
        name: Noun for the value, for the error.
        allow_nan: True to show NaN and infinities, which JSON doesn't have, as in files of other tools.
        folder: The folder that paths of parts in it are relative to; None to refuse such paths.

    Returns:
        The text, with parts if the value names any, such as images.

    Raises:
        SubmissionError: The value is or contains something else, such as bytes, or names a part that can't be judged.

    Example:
        >>> as_text([{"role": "user", "content": "Hi"}])
        '[{"role": "user", "content": "Hi"}]'
    """
    if isinstance(value, str):
        return encodable(value)
    try:
        text = encodable(json.dumps(value, ensure_ascii=False, default=_json_data, allow_nan=allow_nan))
    except _NotJson as error:
        parted = parted_text(value, folder, name)
        if parted is not None:
            return parted
        raise SubmissionError(name, error.kind, within=error.value is not value) from None
    except (TypeError, ValueError, RecursionError) as error:  # keys that aren't text; a list that contains itself; NaN
        is_within = not isinstance(value, float)
        raise SubmissionError(name, f"data that JSON can't express ({error})", within=is_within) from None
    return (parted_text(value, folder, name) or text) if may_name_parts(text) else text


UNSHOWN_PARTS: Final = "texts with an image or a document that can't be shown: no such file, or not at hand"
"""Description, in the counts of what an import lost, of texts whose images or documents can't be read."""


def text_in_file(
    value: Any, name: str = "the value", folder: Path | None = None, lose: Callable[[tuple[str]], None] = _forget
) -> str:
    """Convert a value in another tool's file to a text for the judge; a value with an unusable image becomes JSON.

    Args:
        value: The value in the file.
        name: Noun for the value, for the error.
        folder: The folder that paths of parts in it are relative to; None if they can't be followed.
        lose: Function that is called, if an image or document can't be used, with a tuple that has the phrase
            `UNSHOWN_PARTS` as its only item.

    Raises:
        SubmissionError: JSON can't express the value.
    """
    try:
        return as_text(loaded_part(value, name), name, folder=folder)
    except SubmissionError:
        lose((UNSHOWN_PARTS,))
        return value if isinstance(value, str) else encodable(json.dumps(value, ensure_ascii=False, default=_json_data))


def _input_text(name: str, value: Any, folder: Path | None) -> str:
    if isinstance(value, Rubric):
        return as_row_text(value)
    # a faulty rubric is a fault of its row alone
    return _given_text(value, f"input {name!r}", folder, allow_nan=name in ROW_RUBRIC_KEYS)


def _given_text(value: Any, name: str, folder: Path | None, *, allow_nan: bool = False) -> str:
    if folder is not None and isinstance(value, str) and value.endswith(PART_SUFFIXES):
        warn_of_bare_path(value, folder, name)
    return as_text(value, name, allow_nan=allow_nan, folder=folder)


class _NotJson(Exception):  # noqa: N818
    """Error of a value that can't be written as JSON."""

    def __init__(self, value: Any) -> None:
        self.value, self.kind = value, f"a {type(value).__name__} object"


def _json_data(value: Any) -> Any:
    """Convert a mapping, number, array, date or time to plain JSON data; raise an error for any other value."""
    if isinstance(value, Mapping):
        return dict(value)
    from numbers import Complex, Integral, Number, Real

    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, date | time) or (isinstance(value, Number) and not isinstance(value, Complex)):
        return str(value)
    if type(value).__module__.partition(".")[0] in ("numpy", "pandas") and callable(getattr(value, "tolist", None)):
        return value.tolist()
    raise _NotJson(value)


def submission_of(row: Any, number: int, folder: Path | None = None) -> Submission:
    """Create a submission from a row: `response` (or `output`), `id`, and inputs by name or under `inputs`.

    A row with `first` and `second` instead of a response, each a text or an object with `response`, is a pair.

    Args:
        row: The row, an object. A response that is a list or an object, such as tool calls, is shown as JSON.
        number: Number of the row, which is its id if it has none.
        folder: The folder that the row's paths of images and documents are relative to; None to refuse such paths.

    Returns:
        The submission, with a fault if a response is null, or NaN as in tables.

    Raises:
        SubmissionError: The row's response or an input is bytes, or an object that isn't JSON data.
        ValueError: The row has no key for a response, or its inputs have no names.

    Example:
        >>> submission_of({"response": "Paris.", "query": "Capital of France?"}, 1).inputs
        {'query': 'Capital of France?'}
        >>> submission_of({"first": "Paris.", "second": {"response": "Lyon."}}, 1).second
        'Lyon.'
    """
    is_pair = isinstance(row, Mapping) and has_pair_alone(row)
    if not isinstance(row, Mapping) or not (is_pair or any(key in row for key in RESPONSE_KEYS)):
        raise ValueError(f"a submission has a response, under `response` or `output`; found {shown(row)}")
    sides = [row[name] for name in PAIR_NAMES] if is_pair else [row]
    responses = [response_in(side) for side in sides]
    named = row.get("inputs") or {}
    if not isinstance(named, Mapping):
        raise ValueError(f"inputs are texts by name, found {shown(named)}")
    not_inputs = ("id", "inputs", *(PAIR_NAMES if is_pair else RESPONSE_KEYS))
    others = {key: value for key, value in row.items() if key not in not_inputs}
    id = str(number if row.get("id") is None else row["id"])
    fault = NO_RESPONSE if any(map(is_missing, responses)) else ""
    texts = ["" if fault else response for response in responses]
    second = texts[1] if is_pair else None
    return Submission(texts[0], {**others, **named}, id, fault, second=second, folder=folder)


def refuse_frame(rows: Any) -> None:
    """Raise UsageError if a data frame is passed where its rows are expected.

    Raises:
        UsageError: A data frame was passed; the message says how to get its rows.
    """
    if hasattr(rows, "columns") and not isinstance(rows, Mapping):
        calls = ("to_dicts()", "to_pylist()")  # of polars and of pyarrow
        call = next((call for call in calls if hasattr(rows, call[:-2])), "to_dict('records')")
        raise UsageError(f"a {type(rows).__name__} is given by its rows: frame.{call}")


def has_pair_alone(row: Mapping[str, Any]) -> bool:
    """Return True if a row has a pair of responses, `first` and `second`, and no single response."""
    return row.keys() >= set(PAIR_NAMES) and all(row.get(key) is None for key in RESPONSE_KEYS)


def response_in(side: Any) -> Any:
    """Return the text of one response of a pair; in a row, it may be an object with `response` or `output`."""
    if isinstance(side, Mapping) and any(key in side for key in RESPONSE_KEYS):
        return side.get("response", side.get("output"))
    return side

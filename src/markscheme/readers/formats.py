"""Detection of a file's format, by trying each format that markscheme or one of its features can read."""

from collections.abc import Callable, Sequence

from markscheme.errors import RatingError
from markscheme.readers.calibrations import is_calibration, read_calibrations
from markscheme.readers.decisions import is_decisions, is_short_report, read_decisions, read_short_report
from markscheme.readers.file_format import FORMATS, SAVED, FileFormat, ReadFiles
from markscheme.readers.grades import is_grades, read_grades
from markscheme.readers.imported import Columns, Expected, ImportedFile
from markscheme.readers.infer_rubric import rubric_of_wholes
from markscheme.readers.own_files import is_labelled, is_ratings, may_be_examples, read_examples, read_ratings
from markscheme.readers.peek import Peek
from markscheme.readers.promptfoo import is_results, read_results_files
from markscheme.readers.sheet import is_sheet, read_sheet
from markscheme.readers.tables import is_list, is_plain_lines, is_table, read_rows
from markscheme.rubrics.rubric import Rubric


def one_by_one(read: Callable[[ImportedFile], None], *, has_responses: bool = True) -> ReadFiles:
    """Turn a function that reads a single file into a format's reader of several files.

    Args:
        read: Function that adds the content of one file to the file's ImportedFile.
        has_responses: True if the files may contain responses.
    """

    def read_each(files: Sequence[Peek], rubric: Rubric | None, columns: Columns) -> list[ImportedFile]:
        if rubric is None and columns.expected != "examples":
            problem = "isn't an export that names its metrics; pass `--rubric NAME`"
            raise RatingError(problem, path=files[0].path)
        if rubric is None and not has_responses:
            return [ImportedFile(peek.path, rubric_of_wholes()) for peek in files]
        rubric = rubric or rubric_of_wholes()
        readings = [columns.reading(peek, rubric) for peek in files]
        for reading in readings:
            read(reading)
        return readings

    return read_each


TABLE = FileFormat("a table (.csv, .tsv, .parquet)", is_table, one_by_one(read_rows))
PLAIN_LINES = FileFormat("lines (.jsonl, .txt)", is_plain_lines, one_by_one(read_rows))
LIST = FileFormat("a list (.json)", is_list, one_by_one(read_rows))
PROMPTFOO_RESULTS = FileFormat(
    "Promptfoo's results", is_results, read_results_files, states_kinds=False, names_judges=False, rank=SAVED
)
SHEET = FileFormat(
    "answers of a labelling sheet (.json)", is_sheet, one_by_one(read_sheet, has_responses=False), rank=SAVED
)
CALIBRATIONS = FileFormat("a report of `calibrate` (--json)", is_calibration, read_calibrations)
OWN_FORMATS = (
    SHEET,
    PROMPTFOO_RESULTS,
    CALIBRATIONS,
    FileFormat("grades (of `grade`)", is_grades, read_grades, names_judges=False),
    FileFormat("labelled examples (.jsonl, .json, .yaml, .csv)", is_labelled, read_examples),
    FileFormat("figures of a calibration", is_short_report, read_short_report, ("decisions",), states_kinds=False),
    FileFormat("decisions (.jsonl)", is_decisions, read_decisions, ("decisions",), states_kinds=False),
    FileFormat("examples", may_be_examples, read_examples, expected=("examples",)),
    FileFormat("ratings (.jsonl)", is_ratings, read_ratings, expected=("ratings", "decisions"), all_are_judges=True),
    TABLE,
    PLAIN_LINES,
    LIST,
)
"""The formats of the core, with examples and ratings before tables and lines."""


def all_formats() -> list[FileFormat]:
    """Return all formats in the order in which they are tried: by `rank`; if ranks are equal, the core's first."""
    of_features = [file_format for load in FORMATS for file_format in load()]
    return sorted([*OWN_FORMATS, *of_features], key=lambda file_format: file_format.rank)


def _possible(expected: Expected) -> list[FileFormat]:
    return [known for known in all_formats() if not known.expected or expected in known.expected]


def format_of(peek: Peek, expected: Expected) -> FileFormat | None:
    """Return the format of a file; None if it is unknown.

    Args:
        peek: The file.
        expected: Contents expected of plain lines, such as ratings or examples.
    """
    return next((file_format for file_format in _possible(expected) if file_format.is_mine(peek)), None)


def known_formats(expected: Expected) -> str:
    """List the formats that can hold the expected content, as the end of an error message."""
    *most, last = dict.fromkeys(file_format.reads for file_format in _possible(expected))
    return f"{', '.join(most)} or {last}"


def format_elsewhere(peek: Peek) -> FileFormat | None:
    """Return the format of a file that only some commands read, such as a report; else None.

    Call it if the present command can't read the file, to say in the error what the file is.
    """
    by_content = (
        file_format for file_format in all_formats() if file_format.expected and "examples" not in file_format.expected
    )
    return next((file_format for file_format in by_content if file_format.is_mine(peek)), None)

"""The common entry to rated files of any format: read them into a rubric, examples and ratings."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from markscheme.errors import ComparisonError, RatingError, RubricError, UsageError, reading
from markscheme.fingerprint import fingerprint
from markscheme.judges.judge import Usage, total
from markscheme.prompts.submission import Submission
from markscheme.ratings.codes import RatingCodes, RatingView
from markscheme.ratings.column_options import ColumnOptions, sides_of, spans_by_name
from markscheme.ratings.example_rows import Example, values_of
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.kinds import JUDGES
from markscheme.ratings.rating import Rating
from markscheme.readers.calibrations import reported_rubric
from markscheme.readers.file_format import FileFormat
from markscheme.readers.formats import (
    CALIBRATIONS,
    LIST,
    PLAIN_LINES,
    PROMPTFOO_RESULTS,
    TABLE,
    format_elsewhere,
    format_of,
    known_formats,
)
from markscheme.readers.imported import Columns, Expected, ImportedFile
from markscheme.readers.own_files import has_own_lines
from markscheme.readers.peek import FileShape, Peek
from markscheme.readers.reported import JudgeCost, WrittenCalibration
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.preference import ShownOrder
from markscheme.rubrics.reading import shows_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.text import folded_word

AS_WRITTEN = Columns()
"""Columns for files that need no options."""


def columns_from_options(options: ColumnOptions) -> Columns:
    """Convert the options on columns to Columns, the form in which readers of exports take them.

    Raises:
        UsageError: A value of `--map` or `--levels` isn't of the form that exports take.
    """
    words = {folded_word(word): level for word, level in sides_of("levels", options.levels).items()}
    scales = spans_by_name(options.scale)
    fields = {column: field for column, field in options.column_fields.items() if column not in options.sides}
    return Columns(fields, options.rater, options.kind, frozenset(options.judge_names), scales, options, words)


@dataclass(frozen=True)
class RatedFile:
    """The content of one file of ratings, or of one export that consists of several files.

    Attributes:
        path: The file, or the first of several.
        format: Description of its format.
        rubric: The rubric by which the ratings were read.
        examples: The examples in the file, with responses if the file includes them, without labels.
        ratings: All ratings of the responses, by every rater.
        all_are_judges: True if people's ratings are compared like a judge's, instead of being labels.
        judge_cost: Number of questions to the judge, and their cost.
        calibration: The report of `calibrate` that the file contains; None for any other file.
        day: The day of the evaluation, as written; None if the file doesn't say.
        states_kinds: True if the file states for each rating whether a person gave it.
        names_judges: True if the file names its judges.
        cases: Each example's test case, by example id, where several responses or repeated runs answer one case.
        written_ids: Each example's id in the file, by example id, where several systems share one id.
        examples_read: The example set that the file contains; None for any other file.
        lost: Counts of what could not be imported, since ratings can't hold it.
        notes: Sentences on how the file was interpreted, where it is ambiguous.
    """

    path: Path
    format: str
    rubric: Rubric
    examples: Sequence[Example]
    ratings: Sequence[Rating]
    all_are_judges: bool = False
    judge_cost: JudgeCost = JudgeCost()
    calibration: WrittenCalibration | None = None
    day: str | None = None
    states_kinds: bool = True
    names_judges: bool = True
    cases: Mapping[str, str] = field(default_factory=dict)
    written_ids: Mapping[str, str] = field(default_factory=dict)
    examples_read: ExampleSet | None = None
    lost: Mapping[str, int] = field(default_factory=Counter)
    notes: tuple[str, ...] = ()

    @property
    def judged(self) -> RatingCodes:
        """Ratings of the judges in the file."""
        ratings = RatingCodes.of(self.ratings)
        return ratings if self.all_are_judges else ratings.of_kinds(JUDGES)

    @property
    def labels(self) -> RatingCodes:
        """Ratings that judges are compared with; none for a report of `calibrate`, which holds gold labels instead."""
        if self.all_are_judges or self.calibration is not None:
            return RatingCodes()
        return RatingCodes.of(self.ratings).where(lambda header: header.kind not in JUDGES)

    @property
    def has_responses(self) -> bool:
        """True if the file contains the responses that were rated."""
        return any(values_of(self.examples, "response_length"))

    def labelled(self, labels: Iterable[Rating]) -> ExampleSet:
        """Return the examples that the given labels are about, with these labels.

        An example that the file lacks is made without a response.

        Args:
            labels: The labels.
        """
        by_unit: dict[str, list[Rating]] = {}
        for label in labels:
            by_unit.setdefault(label.id, []).append(label)
        examples = {example.id: example for example in self.examples}
        labelled = (
            replace(examples.get(unit) or Example(Submission("", {}, unit)), labels=tuple(unit_labels))
            for unit, unit_labels in by_unit.items()
        )
        return ExampleSet(tuple(labelled), path=self.path)

    def renamed(self, names: Mapping[str, str]) -> "RatedFile":
        """Return the content with examples renamed by a mapping of old ids to new ones."""
        if not names:
            return self
        examples = (
            replace(example, submission=replace(example.submission, id=names.get(example.id, example.id)))
            for example in self.examples
        )
        ratings = RatingCodes.of(self.ratings).with_ids(names)
        cases = {names.get(unit, unit): case for unit, case in self.cases.items()}
        return replace(self, examples=tuple(examples), ratings=ratings, cases=cases)


@dataclass(frozen=True)
class RatedFiles:
    """The contents of several files of ratings, read by one rubric; a response has the same id in each file.

    Attributes:
        rubric: The rubric that the user or the files name, or that the files imply.
        files: The content of each file, in the order in which they were named.
        is_named: True if the user or the files name the rubric. Only then are its weights and pass mark an author's,
            and not inferred from the files.
    """

    rubric: Rubric
    files: tuple[RatedFile, ...]
    is_named: bool = True

    @cached_property
    def ratings(self) -> RatingCodes:
        """Ratings of all files; a judge's rating of an example in a later file is a further sample."""
        if len(self.files) == 1:
            return RatingCodes.of(self.files[0].ratings)
        samples: Counter[tuple[str, str, str, ShownOrder | None]] = Counter()
        numbered = RatingCodes()
        for rating in (rating for file in self.files for rating in file.ratings):
            key = (rating.id, rating.rater, rating.kind, rating.shown)
            numbered.append(replace(rating, sample=samples[key]) if rating.kind in JUDGES else rating)
            samples[key] += 1
        return numbered

    @cached_property
    def labelled(self) -> ExampleSet:
        """Examples of all files with their labels; if an annotator labels an example again, the last label counts."""
        every = RatingCodes().joined(*(file.labels for file in self.files))
        raters = [(header.rater, header.kind) for header in every.headers]
        labels: dict[str, dict[tuple[str, str], int]] = {}
        for index, (unit, header) in enumerate(zip(every.ids, every.header_numbers, strict=True)):
            labels.setdefault(unit, {})[raters[header]] = index
        examples = {example.id: example for file in reversed(self.files) for example in file.examples}
        in_order = dict.fromkeys([*(example.id for file in self.files for example in file.examples), *labels])
        return ExampleSet(
            tuple(
                replace(
                    examples.get(unit) or Example(Submission("", {}, unit)),
                    labels=RatingView(every, tuple(labels[unit].values())) if unit in labels else (),
                )
                for unit in in_order
            ),
            path=self.files[0].path if len(self.files) == 1 else None,
        )

    @property
    def example_set(self) -> ExampleSet:
        """The labelled examples of the files; for a file of examples, all examples in it, each with its line number."""
        (file,) = self.files[:1]
        return self.labelled if file.examples_read is None else file.examples_read

    @property
    def as_one_file(self) -> RatedFile:
        """The contents of all files merged into one."""
        first = self.files[0]
        lost = Counter[str]()
        for file in self.files:
            lost.update(file.lost)
        examples = {example.id: example for file in reversed(self.files) for example in file.examples}
        units = dict.fromkeys(example.id for file in self.files for example in file.examples)
        return replace(
            first,
            examples=tuple(examples[unit] for unit in units),
            ratings=self.ratings,
            lost=lost,
            notes=tuple(self.notes),
        )

    @property
    def usage(self) -> Usage:
        """Tokens and cost of the judges in all files."""
        return total(file.judge_cost.usage for file in self.files)

    @property
    def days(self) -> list[str]:
        """Days on which the evaluations in the files ran, each only once."""
        return list(dict.fromkeys(file.day for file in self.files if file.day))

    @property
    def notes(self) -> list[str]:
        """Notes on how the files were interpreted, each only once."""
        return list(dict.fromkeys(note for file in self.files for note in file.notes))

    def placed_on(self, examples: ExampleSet) -> "RatedFiles":
        """Return the files with responses renamed to the ids of the examples that have the same text.

        A response keeps its id if the id is an example's, or if no example or several examples have its text.

        Raises:
            ComparisonError: A file contains responses, and none of them has the id or the text of an example.
        """
        return replace(self, files=tuple(_placed(file, examples) for file in self.files))


def open_rated(
    paths: Sequence[Path],
    rubric: Rubric | None = None,
    *,
    expected: Expected = "ratings",
    columns: Columns = AS_WRITTEN,
    joined: bool = False,
    keep_unread: bool = False,
) -> RatedFiles:
    """Read files of ratings in any known format, and give equal responses the same id.

    Args:
        paths: The files.
        rubric: The rubric whose criteria and scales the ratings must fit; None to take the one that the files name or
            imply.
        expected: Contents expected of plain lines and tables, such as ratings or examples.
        columns: Meaning of the columns, where the files don't state it.
        joined: True if several files of one tool are one export.
        keep_unread: True if a judge's answer off the scale is kept as an unreadable verdict, to be counted.

    Raises:
        RatingError: A file has no known format, or can't be read.
        ComparisonError: The files imply rubrics without a criterion in common.
        UsageError: The files imply rubrics that can't be joined.
    """
    columns = replace(columns, joined=joined, keep_unread=keep_unread, expected=expected)
    formats = formats_of(paths, expected, columns.meaning)
    if joined and len(paths) > 1 and not are_of_tool(paths):
        raise RatingError("isn't a file of the same export as the others; import it by itself", path=paths[0])
    if rubric is not None:
        return RatedFiles(rubric, tuple(_aligned(_read(formats, rubric, columns))))
    files = _read(formats, None, columns)
    common = _common_rubric(files)
    if any(file.rubric != common for file in files):
        files = _read(formats, common, replace(columns, by_metrics=True))
    return RatedFiles(common, tuple(_aligned(files)), is_named=common.source is not None)


def judge_ratings(
    path: Path, rubric: Rubric, examples: ExampleSet | None = None, columns: Columns = AS_WRITTEN
) -> RatingCodes:
    """Read the judges' ratings of a rubric's examples from a file of any format.

    Args:
        path: The file.
        rubric: The rubric of the examples.
        examples: The examples, which may have other ids in the file; None to keep the file's ids.
        columns: Meaning of the columns, where the file doesn't state it.

    Raises:
        UsageError: The file has no ratings by a judge.
        RatingError: The file can't be read.
        ComparisonError: None of the responses in the file is an example.
    """
    if not path.is_file():
        of_rows = "each line is one rating, as `import` writes them"
        raise UsageError(f"there is no file of ratings {path}; {of_rows}", path=path)
    rated = open_rated([path], rubric, columns=columns, keep_unread=True)
    if examples is not None:
        rated = rated.placed_on(examples)
    ids = None if examples is None else set(examples.ids)
    by_file = [(file, file.judged) for file in rated.files]
    if not any(codes for _, codes in by_file):
        has_labels = any(file.labels for file in rated.files)
        only = "labels, and no ratings of a judge" if has_labels else "no ratings"
        raise UsageError(f"{path} contains {only}", path=path)
    judged = [codes if ids is None or not file.has_responses else codes.of_ids(ids) for file, codes in by_file]
    ratings = judged[0] if len(judged) == 1 else RatingCodes().joined(*judged)
    if examples is not None:
        ratings.share_ids(examples.ids)
    return ratings


def known_format(path: Path) -> FileFormat | None:
    """Return a file's format, recognized by its content; None for an unknown one, or a JSON list of any kind."""
    file_format = format_of(Peek(path), "anything") if path.is_file() else None
    return None if file_format is LIST else file_format


def shape_of(path: Path) -> FileShape:
    """Return what a file looks like by its content: lines, table, JSON and so on."""
    return Peek(path).shape


def has_results(path: Path) -> bool:
    """Return True if a file contains Promptfoo's results."""
    return format_of(Peek(path), "anything") is PROMPTFOO_RESULTS


def rubric_of_report(path: Path) -> str | None:
    """Return the name of the rubric in a report of `calibrate --json`; None for any other file.

    It is "" for a report on several judges, which doesn't state one rubric for all.
    """
    peek = Peek(path)
    return reported_rubric(peek) if path.is_file() and format_of(peek, "anything") is CALIBRATIONS else None


def is_plain_table(path: Path) -> bool:
    """Return True if a file may be a table that isn't in the format of another tool."""
    if not path.is_file():
        return False
    peek = Peek(path)
    shape = format_of(peek, "anything")
    if shape is None or (shape.is_table_too is not None and shape.is_table_too(peek)):
        return True
    return shape in (TABLE, LIST) or (shape is PLAIN_LINES and not has_own_lines(peek))


def has_own_ratings(path: Path) -> bool:
    """Return True if a file has ratings, labelled examples or a labelling sheet's answers in markscheme's formats."""
    if not path.is_file():
        return False
    shape = format_of(Peek(path), "ratings")
    others = (TABLE, PLAIN_LINES, LIST, PROMPTFOO_RESULTS, CALIBRATIONS)
    return shape is not None and shape not in others and not shape.is_of_tool


def are_of_tool(paths: Sequence[Path]) -> bool:
    """Return True if files are the export of a tool that names its metrics and raters.

    Raises:
        RatingError: The files are of several tools.
    """
    formats = [format_of(peek, "anything") for peek in map(Peek, paths)]
    first = formats[0]
    if first is None or not first.is_of_tool:
        return False
    for path, file_format in zip(paths, formats, strict=True):
        if file_format is not first:
            reads = file_format.reads if file_format and file_format.is_of_tool else "of no tool known here"
            raise RatingError(f"is {reads}; {paths[0].name} is {first.reads}: name files of one export", path=path)
    return True


def formats_of(
    paths: Sequence[Path], expected: Expected, options: ColumnOptions = ColumnOptions()
) -> list[tuple[Peek, FileFormat]]:
    """Detect the format of each file.

    Args:
        paths: The files.
        expected: The kind of content that the caller expects.
        options: The user's options on columns.

    Raises:
        RatingError: A file has no format in which the expected content can be.
    """
    with_formats = []
    for peek in (Peek(path, options) for path in paths):
        with reading(peek.path, "a rated file"):
            file_format = format_of(peek, expected)
            if file_format is TABLE and peek.shape == "sheet":
                next(peek.parts(), None)  # says what is wrong with it, before what it lacks
            elsewhere = None if file_format else format_elsewhere(peek)
        if elsewhere is not None:
            raise RatingError(f"contains {elsewhere.name}, and no ratings", path=peek.path)
        if file_format is None:
            with suppress(RubricError):
                if shows_rubric(peek.path) and load_rubric(peek.path):
                    raise RatingError("contains a rubric, and no ratings", path=peek.path)
            raise RatingError(f"isn't one of {known_formats(expected)}", path=peek.path)
        with_formats.append((peek, file_format))
    return with_formats


def _read(formats: Sequence[tuple[Peek, FileFormat]], rubric: Rubric | None, columns: Columns) -> list[RatedFile]:
    """Read files of known formats and return them in their order; files of one format are read together."""
    by_format: dict[str, list[Peek]] = {}
    for peek, file_format in formats:
        by_format.setdefault(file_format.reads, []).append(peek)
    files: dict[Path, list[RatedFile]] = {}
    for file_format in dict.fromkeys(file_format for _, file_format in formats):
        peeks = by_format[file_format.reads]
        with reading(peeks[0].path, file_format.name):
            contents = file_format.read(peeks, rubric, columns)
        for content in contents:
            files.setdefault(content.path, []).append(rated_file(content, file_format))
    return [file for path in dict.fromkeys(peek.path for peek, _ in formats) for file in files.get(path, ())]


def rated_file(content: ImportedFile, file_format: FileFormat) -> RatedFile:
    """Make a RatedFile from the content that a reader returned, with the facts that its format states."""
    return RatedFile(
        path=content.path,
        format=file_format.name,
        rubric=content.rubric,
        examples=content.examples,
        ratings=content.ratings,
        all_are_judges=file_format.all_are_judges,
        judge_cost=content.judge_cost,
        calibration=content.calibration,
        day=content.day,
        states_kinds=file_format.states_kinds,
        names_judges=file_format.names_judges,
        cases=content.cases,
        written_ids=content.written_ids,
        examples_read=content.examples_read,
        lost=content.lost,
        notes=tuple(content.notes),
    )


def _common_rubric(files: Sequence[RatedFile]) -> Rubric:
    """Return the rubric by which the files are compared.

    If exactly one of the files' rubrics is from a rubric's file, it is that rubric. Else it is the rubric that all
    files share, or a new rubric of those criteria that all files rate on the same scale.

    Raises:
        ComparisonError: No criterion is rated on the same scale in all files.
        UsageError: Some of the files are calibrations, which contain no weights, and no rubric is known that has them.
    """
    first, *others = {file.rubric.criteria: file.rubric for file in files}.values()
    named = [rubric for rubric in (first, *others) if rubric.source is not None]
    if len(named) == 1:
        return named[0]
    of_reports = [file.calibration is not None for file in files]
    if not others and (all(of_reports) or not any(of_reports)):
        return first
    if any(of_reports):
        raise UsageError("a calibration does not contain its criteria's weights: name its rubric with --rubric")
    scales = [{criterion.name: criterion.scale for criterion in rubric.criteria} for rubric in others]
    common = tuple(
        criterion
        for criterion in first.criteria
        if all(of_other.get(criterion.name) == criterion.scale for of_other in scales)
    )
    if not common:
        criteria = "; ".join(f"{file.path}: {', '.join(c.name for c in file.rubric.criteria)}" for file in files)
        raise ComparisonError(
            f"the files rate no criterion on the same scale ({criteria}); name a rubric with --rubric"
        )
    return replace(first, criteria=common)


# --- the same response, by whatever id --------------------------------------------------------------------------------


def _key(example: Example) -> str:
    """Return a digest of an example's inputs and response, by which to find the example in another file."""
    inputs = json.dumps(dict(example.submission.inputs), sort_keys=True, default=str)
    return fingerprint(inputs, *example.submission.responses)


def _aligned(files: Sequence[RatedFile]) -> list[RatedFile]:
    """Give equal responses the same id in all files; a different response with an id in use gets a new one."""
    if len(files) == 1:
        return list(files)
    id_of_key: dict[str, str] = {}
    taken: set[str] = set()
    aligned = []
    for file in files:
        names: dict[str, str] = {}
        keys = {example.id: _key(example) for example in (file.examples if file.has_responses else ())}
        for unit, key in keys.items():
            names[unit] = id_of_key.get(key, f"{unit} ({file.path.stem})" if unit in taken else unit)
        for unit, key in keys.items():
            id_of_key.setdefault(key, names[unit])
            taken.add(names[unit])
        aligned.append(file.renamed({old: new for old, new in names.items() if old != new}))
    return aligned


def _placed(file: RatedFile, examples: ExampleSet) -> RatedFile:
    if not file.has_responses:
        return file
    by_response: dict[tuple[str, ...], set[str]] = {}
    for example in examples.examples:
        by_response.setdefault(example.submission.responses, set()).add(example.id)
    ids = set(examples.ids)
    names = {}
    for example in file.examples:
        same = by_response.get(example.submission.responses, set())
        if example.id in ids or len(same) == 1:
            names[example.id] = example.id if example.id in ids else min(same)
    if not names:
        raise ComparisonError(f"{file.path} contains none of the examples, neither by id nor by response")
    return file.renamed(names)

"""A run of `import`: files of other tools are read, new ratings are added to files, and losses are counted."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from markscheme.errors import RatingError, UsageError, lines_left_out, suggestion
from markscheme.features.other_tools.lost_words import (
    COLUMN_OF_IDS,
    LEVELS_OF_WORDS,
    counted_loss,
    has_row_without_id,
    has_word_off_scale,
)
from markscheme.features.other_tools.target_files import TargetFiles
from markscheme.phrases import counted, few_of
from markscheme.ratings.additions import Additions
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.column_options import ColumnOptions, sides_of
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import RATINGS_FOLDER
from markscheme.ratings.kinds import JUDGES, PEOPLE
from markscheme.ratings.rating import given_to_current_words, level_on
from markscheme.ratings.wordings import record_words
from markscheme.readers.formats import SHEET, TABLE, all_formats, format_of
from markscheme.readers.imported import number
from markscheme.readers.mapped_columns import refuse_unknown_columns
from markscheme.readers.peek import Peek
from markscheme.readers.rated import RatedFile, columns_from_options, open_rated
from markscheme.readers.sheet import KEY, saved_for
from markscheme.readers.tables import FIELDS, PROBABILITY
from markscheme.readers.tabular.words import NOT_APPLICABLE, decision_of, folded
from markscheme.rubrics.rubric import Rubric, Scale
from markscheme.rubrics.search import find_calibration

MOST_LOSSES_NAMED = 5
"""Largest number of kinds of lost contents that an error names: a long list would hide the most frequent kinds."""
NO_TARGETS = TargetFiles()
"""Target files of an import that writes nothing."""
Whose: TypeAlias = Literal["people", "judges"]
"""Groups of raters to which an import can be limited."""


@dataclass(frozen=True)
class ImportRun:
    """Result of an import: what was read, and what was added to which files.

    Attributes:
        file: The contents of the files, as one file; its `lost` counts what ratings can't hold.
        targets: The files that were written.
        ratings: The ratings that were added; all ratings if no file of ratings is written.
        additions: Which ratings were new to an existing file of ratings, and which were left out; None for a new file.
        examples: The examples that were added.
    """

    file: RatedFile
    targets: TargetFiles
    ratings: RatingCodes
    additions: Additions | None
    examples: tuple[Example, ...]


def import_files(
    files: Sequence[Path],
    rubric: Rubric | None = None,
    targets: TargetFiles = NO_TARGETS,
    *,
    to_current_words: bool = False,
    only: Whose | None = None,
    answered_by: str | None = None,
    columns: ColumnOptions = ColumnOptions(),
) -> ImportRun:
    """Read exported files, and add their new ratings and examples to the target files.

    Args:
        files: The files; if there are several, they are parts of one export.
        rubric: The rubric whose criteria and scales the ratings must fit; None for the one that the files name or
            imply.
        targets: The files to which ratings and examples are written.
        to_current_words: True if annotators gave their labels to the rubric's current words.
        only: "people" or "judges" to keep only their ratings; None to keep all.
        answered_by: Name of the person who answered a labelling sheet; None for the rater it was written for.
        columns: What the files' columns and values mean.

    Raises:
        RatingError: A file can't be read, or contains no rating; or a target has other responses under the examples'
            ids.
        ComparisonError: The files imply rubrics without a criterion in common.
        UsageError: There is no file, or no rubric whose words are current; `only` has another value; a column is mapped
            to something that the rubric doesn't have; it isn't clear who answered a sheet; ratings call themselves
            gold; two options say who gave the same labels; or a target can't be written.

    Warns:
        DamagedLine: A damaged line is left out; the warning names it.
    """
    if not files:
        raise UsageError("there is no file to import")
    if to_current_words and rubric is None:
        raise UsageError("--current-words needs --rubric: whose words?")
    if only not in (None, *get_args(Whose)):
        raise UsageError(f"only must be one of {', '.join(get_args(Whose))}; got {only!r}")
    if columns.adjudicated and columns.kind not in (None, "adjudicated"):
        raise UsageError(f"--kind {columns.kind} and --adjudicated say who gave the same labels; leave one out")
    if columns.adjudicated:
        columns = replace(columns, kind="adjudicated")
    if rubric is not None:
        _refuse_unknown_fields(columns.column_fields, rubric)
        _refuse_unknown_levels(sides_of("levels", columns.levels), rubric)
    n_before = lines_left_out()
    meaning = columns_from_options(columns)
    rated = open_rated(files, rubric, expected="anything", columns=meaning, joined=True)
    refuse_unknown_columns(files, columns)
    _refuse_unknown_raters(files, columns)
    file = _chosen(rated.as_one_file, only, lines_left_out() - n_before)
    ratings = _by_who_answered(file, answered_by, files[0], targets)
    current = rubric if to_current_words else None
    if current is not None:
        ratings = RatingCodes.of(given_to_current_words(rating, current) for rating in ratings)
    file = replace(file, ratings=ratings)
    _refuse_empty(file, files[0], targets)
    _refuse_unsigned(file, files, is_said=columns.adjudicated or columns.kind == "adjudicated")
    return _added(file, rated.rubric, targets, rubric)


def _refuse_unknown_raters(files: Sequence[Path], columns: ColumnOptions) -> None:
    """Refuse a `--judge` or `--human` that names neither a column nor a cell of any of the tables.

    Raises:
        UsageError: A name isn't in the tables; the message states the option and the nearest column.
    """
    peeks = [Peek(path, columns) for path in files if columns.sides and path.is_file()]
    if not peeks or not all(format_of(peek, "anything") is TABLE for peek in peeks):
        return
    header = list(dict.fromkeys(chain.from_iterable(peek.header for peek in peeks)))
    for name in columns.sides:
        if "*" in name or folded(name) in map(folded, header):
            continue
        cells = chain.from_iterable(record.values() for peek in peeks for record in peek.all_records())
        if name not in cells:
            option = "--judge" if name in columns.judge else "--human"
            hint = suggestion(name, header, mark="`") or f"; there are {', '.join(header)}"
            raise UsageError(f"`{option} {name}`: no table has this column{hint}")


def _chosen(file: RatedFile, only: Whose | None, n_damaged: int) -> RatedFile:
    """Return the file's content with only the ratings that the user wants, and with unreadable lines counted as lost.

    Args:
        file: The file's content.
        only: Whose ratings to keep, people's or judges'; None to keep all.
        n_damaged: Number of lines that couldn't be read.
    """
    damaged = {"lines that can't be read": n_damaged} if n_damaged else {}
    ratings = RatingCodes.of(file.ratings)
    if only is not None:
        ratings = ratings.where(lambda header: (header.kind in JUDGES) == (only == "judges"))
    return replace(file, ratings=ratings, lost={**file.lost, **damaged})


def _by_who_answered(file: RatedFile, name: str | None, path: Path, targets: TargetFiles) -> RatingCodes:
    """Return a file's ratings; those of a labelling sheet have the person who filled it in as rater.

    Args:
        file: The content of the file.
        name: Name of the person who answered a sheet; None for the rater it was written for.
        path: The file, or the first one if an export has several.
        targets: The files to write; a file of ratings in a calibration folder is named after its rater.

    Raises:
        UsageError: The file to write is named after another rater than the sheet was made for, and `name` is None; or
            `name` is given for a file that isn't a sheet.
    """
    ratings = RatingCodes.of(file.ratings)
    if file.format != SHEET.name:
        if name is not None:
            raise UsageError("--as is for a labelling sheet; --rater names who rated in other files")
        return ratings
    if name is not None:
        return RatingCodes.of(replace(rating, rater=name) for rating in ratings)
    _refuse_two_names(file, path, targets)
    return ratings


def _refuse_two_names(sheet: RatedFile, path: Path, targets: TargetFiles) -> None:
    """Refuse a labelling sheet written for one rater if it, or the file to write, is named after another rater."""
    sheet_rater = next((rating.rater for rating in sheet.ratings), None)
    for named, named_after in _raters_in_names(path, sheet.rubric, targets).items():
        if sheet_rater and named_after and named_after != sheet_rater:
            question = f"who answered? The sheet is for {sheet_rater}, and {named} is named after {named_after}"
            raise UsageError(f"{question}: say `--as {sheet_rater}` or `--as {named_after}`")


def _raters_in_names(sheet: Path, rubric: Rubric, targets: TargetFiles) -> Mapping[Path, str | None]:
    """Map the sheet, and perhaps the file to write, to the rater whose name is part of the file's name.

    The sheet is mapped to None if its name has no rater. The file to write is included only if it lies in a calibration
    folder's folder of ratings, where each file is named after its rater.

    Args:
        sheet: The file that a labelling page saved, named RUBRIC-RATER.
        rubric: The rubric of the sheet.
        targets: The files that the import writes.
    """
    prefix = f"{rubric.name}-"
    saved_as = saved_for(sheet.stem)
    raters = {sheet: saved_as.removeprefix(prefix) if saved_as.startswith(prefix) else None}
    if targets.ratings is not None and targets.calibration_folder is not None:
        raters[targets.ratings] = targets.ratings.stem
    return raters


def _refuse_empty(file: RatedFile, path: Path, targets: TargetFiles) -> None:
    """Refuse to import a file without ratings, unless only examples are to be written.

    Raises:
        RatingError: The file has no ratings; the message says what it contains instead.
    """
    examples_alone = targets.ratings is None and targets.examples is not None and file.examples
    if not file.ratings and not examples_alone:
        raise RatingError(f"contains nothing that can be a rating{_instead(file.lost)}", path=path)


def _refuse_unsigned(file: RatedFile, paths: Sequence[Path], *, is_said: bool) -> None:
    """Refuse adjudicated ratings, and answers to a labelling sheet, that lack the sheet's signed head.

    Args:
        file: The content of the files.
        paths: The files that were read.
        is_said: True if the caller says that the ratings are adjudicated.

    Raises:
        RatingError: A file is named like a sheet's answers, and has no head.
        UsageError: Ratings call themselves adjudicated, and the caller doesn't say that they are.
    """
    if file.format == SHEET.name:
        return
    for path in paths:
        refuse_headless(path, file.rubric)
    is_of_tool = any(file_format.is_of_tool for file_format in all_formats() if file_format.name == file.format)
    n_adjudicated = len(RatingCodes.of(file.ratings).of_kinds(("adjudicated",)))
    if n_adjudicated and not is_said and not is_of_tool:
        raise UsageError(
            f"{paths[0]}: {counted(n_adjudicated, 'rating')} would be gold before all others, since the file "
            f"calls {'it' if n_adjudicated == 1 else 'them'} adjudicated; if you know that, say "
            "`--kind adjudicated`"
        )


def _added(file: RatedFile, rubric: Rubric, targets: TargetFiles, current: Rubric | None) -> ImportRun:
    """Add new ratings and examples to the target files, while other processes that add to them wait.

    Args:
        file: The content to add.
        rubric: The rubric of the content.
        targets: The files to write.
        current: The rubric with its current words, to record that people's labels were given under these; None if no
            rubric was named.
    """
    with targets.turn_to_add():
        additions = targets.additions(file.ratings, rubric)
        ratings = RatingCodes.of(file.ratings if additions is None else additions.ratings)
        examples = targets.parted(targets.new_examples(file.examples, "what is imported"), rubric)
        targets.add(ratings, examples)
        folder = targets.calibration_folder
        if folder is not None and current is not None and ratings.of_kinds(PEOPLE):
            record_words(folder, current, datetime.date.today().isoformat())
    return ImportRun(file, targets, ratings, additions, examples)


def _instead(lost: Mapping[str, int]) -> str:
    """Return the end of an error on a file without ratings: what the file contains that no rating can hold.

    Args:
        lost: Number of values that no rating can hold, by description; "" is returned if there are none.
    """
    if not lost:
        return ""
    most = sorted(lost.items(), key=lambda pair: -pair[1])[:MOST_LOSSES_NAMED]
    hint = f"; {LEVELS_OF_WORDS}" if has_word_off_scale(lost) else ""
    hint += f"; {COLUMN_OF_IDS}" if has_row_without_id(lost) else ""
    return "; it contains " + "; ".join(counted_loss(things, count) for things, count in most) + hint


OF_EXAMPLES = ("group", "system")
"""Names of further fields that a column can be mapped to, which are about an example and not about a rating."""


def _refuse_unknown_fields(fields: Mapping[str, str], rubric: Rubric) -> None:
    """Refuse a column that `--map` maps to neither a known field nor a criterion or input of the rubric.

    Args:
        fields: The field that each column is mapped to.
        rubric: The rubric.

    Raises:
        UsageError: A column is mapped to another name; the message has the column and the nearest field or criterion.
    """
    criteria = (criterion.name for criterion in rubric.criteria)
    meanings = [*dict.fromkeys((*FIELDS, *OF_EXAMPLES, *criteria, *rubric.known_inputs))]
    for column, meaning in fields.items():
        if meaning not in meanings and not meaning.startswith(f"{PROBABILITY}:"):
            hint = suggestion(meaning, meanings, mark="`") or f"; expected one of {', '.join(meanings)}"
            sentence = f"`--map {column}={meaning}`: unknown field or criterion {meaning!r}{hint}"
            raise UsageError(sentence).of_setting("map", f"{column}={meaning}")


def _refuse_unknown_levels(words: Mapping[str, str], rubric: Rubric) -> None:
    """Refuse a word that `--levels` gives a meaning which is no level of any criterion.

    Args:
        words: The meaning of each word.
        rubric: The rubric.

    Raises:
        UsageError: A meaning is neither a level, nor a word for pass or fail, nor says that a criterion doesn't apply.
    """
    for word, meaning in words.items():
        folded_meaning = folded(meaning)
        if folded_meaning in NOT_APPLICABLE or decision_of(folded_meaning) is not None:
            continue
        if any(_is_level(criterion.scale, meaning, criterion.name) for criterion in rubric.criteria):
            continue
        choices = [*dict.fromkeys(choice for criterion in rubric.criteria for choice in criterion.scale.choices)]
        hint = suggestion(meaning, choices, mark="`") or f"; the levels are {few_of(choices, 20)}"
        if "," in meaning and "=" in meaning:
            hint = ": give each word a `--levels` of its own"
        raise UsageError(f"`--levels {word}={meaning}`: no criterion of {rubric.name} has a level {meaning!r}{hint}")


def _is_level(scale: Scale, meaning: str, name: str) -> bool:
    """Return True if a text is the name or the number of a level.

    Args:
        scale: The scale with the levels.
        meaning: The text.
        name: Name of the scale's criterion, which doesn't affect the result.
    """
    value = number(meaning)
    try:
        level_on(scale, meaning if value is None else value, name)
    except ValueError:
        return False
    return True


def refuse_headless(path: Path, rubric: Rubric) -> None:
    """Raise RatingError for a file that is named like a labelling sheet's answers, but lacks the sheet's head.

    Args:
        path: The file, which has no sheet's head.
        rubric: The rubric, whose name the file of a sheet's answers begins with.

    Raises:
        RatingError: The file is named like a sheet's answers.
    """
    rubric_name, dash, rater = path.stem.partition(f"{rubric.name}-")
    folder = None if rubric_name or not dash or path.suffix != ".json" else find_calibration(rubric.name, Path.cwd())
    if folder and (folder / KEY).is_file() and (folder / RATINGS_FOLDER / f"{saved_for(rater)}.jsonl").is_file():
        raise RatingError(
            f"has the name of {saved_for(rater)}'s answers on a labelling sheet, and not the sheet's head: the file "
            "was changed by hand",
            path=path,
        )

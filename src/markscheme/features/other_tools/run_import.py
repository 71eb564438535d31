"""A run of `import`: what to import, under whose name and into which files, and what was read, added and left out."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from markscheme.errors import RatingError, UsageError, lines_left_out
from markscheme.features.other_tools.target_files import TargetFiles
from markscheme.phrases import counted
from markscheme.ratings.additions import Additions
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import given_to_current_words
from markscheme.ratings.wordings import record_words
from markscheme.readers.formats import SHEET, all_formats
from markscheme.readers.rated import RatedFile, meanings_of, of_kind, open_rated
from markscheme.readers.sheet import refuse_headless, saved_for
from markscheme.readers.tables import refuse_unknown_fields
from markscheme.rubrics.rubric import Rubric

MOST_LOSSES_NAMED = 5
"""Kinds of what was lost that an error names: the rest of a long list would hide the most frequent."""


Whose: TypeAlias = Literal["people", "judges"]
"""Whose ratings may be kept alone."""


@dataclass(frozen=True)
class ImportRun:
    """Result of an import: what was read, and what was added to which files.

    Attributes:
        file: What the files contain, as one; its `lost` counts what ratings can't hold.
        targets: The files that were written.
        ratings: The ratings that were added; all of them where no file of ratings is written.
        additions: What was new to a file of ratings that was there, and what of it was left out; None for a new file.
        examples: The examples that were added.
    """

    file: RatedFile
    targets: TargetFiles
    ratings: RatingCodes
    additions: Additions | None
    examples: tuple[Example, ...]


@dataclass(frozen=True, kw_only=True)
class ImportRequest:
    """Request to import: which files, under whose name, and into which files.

    Attributes:
        files: The files; several are one export.
        rubric: Whose criteria and scales the ratings must fit; None takes the one that the files name or imply.
        targets: Where ratings and examples are written.
        to_current_words: Whether annotators gave their labels to the rubric's current words.
        only: Whose ratings to keep; None keeps all.
        answered_by: Who answered a labelling sheet; None for the rater it was written for.
        columns: What the files don't say themselves.

    Raises:
        UsageError: There is no file, or no rubric whose words are current; or `only` is another word.
    """

    files: Sequence[Path]
    rubric: Rubric | None = None
    targets: TargetFiles = TargetFiles()
    to_current_words: bool = False
    only: Whose | None = None
    answered_by: str | None = None
    columns: ColumnOptions = ColumnOptions()

    def __post_init__(self) -> None:
        if not self.files:
            raise UsageError("there is no file to import")
        if self.to_current_words and self.rubric is None:
            raise UsageError("--current-words needs --rubric: whose words?")
        if self.only not in (None, *get_args(Whose)):
            raise UsageError(f"only is one of {', '.join(get_args(Whose))}; found {self.only!r}")

    def run(self) -> ImportRun:
        """Read the files, and add what is new to the targets.

        Raises:
            RatingError: A file can't be read, or contains no rating; or a target has other responses under the ids.
            ComparisonError: The files imply rubrics without a criterion in common.
            UsageError: A column is mapped to what the rubric doesn't have, it isn't clear who answered a sheet, ratings
                would be gold by their own word, or a target can't be written.

        Warns:
            DamagedLine: Names a line that is left out, where such lines are.
        """
        if self.rubric is not None:
            refuse_unknown_fields(self.columns.column_fields, self.rubric)
        n_before = lines_left_out()
        rated = open_rated(
            self.files, self.rubric, expected="anything", meanings=meanings_of(self.columns), joined=True
        )
        file = self._as_said(self._chosen(rated.as_one_file, lines_left_out() - n_before))
        self._refuse_empty(file)
        self._refuse_unsigned(file)
        return self._added(file, rated.rubric)

    def _chosen(self, file: RatedFile, n_damaged: int) -> RatedFile:
        """Return the file with the ratings to keep, and with unreadable lines counted as lost."""
        damaged = {"lines that can't be read": n_damaged} if n_damaged else {}
        return replace(file, ratings=of_kind(file.ratings, self.only), lost={**file.lost, **damaged})

    def _as_said(self, file: RatedFile) -> RatedFile:
        """Return the file with the rater and the wording that the caller knows."""
        ratings = self._by_who_answered(file)
        if self.to_current_words and self.rubric is not None:
            ratings = RatingCodes.of(given_to_current_words(rating, self.rubric) for rating in ratings)
        return replace(file, ratings=ratings)

    def _by_who_answered(self, file: RatedFile) -> RatingCodes:
        """Return the ratings under the name of the annotator who answered.

        Raises:
            UsageError: A sheet is of another rater than a file's name says, and the caller doesn't say who answered; or
                says so of another file than a sheet.
        """
        name = self.answered_by
        ratings = RatingCodes.of(file.ratings)
        if file.format != SHEET.name:
            if name is not None:
                raise UsageError("--as is for a labelling sheet; --rater names who rated in other files")
            return ratings
        if name is not None:
            return ratings.with_headers(lambda header: replace(header, rater=name))
        self._refuse_two_names(file)
        return ratings

    def _refuse_two_names(self, sheet: RatedFile) -> None:
        """Refuse a sheet of another rater than the one a file is named after."""
        sheet_rater = next((rating.rater for rating in sheet.ratings), None)
        for path, named_after in self._raters_in_names(sheet.rubric).items():
            if sheet_rater and named_after and named_after != sheet_rater:
                question = f"who answered? The sheet is for {sheet_rater}, and {path} is named after {named_after}"
                raise UsageError(f"{question}: say `--as {sheet_rater}` or `--as {named_after}`")

    def _raters_in_names(self, rubric: Rubric) -> Mapping[Path, str | None]:
        """Return the rater in the name of the sheet, and of the file of ratings in a folder; None if there is none."""
        sheet = self.files[0]
        prefix = f"{rubric.name}-"
        saved_as = saved_for(sheet.stem)
        raters = {sheet: saved_as.removeprefix(prefix) if saved_as.startswith(prefix) else None}
        if self.targets.ratings is not None and self.targets.calibration_folder is not None:
            raters[self.targets.ratings] = self.targets.ratings.stem
        return raters

    def _refuse_empty(self, file: RatedFile) -> None:
        """Refuse a file without a rating, unless examples alone are written.

        Raises:
            RatingError: Says what it contains instead.
        """
        examples_alone = self.targets.ratings is None and self.targets.examples is not None and file.examples
        if not file.ratings and not examples_alone:
            raise RatingError(f"contains nothing that can be a rating{_instead(file.lost)}", path=self.files[0])

    def _refuse_unsigned(self, file: RatedFile) -> None:
        """Refuse what only the answers of a sheet may say, with a head that shows that the sheet was written here.

        Raises:
            RatingError: A file has the name of a sheet's answers, and no head.
            UsageError: Ratings call themselves adjudicated, and the caller doesn't say that they are.
        """
        if file.format == SHEET.name:
            return
        for path in self.files:
            refuse_headless(path, file.rubric)
        is_of_tool = any(file_format.is_of_tool for file_format in all_formats() if file_format.name == file.format)
        n_adjudicated = len(RatingCodes.of(file.ratings).of_kinds(("adjudicated",)))
        is_said = self.columns.adjudicated or self.columns.kind == "adjudicated"
        if n_adjudicated and not is_said and not is_of_tool:
            raise UsageError(
                f"{self.files[0]}: {counted(n_adjudicated, 'rating')} would be gold before all others, since the file "
                f"calls {'it' if n_adjudicated == 1 else 'them'} adjudicated; if you know that, say "
                "`--kind adjudicated`"
            )

    def _added(self, file: RatedFile, rubric: Rubric) -> ImportRun:
        """Add what is new to the targets, in turn with others who add to them."""
        with self.targets.turn_to_add():
            additions = self.targets.additions(file.ratings, rubric)
            ratings = RatingCodes.of(file.ratings if additions is None else additions.ratings)
            examples = self.targets.parted(self.targets.new_examples(file.examples, "what is imported"), rubric)
            self.targets.add(ratings, examples)
            folder = self.targets.calibration_folder
            if folder is not None and self.to_current_words and self.rubric is not None:
                record_words(folder, self.rubric, datetime.date.today().isoformat())
        return ImportRun(file, self.targets, ratings, additions, examples)


def _instead(lost: Mapping[str, int]) -> str:
    """Say what a file contains besides ratings, the most frequent first; "" if nothing was lost."""
    if not lost:
        return ""
    most = sorted(lost.items(), key=lambda pair: -pair[1])[:MOST_LOSSES_NAMED]
    return "; it contains " + "; ".join(f"{count} {name}" for name, count in most)

"""Reading of a table without a rubric into comparisons, each with its rubric, examples and ratings."""

import shlex
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, TypeAlias

from markscheme.errors import UsageError
from markscheme.numerals import number_in
from markscheme.prompts.parts import in_cell, loaded_part
from markscheme.prompts.submission import Submission, text_in_file
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.example_rows import DRAWN, Example, ExampleRows, telling
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rated, Rating
from markscheme.readers.column_changes import COLUMN_CHANGES
from markscheme.readers.tabular.columns import SideColumn, TableColumn
from markscheme.readers.tabular.counted_rows import names_of_counted, row_of_each_example, with_each_example
from markscheme.readers.tabular.joined import joined
from markscheme.readers.tabular.long import wide
from markscheme.readers.tabular.read_values import read_criteria
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.roles import Roles, roles_of
from markscheme.readers.tabular.scales import ReadValues
from markscheme.readers.tabular.source import Sheet, open_sheets
from markscheme.readers.tabular.words import ID_NAMES, decision_of, folded, is_model_name, name_words
from markscheme.rubrics.rubric import DEFAULT_PASS_MARK, Criterion, Rubric, TableOf


@dataclass(frozen=True)
class TableReading:
    """A table of ratings with the roles of its columns, the meaning of its values, and the examples.

    Attributes:
        name: Name of the file, or "table".
        paths: Paths of the files; () for data in memory.
        options: The user's options.
        columns: All columns of the table, with a cell for each example.
        ids: Ids of the examples, in the order of cells.
        roles: Roles of the columns.
        values: Scale and meaning of the values, by criterion, which is "" if only one thing is rated.
        apart: Number of rows whose id isn't in the other files, by file; empty for a single file.
        notes: Codes of assumptions that the user may want to correct.
        source: The data frame, rows or columns that the table was given as; None for files.
        index: The index of a data frame, if none of its columns holds ids.
        rows_of_source: Index of the example of each row of the source, if some rows are copies of other rows, rate one
            example or count several; -1 for a row that counts no example.
        names_raters: True if the format of the files says who rated what.
        n_copies: Number of rows of files left out since they equal an earlier one.
    """

    name: str
    paths: tuple[Path, ...]
    options: ColumnOptions
    columns: tuple[TableColumn, ...]
    ids: tuple[str, ...]
    roles: Roles
    values: Mapping[str, ReadValues]
    apart: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    source: Any = None
    index: tuple[Any, ...] = ()
    rows_of_source: tuple[int, ...] = ()
    names_raters: bool = False
    n_copies: int = 0

    @property
    def is_by_criterion(self) -> bool:
        """True if the table rates several criteria, each of which is compared by itself."""
        return len(self.roles.criteria) > 1

    @property
    def has_judge(self) -> bool:
        """True if any column holds a judge's ratings."""
        return any(side.is_judge for listed in self.roles.criteria.values() for side in listed)

    def as_in_source(self, ids: Iterable[str]) -> list[Any]:
        """Convert examples' ids to values of the data frame's index; without a frame, ids stay text."""
        labels = dict(zip(self.ids, self.index, strict=True)) if self.index else {}
        return [labels.get(unit, unit) for unit in ids]

    def sides(self, criterion: str) -> tuple[SideColumn, ...]:
        """Return the columns that rate a criterion, those of judges and of people."""
        return self.roles.criteria[criterion]

    def raters(self, criterion: str, *, judges: bool) -> list[str]:
        """Return the names of the judges, or of the annotators, who rate a criterion."""
        return [side.name for side in self.sides(criterion) if side.is_judge is judges]

    def judges_aside(self, judge: str) -> int:
        """Count unused columns that are named like a model and hold only values that a judge's column has, too."""
        values = {column.name: set(column.different) for column in self.columns}
        aside = [name for name in self.roles.aside if is_model_name(name) and {name, judge} <= values.keys()]
        return sum(values[name] <= values[judge] for name in aside)

    def with_both(self, criterion: str) -> int:
        """Count the rows that a judge and a person rated on a criterion; without a judge, two annotators."""
        by_people = self._times_filled(criterion, judges=False)
        if not self.has_judge:
            return sum(times > 1 for times in by_people)
        by_judges = self._times_filled(criterion, judges=True)
        return sum(judged > 0 < labelled for judged, labelled in zip(by_judges, by_people, strict=False))

    def to_json(self) -> dict[str, object]:
        """Return a dict for JSON that says how a table was read."""
        columns: dict[str, object] = {}
        withheld: dict[str, str] = {}
        for criterion, sides in self.roles.criteria.items():
            values = self.values[criterion]
            withheld |= values.withheld
            for side in sides:
                name = side.name
                key = f"{name} · {criterion}" if name in columns else name
                columns[key] = {
                    "role": "judge" if side.is_judge else "human",
                    "criterion": criterion or None,
                    "rater": side.rater or None,
                    "kind": values.kind,
                    "passes": values.passes.get(name) if values.knows_pass else None,
                    "ends": values.own_ends.get(name, values.ends),
                    "stated": name in values.stated,
                    "missing": values.missing.get(name, 0),
                }
        for name, kind in self.roles.reasons.items():
            columns.setdefault(kind, {"role": "reason", "of": name})
        single = self.roles.single
        counts = {criterion: self.with_both(criterion) for criterion in self.roles.criteria}
        if self.is_by_criterion:
            withheld["agreement"] = "by-criterion"
        return {
            "id": single.get("id"),
            "group": single.get("group"),
            "response": single.get("response"),
            "rows": len(self.ids),
            "with_both": counts if self.is_by_criterion else next(iter(counts.values()), 0),
            "columns": columns,
            "aside": self.roles.aside,
            "joined": len(self.ids) if len(self.paths) > 1 else None,
            "withheld": withheld,
        }

    def refuse_apart(self, names: Sequence[str] = ()) -> None:
        """Raise UsageError if no row has ratings by all who are to be compared.

        Args:
            names: Columns to compare; () for any judge and person, or any two annotators.

        Raises:
            UsageError: No criterion has such a row; the message says how many values each column has.
        """
        columns = {
            side.name: self._filled(criterion, side)
            for criterion, sides in self.roles.criteria.items()
            for side in sides
        }
        together = any(map(all, zip(*(columns[name] for name in names), strict=True)))
        if together or (not names and any(map(self.with_both, self.roles.criteria))):
            return
        counts = {name: sum(filled) for name, filled in columns.items() if not names or name in names}
        choice = ("--judge", "COLUMN", "--human", "COLUMN") if self.has_judge else ("--human", "COLUMN")
        raise refusal("none-in-common", columns=list(counts), values=counts, choices=[choice])

    def _times_filled(self, criterion: str, *, judges: bool) -> list[int]:
        """Return, for each row, the number of judges, or of annotators, who rated it on a criterion."""
        columns = [self._filled(criterion, side) for side in self.sides(criterion) if side.is_judge is judges]
        return [sum(filled) for filled in zip(*columns, strict=True)]

    def _filled(self, criterion: str, side: SideColumn) -> list[bool]:
        """Return, for each row, True if a column of ratings isn't empty there."""
        levels = self.values[criterion].levels[side.name]
        return [cell in levels for cell in side.cells]

    # --- what is compared

    def rubric(self, criterion: str) -> Rubric:
        """Return the rubric that the values on a criterion imply."""
        values = self.values[criterion]
        people = self.raters(criterion, judges=False)
        name = criterion or (people[0] if len(people) == 1 else "label")
        say = f"{people[0]} says" if len(people) == 1 else "annotators say"
        mark = DEFAULT_PASS_MARK if values.pass_mark is None else values.pass_mark
        written = Criterion(1.0, f"What {say} of a response.", name, values.scale, threshold=mark)
        return Rubric(
            (written,), name=self.name, tolerance=values.tolerance, table_of=_table_of(values), pass_mark=mark
        )

    def examples(self, criterion: str) -> ExampleSet:
        """Return the examples, each with its labels on a criterion."""
        people = [side for side in self.sides(criterion) if not side.is_judge]
        labels, ends = self._ratings(criterion, people)
        path = self.paths[0] if len(self.paths) == 1 else None
        return ExampleSet(
            ExampleRows(self.ids, self._attributes, self._responses, self._submission, labels, ends), path=path
        )

    def judged(self, criterion: str, judge: str) -> RatingCodes:
        """Return a judge's ratings on a criterion; a cell without a level becomes a rating with an error."""
        side = next(s for s in self.sides(criterion) if s.is_judge and s.name == judge)
        return self._ratings(criterion, [side])[0]

    def _ratings(self, criterion: str, sides: Sequence[SideColumn]) -> tuple[RatingCodes, Sequence[int]]:
        """Return the ratings in the given columns, row by row, and the number of ratings up to the end of each row."""
        (written,) = self.rubric(criterion).criteria
        codes = RatingCodes([written.name])
        cells = [(side.cells, self._coded_cell(criterion, written, side, codes)) for side in sides]
        ends = array("q")
        for row, unit in enumerate(self.ids):
            for of_side, coded in cells:
                rating = coded(row, of_side[row])
                if rating is not None:
                    codes.append_codes(unit, *rating)
            ends.append(len(codes))
        return codes, ends

    def _coded_cell(self, criterion: str, written: Criterion, side: SideColumn, codes: RatingCodes) -> "_CodedCell":
        """Make a function that encodes a column's cells as ratings, from the row's index and the cell.

        A cell without a level becomes None in an annotator's column, and a rating with an error in a judge's column.

        Args:
            criterion: Name of the criterion in the table.
            written: The rubric's criterion with that name.
            side: The column.
            codes: The RatingCodes that the ratings are encoded for.
        """
        name = side.name
        levels = self.values[criterion].levels[name]
        reasons = self._cells(self.roles.reasons.get(side.column.name))
        blind = () if side.is_judge else self._cells(self.roles.single.get("blind"))
        kind: Kind = "model" if side.is_judge else "adjudicated" if self.options.adjudicated else "human"

        def code(row: int, cell: str) -> tuple[int, tuple[int, ...]] | None:
            level = levels.get(cell)
            if level is None and not side.is_judge:
                return None
            if level is None:
                empty = cell.strip() or "an empty cell"
                return codes.header_number(Rating("", name, kind, error=f"{empty} in column {name!r}"), None), (-1,)
            reason = reasons[row] if reasons else ""
            is_blind = not blind or decision_of(folded(blind[row])) is not False
            answer = Rated(level, reason, label=written.scale.label_of(level))
            return codes.header_number(Rating("", name, kind, blind=is_blind), None), (codes.code_of(0, answer),)

        if reasons or blind:
            return code
        known: dict[str, tuple[int, tuple[int, ...]] | None] = {}

        def code_once(row: int, cell: str) -> tuple[int, tuple[int, ...]] | None:
            if cell not in known:
                known[cell] = code(row, cell)
            return known[cell]

        return code_once

    # --- all criteria as one rubric

    @cached_property
    def whole_rubric(self) -> Rubric:
        """One rubric with all criteria that the table rates."""
        rubrics = [self.rubric(criterion) for criterion in self.roles.criteria]
        written = tuple(criterion for rubric in rubrics for criterion in rubric.criteria)
        return replace(rubrics[0], criteria=written) if len(rubrics) > 1 else rubrics[0]

    @cached_property
    def whole_ratings(self) -> list[Rating]:
        """The ratings of every rater, each with the answers to all criteria."""
        merged: dict[tuple[str, str], Rating] = {}
        for criterion in self.roles.criteria:
            for side in self.sides(criterion):
                name = side.name if not self.is_by_criterion else side.rater or ("judge" if side.is_judge else "human")
                for rating in self._ratings(criterion, [side])[0]:
                    before = merged.get((rating.id, name))
                    levels = {**(before.criteria if before else {}), **rating.criteria}
                    error = rating.error if not levels else None
                    merged[rating.id, name] = replace(rating, rater=name, criteria=levels, error=error)
        return list(merged.values())

    @property
    def plain_examples(self) -> list[Example]:
        """The examples without their labels."""
        none = [0] * len(self.ids)
        return list(ExampleRows(self.ids, self._attributes, self._responses, self._submission, RatingCodes(), none))

    @cached_property
    def _attributes(self) -> dict[str, Sequence[Any]]:
        """Group, system, manner of drawing and weight of each example; an attribute without a column is left out."""
        columns: dict[str, Sequence[Any]] = {
            name: self._cells(self.roles.single.get(name)) for name in ("group", "system")
        }
        drawn = self._cells(self.roles.single.get("drawn"))
        columns["drawn"] = [_MANNERS.get(folded(cell)) for cell in drawn]
        columns["weight"] = [_weight_in(cell) for cell in self._cells("weight")] if drawn else ()
        return telling({name: cells for name, cells in columns.items() if cells})

    @cached_property
    def _texts(self) -> tuple[Sequence[str], Sequence[str]]:
        """Cells of the responses and cells of the queries; () in place of either if the table has no column of them."""
        responses, queries = (self._cells(self.roles.single.get(role)) for role in ("response", "query"))
        return responses, queries

    def _submission(self, row: int) -> Submission:
        """Make a submission from the response and the query in a row."""
        query = self._text(self._texts[1][row]) if self._texts[1] else ""
        return Submission(*self._responses(row), {"query": query} if query else {}, self.ids[row])

    def _responses(self, row: int) -> tuple[str]:
        """Return a tuple with the response in a row, which is "" if the table has no column of responses."""
        return (self._text(self._texts[0][row]) if self._texts[0] else "",)

    def _text(self, cell: str) -> str:
        """Convert a cell to a text to judge, with the images or files that the cell names."""
        data = in_cell(cell)
        if data is cell and loaded_part(cell, "the value") is cell:
            return str(cell)
        return text_in_file(data, folder=self.paths[0].parent if self.paths else None)

    def _cells(self, name: str | None) -> Sequence[str]:
        """Return the cells of the column with this name; () for None."""
        return next((column.cells for column in self.columns if column.name == name), ())


_MANNERS: Final = {folded(manner): manner for manner in DRAWN}
"""The ways in which examples are drawn, by their folded words."""
_CodedCell: TypeAlias = Callable[[int, str], tuple[int, tuple[int, ...]] | None]
"""Function that encodes the rating in a row's cell: the number of its header, and the codes of its answers."""


def _weight_in(cell: str) -> float:
    """Return the weight in a cell: a number above 0, else 1."""
    weight = number_in(cell)
    return weight if weight is not None and weight > 0 else 1.0


def _table_of(values: ReadValues) -> TableOf:
    if values.kind == "decision" and values.knows_pass:
        return "pass-fail"
    return "marked" if values.pass_mark is not None else "values"


def read_files(paths: Sequence[Path], options: ColumnOptions, *, one_side: bool = False) -> TableReading:
    """Read a table from a file, or from several files that are joined.

    Args:
        paths: The files.
        options: The user's options.
        one_side: True if one column of ratings suffices, a judge's or a person's.

    Raises:
        UsageError: The table could be read in several ways; the message names the options that say which.
        RatingError: A file can't be read.
    """
    try:
        return _read_files(paths, options, one_side=one_side)
    except UsageError as error:
        files = shlex.join(map(str, paths))
        error.called = error.called or f"markscheme calibrate {files}{options.as_shell}"
        error.path = error.path or paths[0]
        raise


def _read_files(paths: Sequence[Path], options: ColumnOptions, *, one_side: bool) -> TableReading:
    if len(set(paths)) < len(paths):
        raise UsageError(f"a file is named twice: {', '.join(map(str, paths))}")
    opened = [(path, one_of_each_row(sheet)) for path in paths for sheet in open_sheets(path, options)]
    sheets = _named_apart(opened)
    notes = tuple(dict.fromkeys(note for sheet in sheets for note in sheet.notes))
    named = [(sheet.name, sheet.columns) for sheet in sheets]
    columns, apart = joined(named, options) if len(sheets) > 1 else (sheets[0].columns, None)
    name = "-".join(sheet.name for sheet in sheets)
    table = read_columns(columns, name, options, tuple(paths), notes, apart=apart, one_side=one_side)
    return replace(table, n_copies=sum(sheet.n_copies for sheet in sheets))


def _named_apart(opened: Sequence[tuple[Path, Sheet]]) -> list[Sheet]:
    """Return the tables of several files, with folders' names in front of all tables' names if two are equal."""
    if len({sheet.name for _, sheet in opened}) == len(opened):
        return [sheet for _, sheet in opened]
    folders = [path.absolute().parent.parts for path, _ in opened]
    n_common = len(list(takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False))))
    names = ["-".join((*parts[n_common:], sheet.name)) for parts, (_, sheet) in zip(folders, opened, strict=True)]
    alike = len(set(names)) < len(names)
    return [replace(sheet, name=n + path.suffix * alike) for n, (path, sheet) in zip(names, opened, strict=True)]


def are_told_apart_by_ids(names: Iterable[str], rows: Iterable[Sequence[str]]) -> bool:
    """Return True if each row has an id of its own, so that equal rows are copies and not two examples.

    Only a column that is named like one of ids counts.

    Args:
        names: Names of the columns.
        rows: The table's rows; of equal rows, only the first.
    """
    columns = zip(map(name_words, names), zip(*rows, strict=True), strict=True)
    return any(words and words[-1] in ID_NAMES and len(set(cells)) == len(cells) for words, cells in columns)


def one_of_each_row(sheet: Sheet) -> Sheet:
    """Remove rows that equal an earlier row if they are copies, not other examples; add a note.

    They are removed only if all remaining rows then have different ids. Else equal rows may be different examples.
    """
    n_rows = len(sheet.cells[0]) if sheet.cells else 0
    if any(len(set(column)) == n_rows for column in sheet.cells):
        return sheet
    rows = dict.fromkeys(sheet.rows)
    if len(rows) == n_rows or not are_told_apart_by_ids(sheet.header, rows):
        return sheet
    cells = list(zip(*rows, strict=True))
    return replace(sheet, cells=cells, notes=(*sheet.notes, "copies"), n_copies=n_rows - len(rows))


def read_columns(
    columns: Sequence[TableColumn],
    name: str,
    options: ColumnOptions,
    paths: tuple[Path, ...] = (),
    notes: tuple[str, ...] = (),
    *,
    apart: Mapping[str, int] | None = None,
    index: Sequence[Any] | None = None,
    source: Any = None,
    one_side: bool = False,
) -> TableReading:
    """Determine the roles of a table's columns, and the scale and meaning of the ratings.

    Args:
        columns: The table's columns, with a cell for each row.
        name: Name of the table.
        options: The user's options.
        paths: Paths of its files.
        notes: Codes of assumptions made so far.
        apart: Number of rows without partner, by file, if several were joined.
        index: The index of the data frame that the table was given as.
        source: The object in memory that the table was given as; None for files.
        one_side: True if one column of ratings suffices, a judge's or a person's.

    Raises:
        UsageError: The table could be read in several ways; the message names the options that say which.
    """
    if "encoding" in notes:
        _refuse_unknown_letters(columns, options)
    for load in COLUMN_CHANGES:
        columns = load()(columns, options)
    row_of = row_of_each_example(columns, options)
    firsts = () if row_of is None else _first_examples(row_of, len(columns[0].cells))
    if row_of is not None:
        columns = with_each_example(columns, row_of)
        index = None
        notes = (*notes, "counted")
    turned = wide(columns, options)
    if turned is not None and source is not None:
        units = next(column.cells for column in columns if column.name == turned[1].single["id"])
        example_of = {unit: index for index, unit in enumerate(dict.fromkeys(units))}
        firsts = tuple(example_of[unit] for unit in units)
    columns, roles = turned or (tuple(columns), roles_of(columns, options, one_side=one_side))
    ids = _ids(columns, roles, options, index) if row_of is None else names_of_counted(row_of)
    values = read_criteria(roles.criteria, options)
    labels = tuple(index or ()) if "id" not in roles.single else ()
    return TableReading(
        name, paths, options, tuple(columns), ids, roles, values, apart or {}, notes, source, labels, firsts
    )


def _first_examples(row_of: Sequence[int], n_rows: int) -> tuple[int, ...]:
    """Return, for each row of a table with counts, the index of its first example; -1 if its count is 0.

    Args:
        row_of: The index of each example's row.
        n_rows: Number of rows.
    """
    firsts = {row: example for example, row in reversed(list(enumerate(row_of)))}
    return tuple(firsts.get(row, -1) for row in range(n_rows))


def _ids(
    columns: Sequence[TableColumn], roles: Roles, options: ColumnOptions, index: Sequence[Any] | None
) -> tuple[str, ...]:
    name = roles.single.get("id")
    if name is None:
        if index is not None:
            return tuple(map(str, index))
        count = len(columns[0].cells) if columns else 0
        return tuple(f"row {row}" for row in range(1, count + 1))
    cells = next(column.cells for column in columns if column.name == name)
    ids = tuple(cell.strip() or f"row {row}" for row, cell in enumerate(cells, start=1))
    if len(set(ids)) < len(ids):
        repeated = {unit: times for unit, times in Counter(ids).items() if times > 1}
        choices = [("--group", name)] if options.group is None else []
        raise refusal("ids-repeat", columns=[name], values=repeated, choices=[*choices, ("--id", "COLUMN")])
    return ids


def _refuse_unknown_letters(columns: Sequence[TableColumn], options: ColumnOptions) -> None:
    """Refuse ratings and ids with letters beyond ASCII if the file's encoding was only guessed."""
    roles = roles_of(columns, options)
    named = {side.column.name for listed in roles.criteria.values() for side in listed}
    named |= {roles.single[role] for role in ("id",) if role in roles.single}
    for column in columns:
        odd = {cell: 1 for cell in column.different if not cell.isascii()} if column.name in named else {}
        if odd:
            raise refusal("encoding", columns=[column.name], values=odd, choices=[("-o", "encoding=cp1252")])

"""Search for the columns of judges and annotators in a table, and for the criterion that each of them rates."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from markscheme.prompts.submission import as_text
from markscheme.ratings.kinds import Kind
from markscheme.readers.imported import ImportedFile, taken_out
from markscheme.readers.tabular.columns import TableColumn, is_judges
from markscheme.rubrics.rubric import Criterion


class RaterColumn(NamedTuple):
    """A table column with one rater's ratings, either on one criterion or on the whole response.

    Attributes:
        name: Name of the column, or the path `outer.inner` of a value in an object.
        kind: Kind of the rater.
        rater: Name of the rater: the column's name without that of the criterion.
        criterion: The criterion that is rated; None for the whole response.
    """

    name: str
    kind: Kind
    rater: str
    criterion: Criterion | None = None

    def value(self, row: Mapping[str, Any]) -> Any:
        """Return the column's value in a row; None if it is empty."""
        value = row.get(self.name) if self.name in row else taken_out(dict(row), self.name)[1]
        return None if value == "" else value


def stated_columns(rows: Sequence[Mapping[str, Any]], reading: ImportedFile) -> list[RaterColumn]:
    """Return the columns of judges and annotators that the user names with options such as `--judge`.

    Args:
        rows: The rows of the table.
        reading: The ImportedFile with the user's options and the rubric; `*` in a name matches the name of a criterion.
    """
    names = list(dict.fromkeys(str(name) for row in rows for name in row))
    columns = []
    for pattern, kind in reading.columns.meaning.sides.items():
        if "*" not in pattern:
            columns.append(RaterColumn(pattern, kind, pattern))
            continue
        before, _, after = pattern.partition("*")
        rater = f"{before}{after}".strip("_-. ") or kind
        for name in (name for name in names if fnmatchcase(name, pattern)):
            criterion = reading.criterion(name.removeprefix(before).removesuffix(after))
            if criterion is not None:
                columns.append(RaterColumn(name, kind, rater, criterion))
    return columns


def judge_columns(rows: Sequence[Mapping[str, Any]], reading: ImportedFile, read: frozenset[str]) -> list[RaterColumn]:
    """Return the columns of verdicts whose name, such as "judge", says that they hold a judge's ratings.

    Args:
        rows: The rows of the table.
        reading: The ImportedFile with the rubric, by which a value is recognized as a verdict.
        read: Names of columns that already have a meaning.
    """
    names = dict.fromkeys(str(name) for row in rows for name in row)
    columns = []
    for name in names:
        if name in read or reading.criterion(name) is not None or not is_judges(TableColumn(name, ("1",))):
            continue
        values = [value for row in rows if (value := row.get(name)) not in (None, "")]
        cells = tuple(as_text(value) for value in values)
        if is_judges(TableColumn(name, cells)) and all(map(reading.is_verdict, values)):
            columns.append(RaterColumn(name, "model", name))
    return columns

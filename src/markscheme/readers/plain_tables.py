"""Tables among the files that a command names, told from rubrics and from files of tools."""

from collections.abc import Sequence
from pathlib import Path

from markscheme.errors import naming
from markscheme.rubrics.reading import shows_rubric


def names_table(names: Sequence[str]) -> bool:
    """Return whether all names are files of tables, and of no format that says itself who rated.

    A rubric's start is spared all readers.
    """
    paths = [Path(name) for name in names]
    if not all(path.is_file() for path in paths) or any(map(shows_rubric, paths)):
        return False
    from markscheme.readers.rated import is_plain_table

    return all(map(is_plain_table, paths))


def refuse_table(name: str) -> None:
    """Refuse a table where a rubric is wanted: what is asked for are the words and weights of one.

    Raises:
        UsageError: It is a table.
    """
    if names_table([name]):
        from markscheme.readers.tabular.refusals import refusal

        with naming(name):
            raise refusal("needs-rubric")

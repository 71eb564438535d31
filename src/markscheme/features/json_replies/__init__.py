"""Replies of a judge as JSON in the cells of a table, which are split into verdicts, reasons and other keys."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from markscheme.readers.column_changes import COLUMN_CHANGES
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.ratings.column_options import ColumnOptions
    from markscheme.readers.tabular.columns import TableColumn


def _splitting() -> "Callable[[Sequence[TableColumn], ColumnOptions], Sequence[TableColumn]]":
    from markscheme.features.json_replies.replies_in_cells import with_replies_in_columns

    return with_replies_in_columns


JSON_REPLIES = Feature("json_replies", COLUMN_CHANGES(_splitting))

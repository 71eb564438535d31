"""Agreement in a table of ratings: each measure with its interval, or why it has no value."""

from typing import Any

from markscheme.readers.rater_table import RaterTable
from markscheme.report.document import Document, Notes, Table
from markscheme.report.figures import with_interval
from markscheme.report.json import attributes
from markscheme.stats.table_agreement import TableAgreement


def view(table: RaterTable, scale: str, found: TableAgreement) -> Document:
    """The measures of agreement of a table."""
    size = f"{len(table.values)} units, {len(table.raters)} raters, {scale} scale of {len(table.levels)} levels"
    rows = tuple((name, with_interval(one), one.note or "") for name, one in found.statistics.items())
    undefined = tuple(f"– {name}: {one.undefined}." for name, one in found.statistics.items() if one.undefined)
    return Document(size, "", (Table(("Measure", "value (95% CI)", ""), rows), Notes(undefined)))


def json_of(table: RaterTable, scale: str, found: TableAgreement) -> dict[str, Any]:
    """The same by the keys of the file format."""
    return {
        "schema": 1,
        "units": len(table.values),
        "raters": table.raters,
        "scale": scale,
        "levels": table.levels,
        "statistics": found.statistics,
        "chance": {
            name: attributes(each, "observed expected") for name, each in found.chance.items() if each.undefined is None
        },
        **({"pairs": [attributes(pair, "raters units statistics") for pair in found.pairs]} if found.pairs else {}),
    }

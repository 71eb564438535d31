"""Agreement in a table of ratings: each measure with its interval, or why it has no value."""

from typing import Any

from markscheme.calibration.agreement import Agreement
from markscheme.report.document import Document, Notes, Table
from markscheme.report.figures import with_interval
from markscheme.report.json import attributes


def view(agreement: Agreement) -> Document:
    """The measures of agreement of a table."""
    table = agreement.table
    statistics = agreement.statistics
    size = (
        f"{len(table.values)} units, {len(table.raters)} raters, {agreement.scale} scale of {len(table.levels)} levels"
    )
    rows = tuple((name, with_interval(estimate), estimate.note or "") for name, estimate in statistics.items())
    undefined = tuple(f"– {name}: {estimate.undefined}." for name, estimate in statistics.items() if estimate.undefined)
    return Document(size, "", (Table(("Measure", "value (95% CI)", ""), rows), Notes(undefined)))


def json_of(agreement: Agreement) -> dict[str, Any]:
    """The same by the keys of the file format."""
    table = agreement.table
    measures = agreement.measures
    pairs = [attributes(pair, "raters units statistics") for pair in measures.pairs]
    return {
        "schema": 1,
        "units": len(table.values),
        "raters": table.raters,
        "scale": agreement.scale,
        "levels": table.levels,
        "statistics": measures.statistics,
        "chance": {
            name: attributes(chance, "observed expected")
            for name, chance in measures.chance.items()
            if chance.undefined is None
        },
        **({"pairs": pairs} if pairs else {}),
    }

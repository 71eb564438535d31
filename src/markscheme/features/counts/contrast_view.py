"""Report on how the figures of two counts files differ."""

from typing import Any, Final

from markscheme.features.counts.comparison import in_words
from markscheme.features.counts.contrast import CountsContrast
from markscheme.report.document import Document, Notes, Table
from markscheme.report.figures import digits_of_pair, points
from markscheme.report.results import DocumentReporter
from markscheme.stats.estimate import EstimatePair

SEPARATE = (
    "Difference: the second minus the first, in points, 95% CI. Counts don't say which example is which, so the files "
    "are taken for separate samples; on the same examples `compare` on rows is more exact."
)


def json_of(contrast: CountsContrast) -> dict[str, Any]:
    """Return the JSON of a comparison of two counts files."""
    of = {"name": contrast.rubric.name, "fingerprint": contrast.rubric.fingerprint}
    sides = {"first": contrast.first.counts.facts, "second": contrast.second.counts.facts}
    return {"schema": 1, "rubric": of, **sides, "figures": figures_json(contrast)}


def figures_json(contrast: CountsContrast) -> dict[str, Any]:
    """Return the JSON of the figures of two counts files with their differences, by name."""
    return {
        name: {side: estimate.to_json() for side, estimate in figure._asdict().items()}
        for name, figure in contrast.figures.items()
    }


def view(contrast: CountsContrast) -> Document:
    """Build the report on the figures of two counts files and their differences."""
    first = contrast.first.counts
    second = contrast.second.counts
    source = f"From counts. {first.name}: {in_words(first)}; {second.name}: {in_words(second)}."
    table = contrast_table(contrast, first.name, second.name)
    return Document(contrast.rubric.name, source, (table, Notes((SEPARATE,))))


def contrast_table(contrast: CountsContrast, first: str, second: str) -> Table:
    """Build the table of all figures, with a column for each counts file and one for the difference.

    Args:
        contrast: The figures.
        first: Heading of the first file's column.
        second: Heading of the second file's column.
    """
    return Table(("", first, second, "difference"), tuple(_row(*named) for named in contrast.figures.items()))


def _row(name: str, figure: EstimatePair) -> tuple[str, ...]:
    digits = digits_of_pair(figure)
    return name, figure.first.as_share(digits), figure.second.as_share(digits), points(figure.difference, digits)


CONTRAST_REPORTER: Final = DocumentReporter(json_of, view)

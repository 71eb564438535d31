"""The report on systems compared by preferences."""

from typing import Any, Final

from markscheme.features.pairs.run import PairsCompared
from markscheme.features.pairs.section import in_a_sentence, orders_section, systems_blocks
from markscheme.phrases import counted
from markscheme.report import document as doc
from markscheme.report.json import attributes
from markscheme.report.results import DocumentReporter


def view(compared: PairsCompared) -> doc.Document:
    """Render how systems compare, by the labels (if there are any) and by each judge.

    The report begins with a sentence on each of these comparisons, and goes on with a section on each.
    """
    sections = [
        doc.Section(systems.rater, tuple(systems_blocks(systems)), f"by-{n}")
        for n, systems in enumerate(compared.systems)
    ]
    if compared.orders:
        sections.append(orders_section(compared.orders))
    sentences = tuple(in_a_sentence(systems) for systems in compared.systems)
    title = f"{compared.rubric.name} · {counted(compared.pairs, 'pair')}"
    return doc.Document(title, "", tuple(doc.Paragraph((sentence,)) for sentence in sentences), tuple(sections))


def json_of(compared: PairsCompared) -> dict[str, Any]:
    """Return the comparison of systems as a dict with the keys of the JSON output."""
    return {
        "schema": 1,
        "rubric": attributes(compared.rubric, "name fingerprint"),
        "pairs": compared.pairs,
        "systems": [record.to_json() for record in compared.systems],
        "orders": [record.to_json() for record in compared.orders],
    }


SYSTEMS_REPORTER: Final = DocumentReporter[PairsCompared](json_of, view)
"""Reporter of the systems in some pairs."""

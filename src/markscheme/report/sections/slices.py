"""Section on slices: groups of examples on which the judge does worse than on the other examples."""

from collections.abc import Iterator, Sequence

from markscheme.calibration.findings.slices import Slice
from markscheme.report import document as doc
from markscheme.report.document import share_mark
from markscheme.report.figures import share, with_signed_interval
from markscheme.report.sections.examples import slice_tag


def slices_section(slices: Sequence[Slice]) -> doc.Section:
    """Build the section on slices (such as one system's examples) on which the judge does worse than elsewhere.

    A page adds all other slices.
    """
    return doc.Section("Slices", tuple(_blocks(slices)), "slices")


def _blocks(slices: Sequence[Slice]) -> Iterator[doc.Block]:
    places = range(len(slices))
    worse = sorted((index for index in places if slices[index].stands_out), key=lambda index: slices[index].p)
    if worse:
        yield _table(slices, worse)
    else:
        yield doc.Paragraph((f"None of {len(slices)} slices does worse than the rest.",))
    others = sorted(set(places) - set(worse), key=lambda index: -slices[index].n)
    if others:
        yield doc.OnPages((doc.Paragraph(("The other slices, the largest first:",)), _table(slices, others)))


def _table(slices: Sequence[Slice], places: Sequence[int]) -> doc.Table:
    headings = ("Slice", "examples", "agreement", "elsewhere", "bias", "criteria")
    return doc.Table(headings, tuple(_row(slices[index], slice_tag(index)) for index in places), is_sortable=True)


def _row(part: Slice, tag: str) -> tuple[doc.Line, ...]:
    return (
        doc.Name(f"{part.part.by}: {part.part.name}"),
        doc.Count(part.n, tag, says=f"{part.part.by} {part.part.name}"),
        share_mark(part.agreement),
        share(part.rest),
        with_signed_interval(part.signed_error),
        ", ".join(part.criteria),
    )

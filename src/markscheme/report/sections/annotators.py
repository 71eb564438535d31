"""Section on annotators: the source of gold, and the agreement of annotators with each other and with the judge."""

from markscheme.calibration.calibration import Calibration
from markscheme.report import document as doc
from markscheme.report.figures import NONE, coefficient
from markscheme.report.sections.criteria import criterion_or_column
from markscheme.report.sections.labels import labels_in_short, labels_in_words
from markscheme.report.sections.pictures import annotator_matrix
from markscheme.stats.annotators import Ceiling


def annotators(calibration: Calibration) -> doc.Section:
    """Build the section on annotators: whose labels make up gold, and how they agree with each other and the judge."""
    gold = calibration.comparison.gold
    criteria = calibration.comparison.criteria
    lines: list[doc.Line] = [
        f"{labels_in_short(calibration.comparison)}. Gold comes from "
        f"{labels_in_words(gold.reference, gold.few_labelled_twice)}."
    ]
    ceilings = [(name, criterion.ceiling) for name, criterion in criteria.items() if criterion.ceiling is not None]
    if not ceilings:
        is_one = gold.reference == "one-person" or not gold.has_people
        answer = calibration.decision.gate_answer
        if answer is not None and answer.people.people.n:
            alike = answer.people.people.estimate(level=2 * answer.stops.confidence - 1)
            lines.append(f"Two annotators give the same decision on {alike.as_share()} of {alike.n} examples.")
            return doc.Section("Annotators", (doc.Paragraph(tuple(lines)),), "annotators")
        lack = f"{'No example has' if is_one else 'Too few examples have'} labels from two annotators"
        lines.append(f"{lack}: how well annotators agree with each other is not known.")
        return doc.Section("Annotators", (doc.Paragraph(tuple(lines)),), "annotators")
    headings = (criterion_or_column(calibration.rubric), "alpha between annotators", "alpha of judge and annotator", "")
    rows = tuple(
        (doc.Name(name), coefficient(ceiling.people), coefficient(ceiling.judge), _as_good(ceiling))
        for name, ceiling in ceilings
    )
    notes = ["Krippendorff's alpha, mean over pairs, with its 95% CI: 1 is full agreement, 0 what chance gives."]
    reasons = (ceiling.people.undefined for _, ceiling in ceilings)
    notes += dict.fromkeys(f"No alpha (–): {reason}." for reason in reasons if reason)
    matrix = annotator_matrix(calibration.comparison)
    blocks: list[doc.Block] = [doc.Paragraph(tuple(lines)), doc.Table(headings, rows), doc.Notes(tuple(notes))]
    if matrix is not None:
        blocks.append(doc.OnPages((matrix,)))
    return doc.Section("Annotators", tuple(blocks), "annotators")


def _as_good(ceiling: Ceiling) -> str:
    """Say if the judge is shown to be as good as an annotator, or why that isn't known; a dash without figures.

    Args:
        ceiling: Agreement of annotators with each other, and of the judge with annotators.
    """
    people = ceiling.people
    judge = ceiling.judge
    if people.value is None or judge.value is None:
        return NONE
    if people.value == judge.value == 1:
        return "judge and annotators always agree"
    if people.value <= 0 or (people.low is not None and people.low <= 0):
        return "annotators not shown to agree better than by chance"
    if ceiling.as_good is None:
        return "not known whether as good as an annotator"
    return "as good as an annotator" if ceiling.as_good else "not shown to be as good as an annotator"

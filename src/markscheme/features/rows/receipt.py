"""The receipt of an accepted run on rows that bring rubrics of their own, for further rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markscheme.errors import RatingError
from markscheme.features.rows.calibration import rubric_of_responses
from markscheme.grading import asking_fingerprint
from markscheme.grading.by_row import own_rubric
from markscheme.grading.receipt import ACCEPTED, USES, Receipt, accepted_run_data, load_receipt
from markscheme.judges.judge import GradingJudge
from markscheme.plain_data import mapping
from markscheme.readers.infer_rubric import rubric_of_wholes
from markscheme.rubrics.of_rows import RowRubric, row_rubric_in
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import every_calibration

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration

ROWS_KEY = "rows"
"""Key of an accepted.json under which the tags and numbers of the labelled rows' criteria are kept."""


@dataclass(frozen=True)
class _ReceiptOfRows(Receipt):
    """Receipt of a calibration on rows with rubrics of their own: what the judge may decide, and on which evidence.

    It holds for a further row unless the row has a tag that no labelled row has, or more criteria than any of them.

    Attributes:
        tags: Tags of the labelled rows' own criteria.
        most_criteria: The number of criteria of the labelled row that has most.
    """

    tags: frozenset[str] = frozenset()
    most_criteria: int = 0

    def beyond(self, core: Rubric, of_row: Rubric) -> Receipt:  # noqa: ARG002
        """Return the receipt for a further row's rubric, with the ways in which it differs from all labelled rows.

        Args:
            core: The run's rubric, which isn't used.
            of_row: The row's own rubric.
        """
        unseen = sorted({tag for criterion in of_row.criteria for tag in criterion.tags} - self.tags)
        outside = [f"{'tags' if len(unseen) > 1 else 'tag'} {', '.join(unseen)}"] if unseen else []
        n = len(of_row.criteria)
        if n > self.most_criteria:
            outside.append(f"{n} criteria, where a labelled row has {self.most_criteria} at most")
        return replace(self, outside=tuple(outside))


def receipt_of_rows(run: Rubric, judge: GradingJudge, starts: Sequence[Path]) -> Receipt | None:
    """Find the receipt of an accepted run on rows with rubrics of their own, for this judge and these settings.

    If several accepted runs have this judge and these settings, the run that allows the judge least counts, since it
    isn't known whose labelled rows are most like the rows to grade. If none has, the receipt of the latest run says how
    it differs.

    Args:
        run: The rubric whose settings say how the judge is asked.
        judge: The judge.
        starts: Folders in or above which folders `calibration/` are searched for.

    Returns:
        The receipt; None if no run on rows is accepted.

    Raises:
        RatingError: An accepted run cannot be read.
    """
    folders = dict.fromkeys(folder for start in starts for folder in every_calibration(start))
    checked = list(filter(None, (_checked(folder / ACCEPTED, run, judge) for folder in folders)))
    holding = [receipt for receipt in checked if receipt.holds]
    if holding:
        return max(holding, key=lambda receipt: (USES.index(receipt.use), not receipt.averages))
    return max(checked, key=lambda receipt: receipt.date, default=None)


def _checked(path: Path, run: Rubric, judge: GradingJudge) -> Receipt | None:
    """Load the receipt (what a calibration showed) of an accepted run on rows, and check it against today's settings.

    Return None if no run is accepted, or if the accepted run is on a rubric's file instead of rows.

    Args:
        path: The accepted.json.
        run: The rubric that says how the judge is asked.
        judge: The judge.
    """
    if not path.is_file():
        return None
    data = accepted_run_data(path)
    if ROWS_KEY not in data:
        return None
    of_rows = mapping(data[ROWS_KEY])
    tags, most = of_rows.get("tags"), of_rows.get("most_criteria")
    if not isinstance(tags, list) or not isinstance(most, int):
        raise RatingError(f"isn't an accepted run: {ROWS_KEY} has tags and most_criteria; accept another", path=path)
    receipt = load_receipt(path)
    values = {field.name: getattr(receipt, field.name) for field in fields(receipt)}
    rubric = rubric_of_responses(str(mapping(data.get("rubric")).get("name")), run)
    return _ReceiptOfRows(**values, tags=frozenset(map(str, tags)), most_criteria=most).checked_against(
        rubric,
        prompt=asking_fingerprint(rubric),
        judge=replace(judge.identity, without=receipt.without).fingerprint,
    )


def labelled_rows(calibration: "Calibration") -> Mapping[str, Any]:
    """Return the tags and the largest number of criteria of a run's rows, to be stored in accepted.json.

    The mapping is empty if the run is by a rubric, whose criteria all rows share.
    """
    rubric = calibration.rubric
    if rubric.criteria != rubric_of_wholes().criteria or rubric.description:
        return {}
    inputs = (dict(example.submission.inputs) for example in calibration.comparison.gold.examples)
    brought = (own_rubric(row_rubric_in(of_row, None), None, "add") for of_row in inputs)
    criteria = [by_row.rubric.criteria for by_row in brought if isinstance(by_row, RowRubric)]
    if not criteria:
        return {}
    tags = sorted({tag for of_row in criteria for criterion in of_row for tag in criterion.tags})
    return {ROWS_KEY: {"tags": tags, "most_criteria": max(map(len, criteria))}}

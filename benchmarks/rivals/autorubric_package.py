"""autorubric's own threshold for each set of labels that is read from standard input, one JSON line in, one out.

In: {"first": chances of MET by the first judge, "last": by the last judge, "truth": zeros and ones}, each a list of
rows, one number a criterion. The first judge is a decision model, which gives probabilities; the last one is a model
whose verdict is all that counts.
Out: {"threshold": of `calibrate_escalation(...).best()`, "escalated": the share of criteria that the last judge gets,
"met": the verdicts of the cascade at that threshold, as the package replays it}.
"""

import json
import sys
import warnings
from collections.abc import Sequence
from datetime import datetime

from autorubric import (
    Criterion,
    CriterionVerdict,
    DataItem,
    EnsembleCriterionReport,
    EnsembleEvaluationReport,
    EvalResult,
    EvalTimingStats,
    ItemResult,
    JudgeVote,
    Rubric,
    RubricDataset,
    calibrate_escalation,
    replay_escalation,
)
from autorubric.decision import selection_confidence

warnings.simplefilter("ignore")  # a point is replayed on the labels it was chosen from, and criteria can be constant

Rows = Sequence[Sequence[float]]


def verdict(is_met: bool) -> CriterionVerdict:
    """MET or UNMET."""
    return CriterionVerdict.MET if is_met else CriterionVerdict.UNMET


def vote(judge: str, chance: float, has_probabilities: bool) -> JudgeVote:
    """What a judge says of one criterion, as autorubric's grader records it."""
    if not has_probabilities:
        return JudgeVote(judge_id=judge, verdict=verdict(chance > 0.5), reason="")
    return JudgeVote(
        judge_id=judge,
        verdict=verdict(chance > 0.5),
        reason=None,
        probabilities={"MET": chance, "UNMET": 1 - chance},
        confidence=selection_confidence(max(chance, 1 - chance), 2),
    )


def graded(judge: str, chances: Rows, dataset: RubricDataset, *, has_probabilities: bool) -> EvalResult:
    """The run of one judge over all items."""
    results = []
    for number, row in enumerate(chances):
        reports = []
        for criterion, chance in zip(dataset.get_item_rubric(number).rubric, row, strict=True):
            cast = vote(judge, chance, has_probabilities)
            reports.append(
                EnsembleCriterionReport(
                    criterion=criterion, final_verdict=cast.verdict, final_reason=None, votes=[cast]
                )
            )
        report = EnsembleEvaluationReport(score=0.0, report=reports, judge_scores={judge: 0.0})
        results.append(ItemResult(number, dataset.items[number], report, 0.0))
    n = len(results)
    timing = EvalTimingStats.from_durations([0.0] * n, 0.0)
    now = datetime.now()
    return EvalResult(results, n, n, 0, None, None, timing, now, now)


def calibrated(first: Rows, last: Rows, truth: Rows) -> dict[str, object]:
    """The point that the package picks, and its verdicts there."""
    rubric = Rubric(
        [Criterion(name=f"c{number}", weight=1.0, requirement="It is so.") for number in range(len(truth[0]))]
    )
    items = [
        DataItem(submission=f"Response {number}.", description="", ground_truth=[verdict(level == 1) for level in row])
        for number, row in enumerate(truth)
    ]
    dataset = RubricDataset(prompt="?", rubric=rubric, items=items)
    decision_model = graded("first", first, dataset, has_probabilities=True)
    model = graded("last", last, dataset, has_probabilities=False)
    point = calibrate_escalation(dataset, decision_model, model).best()
    replay = replay_escalation(decision_model, model, point)
    met = [
        [int(report.final_verdict == CriterionVerdict.MET) for report in item.report.report]
        for item in replay.item_results
    ]
    return {"threshold": point.threshold, "escalated": point.escalation_rate, "met": met}


for line in sys.stdin:
    print(json.dumps(calibrated(**json.loads(line))), flush=True)

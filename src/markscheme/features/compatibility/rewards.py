"""Raw scores of a batch of responses, for training loops."""

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, Literal, get_args

from markscheme.errors import BudgetError, RatingWarning, UsageError
from markscheme.features.compatibility.report_types import ToGrade, response_text
from markscheme.grading import Grade, Grading, receipt_of, receipt_wanted
from markscheme.grading.receipt import CALIBRATION, Receipt, why_no_gate
from markscheme.grading.receipts import way_to_accept
from markscheme.grading.score import unclipped_score
from markscheme.judges.ask_many import ask_many
from markscheme.judges.judge import Judge, make_room
from markscheme.phrases import counted
from markscheme.prompts.submission import Submission
from markscheme.rubrics.file import load_rubric, rubric_given
from markscheme.rubrics.of_rows import ROWS_ALONE
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_rubric

__all__ = ["reward"]

RewardKind = Literal["raw", "unclipped", "score"]
"""Kinds of scores that a reward may be."""


async def reward(
    responses: Sequence[ToGrade],
    rubrics: Rubric | str | Mapping[str, Any] | Sequence[Any] | None,
    queries: Sequence[str | None] | None = None,
    *,
    judge: Judge,
    core: Rubric | str | None = None,
    of: RewardKind = "raw",
    reference: Sequence[Any] | None = None,
    context: Sequence[Any] | None = None,
    concurrency: int = 64,
    seen: Callable[[int, Grade], None] | None = None,
    calibration: str = "off",
) -> list[float | None]:
    """Return the raw or other score of each response, in order; None, never 0, if it could not be graded.

    All responses of a batch go through one judge, and so share its limiter and cache. Only the score of each response
    is kept, so that memory doesn't grow with the judge's replies.

    Args:
        responses: The responses: texts, or {"thinking": …, "output": …}.
        rubrics: One rubric for each response, or one for all: a Rubric, a list of criteria, a mapping with `criteria`,
            or a rubric's name. A response whose criteria are invalid gets None, and its Grade says why. None, for a
            response or for all, if `core` alone counts.
        queries: The query of each response; None for a response without one.
        judge: The judge to ask. It stays open.
        core: A rubric that all responses share, or its name; its criteria and those of a response's own rubric are
            weighed together. None without one.
        of: Kind of the scores: "raw" for sums of weights; "unclipped" for shares of the most that a response can earn,
            which compare where totals differ, and may be below 0; "score" for the same shares, clipped to 0 to 1.
        reference: A good response, one for each response; None for a response without one.
        context: The material that a response should be based on, one for each response; None for a response without
            any.
        concurrency: Number of responses that are graded at once. A judge opened without a limit of its own then takes
            as many requests at once.
        seen: Called with the index and Grade of each response when it is graded; the Grade says why a score is None.
        calibration: "require" grades only by rubrics whose accepted run shows that scores of this judge may be
            averaged; "warn" warns if a rubric has no such run; "off" reads no accepted run. Criteria that come with a
            response need an accepted run on other such responses. With "require", a response gets None if it has more
            criteria than any response labelled for that run, or a tag that none of these has.

    Returns:
        For each response the sum, over criteria, of the weight times the level's position on its scale (0 to 1), not
        normalized unless `of` says so. If a budget runs out before the end of the batch, the scores so far are kept,
        all other scores are None, and a RatingWarning says so. If no response at all could be graded, a RatingWarning
        says why.

    Raises:
        ValueError: There is one response in place of a list, a response isn't a text, the number of rubrics or inputs
            isn't that of the responses, concurrency is below 1, or `of` or `calibration` is another value. No judge is
            asked.
        UsageError: A response has no rubric at all, or there is no rubric of the core's name. Or scores that may be
            averaged are required, and this judge's aren't shown to be.

    Example:
        >>> import asyncio
        >>> from markscheme import Rubric, ScriptedJudge
        >>> rubric = Rubric.from_dict([{"weight": 2, "requirement": "A"}, {"weight": -1, "requirement": "B"}])
        >>> judge = ScriptedJudge([{"c1": "MET", "c2": "MET"}, {"c1": "UNMET", "c2": "MET"}])
        >>> asyncio.run(reward(["one", "two"], rubric, judge=judge, concurrency=1))
        [1.0, -1.0]
    """
    responses = _listed(responses)
    rubric_of_each = _one_for_each(rubrics, len(responses))
    inputs = _inputs_of_all(len(responses), query=queries, reference=reference, context=context)
    _refuse_settings(concurrency, of, calibration)
    for row, response in enumerate(responses):  # read again when asked: a sequence may make its items on access
        _checked_text(row, response)
    make_room(judge, concurrency)
    core = None if core is None else rubric_given(core)
    if core is None and any(rubric is None for rubric in rubric_of_each):
        raise UsageError("a response without a rubric of its own is graded by `core`, and there is none")
    if calibration != "off" and core is None:
        rubric_of_each = _by_name(rubric_of_each)
    grading_of = _gradings(rubric_of_each, core, judge, calibration)
    jobs = (
        (
            grading_of(rubric_of_each[row]),
            Submission(
                _checked_text(row, response),
                {name: values[row] for name, values in inputs.items()} | _as_input(rubric_of_each[row], core),
            ),
        )
        for row, response in enumerate(responses)
    )
    scores: list[float | None] = [None] * len(responses)
    reasons = Counter[str]()
    try:
        async with aclosing(ask_many(_grade, jobs, concurrency=concurrency)) as grades:
            async for row, grade in grades:
                is_covered = calibration != "require" or grade.receipt is None or not grade.receipt.outside
                scores[row] = _score_of(grade, of, grading_of(rubric_of_each[row]).rubric) if is_covered else None
                reasons[grade.error or ""] += 1
                if seen is not None:
                    seen(row, grade)
    except BudgetError as error:
        ungraded = sum(score is None for score in scores)
        warnings.warn(f"{error}; {ungraded} of {len(scores)} responses are not graded", RatingWarning, stacklevel=2)
    if len(scores) > 1 and reasons and all(score is None for score in scores):
        reason, times = reasons.most_common(1)[0]
        how_many = f"none of {counted(len(scores), 'response')} could be graded, so this batch has no rewards"
        warnings.warn(f"{how_many}; {times} by this reason: {reason}", RatingWarning, stacklevel=2)
    return scores


def _listed(responses: Sequence[ToGrade]) -> Sequence[ToGrade]:
    """Return responses as a sequence; one that makes its items only on access is returned unchanged.

    Raises:
        ValueError: There is one response in place of a list.
    """
    if isinstance(responses, str | Mapping):
        raise ValueError("responses must be a list, got a single one: give [response]")
    return _from_column(responses)


def _one_for_each(rubrics: Any, n: int) -> Sequence[Any]:
    """Return a rubric for each of `n` responses: the one that is for all, or each response's own.

    Raises:
        ValueError: The number of rubrics isn't that of the responses.
    """
    if rubrics is None or _is_one(rubrics):
        return [rubrics] * n
    of_each = _as_sequence(rubrics)
    if len(of_each) != n:
        raise ValueError(f"{n} responses and {len(of_each)} rubrics: give one rubric each, or one for all")
    return of_each


def _inputs_of_all(n: int, **columns: Sequence[Any] | None) -> dict[str, Sequence[Any]]:
    """Return the inputs that are given, each with a value for every response.

    Args:
        n: Number of responses.
        columns: By the input's name, its value for each response; None for an input that isn't given.

    Raises:
        ValueError: An input is a single text, or the number of its values isn't that of the responses.
    """
    inputs = {}
    for name, column in columns.items():
        if column is None:
            continue
        if isinstance(column, str):
            raise ValueError(f"each response has a {name} of its own: give a list, got a single text")
        values = inputs[name] = _from_column(column)
        if len(values) != n:
            raise ValueError(f"{n} responses and {len(values)} of {name}: give one each, or none at all")
    return inputs


def _refuse_settings(concurrency: int, of: str, calibration: str) -> None:
    """Raise ValueError if one of these arguments of `reward` has a value that it can't have."""
    if concurrency < 1:
        raise ValueError(f"concurrency must be a whole number from 1, got {concurrency}")
    if of not in get_args(RewardKind):
        raise ValueError(f"of must be one of {', '.join(get_args(RewardKind))}; got {of!r}")
    if calibration not in CALIBRATION:
        raise ValueError(f"calibration must be one of {', '.join(CALIBRATION)}; got {calibration!r}")


def _gradings(rubrics: Sequence[Any], core: Rubric | None, judge: Judge, calibration: str) -> Callable[[Any], Grading]:
    """Return a function that returns the Grading by which a response with a certain rubric is graded.

    Args:
        rubrics: The rubric of each response: a Rubric, or criteria that the response brings.
        core: The rubric that all responses share; None without one.
        judge: The judge.
        calibration: "require", "warn" or "off", as for `reward`.
    """
    if core is not None:
        of_all = Grading(core, judge, receipt=_receipt(core, judge, calibration))
        return lambda _: of_all
    of_rows = Grading(ROWS_ALONE, judge, receipt=_receipt_of_rows(rubrics, judge, calibration), has_core=False)
    rubric_by_id = {id(rubric): rubric for rubric in rubrics if isinstance(rubric, Rubric)}
    by_id = {key: Grading(of, judge, receipt=_receipt(of, judge, calibration)) for key, of in rubric_by_id.items()}
    return lambda rubric: by_id.get(id(rubric), of_rows)


def _checked_text(row: int, response: Any) -> str:
    """Return a response as one text, before any judge is asked.

    Raises:
        ValueError: The response is neither a text nor a mapping of thinking and output; the message has its index.
    """
    try:
        return response_text(response)
    except ValueError as error:
        raise ValueError(f"response {row} of the batch (from 0): {error}") from None


def _score_of(grade: Grade, of: RewardKind, rubric: Rubric) -> float | None:
    """Return the score of a grade, None if it has none.

    Args:
        grade: The grade.
        of: The kind of score: "score" for 0 to 1, "raw" for the sum of weight times position, "unclipped" for a score
            that may be outside 0 to 1.
        rubric: The rubric of the run; a row's own rubric is used instead.
    """
    if of == "unclipped":
        return None if grade.score is None else unclipped_score(grade.outcomes, grade.rubric or rubric)
    return grade.raw_score if of == "raw" else grade.score


def _is_one(rubrics: Any) -> bool:
    """Return True if rubrics are a single rubric, such as a list of criteria, and not a list with one per response."""
    if isinstance(rubrics, str | Mapping) or not isinstance(rubrics, Iterable):
        return True
    if not isinstance(rubrics, list | tuple):
        return False
    criteria = (
        isinstance(rubric, Mapping) and not {"criteria", "rubric", "rubrics"} & rubric.keys() for rubric in rubrics
    )
    return bool(rubrics) and all(criteria)


def _as_sequence(rubrics: Any) -> Sequence[Any]:
    """Return rubrics as a list; a sequence that makes its items only on access is returned unchanged."""
    made = _from_column(rubrics)
    return list(made) if isinstance(made, list | tuple) or any(isinstance(rubric, Rubric) for rubric in made) else made


def _from_column(values: Any) -> Sequence[Any]:
    """Return values, such as a data frame's column or an array, as a sequence with indexes from 0.

    Raises:
        ValueError: The values are a whole data frame or a mapping, whose items would be names, or are no values.
    """
    if isinstance(values, Sequence):
        return values
    if isinstance(values, Mapping) or hasattr(values, "columns") or not isinstance(values, Iterable):
        raise ValueError(f"give a list, or one column of a data frame; got {type(values).__name__}")
    # cells of polars and pyarrow are lists and texts only this way
    as_list = next((getattr(values, name) for name in ("to_list", "to_pylist") if hasattr(values, name)), None)
    return list(values if as_list is None else as_list())


def _by_name(rubrics: Sequence[Any]) -> list[Any]:
    """Replace each rubric's name by the rubric that is loaded from its file; leave other items as they are."""
    by_name = {rubric: load_rubric(find_rubric(rubric)) for rubric in rubrics if _is_name(rubric)}
    return [by_name[rubric] if _is_name(rubric) else rubric for rubric in rubrics]


def _is_name(rubric: Any) -> bool:
    return isinstance(rubric, str) and not rubric.lstrip().startswith(("[", "{"))


def _as_input(rubric: Any, core: Rubric | None) -> dict[str, Any]:
    return {} if core is None and isinstance(rubric, Rubric) else {"rubric": rubric}


def _receipt(rubric: Rubric, judge: Judge, calibration: str) -> Receipt | None:
    """Return the summary (receipt) of a judge's accepted calibration on a rubric; None without one, or if not wanted.

    Args:
        rubric: The rubric.
        judge: The judge.
        calibration: "require" to raise an error unless the receipt shows that scores may be averaged, "warn" to warn
            instead, "off" for no receipt.
    """
    receipt = receipt_wanted(calibration, "calibration", rubric, judge, Path.cwd(), averaged=True)
    if calibration == "warn" and not (receipt is not None and receipt.may_trend):
        reason = why_no_gate(receipt, way_to_accept(rubric, Path.cwd()))
        cannot = f"scores of {rubric.name} by this judge are not shown to be good for averages: {reason}"
        warnings.warn(cannot, RatingWarning, stacklevel=4)
    return receipt


def _receipt_of_rows(rubrics: Sequence[Any], judge: Judge, calibration: str) -> Receipt | None:
    """Return the receipt of an accepted run on responses that bring their own criteria; None if there is none.

    It isn't looked up, and None is returned, if `calibration` is "off" or no response brings criteria.

    Args:
        rubrics: For each response, the Rubric that all responses share, or the criteria that the response brings.
        judge: The judge.
        calibration: "require", "warn" or "off", as for `reward`.

    Raises:
        UsageError: `calibration` is "require", and no accepted run allows averages of scores.
    """
    n_by_row = sum(not isinstance(rubric, Rubric) for rubric in rubrics)
    if calibration == "off" or not n_by_row:
        return None
    receipt = receipt_of(ROWS_ALONE, judge, Path.cwd())
    if receipt is not None and receipt.may_trend:
        return receipt
    why = ", which have no accepted run" if receipt is None else f": {why_no_gate(receipt)}"
    lack = f"{counted(n_by_row, 'response')} of {len(rubrics)} with criteria of their own{why}"
    if calibration == "require":
        raise UsageError(f"calibration is require, and scores of this judge cannot be averaged: {lack}")
    warnings.warn(f"scores by this judge are not shown to be good for averages: {lack}", RatingWarning, stacklevel=4)
    return receipt


async def _grade(job: tuple[Grading, Submission]) -> Grade:
    grading, submission = job
    return await grading.grade(submission)

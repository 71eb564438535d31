"""Promptfoo's results as examples, labels and a judge's ratings, with or without a rubric."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from markscheme.errors import RatingError
from markscheme.promptfoo.results import AssertionVerdict, Results, Row, read_results
from markscheme.ratings.examples import Example, ExampleSet
from markscheme.ratings.rating import Rated, Rating
from markscheme.readers.imported import Reading, at_position
from markscheme.rubrics.rubric import DEFAULT_PASS_MARK, Criterion, Rubric
from markscheme.submission import Submission

NAME = "promptfoo"
"""Name of the rubric made from results; fixed, so that a later file can be compared with an accepted run."""
GRADERS = "promptfoo"
VIEWER, EXPECTED = "viewer", "expected_label"
"""Names for the rater in the viewer and the author of the test: results name neither."""


def rubric_of(files: Sequence[Results]) -> Rubric:
    """A rubric whose criteria are the graded metrics of the results, each yes or no.

    Raises:
        RatingError: None of their assertions is graded by a judge.
    """
    metrics: dict[str, AssertionVerdict] = {}
    for results in files:
        metrics = {**results.metrics, **metrics}
    if not metrics:
        raise RatingError("has no llm-rubric, g-eval or python assertion to calibrate", path=files[0].path)
    thresholds = {results.threshold for results in files}
    threshold = thresholds.pop() if len(thresholds) == 1 else None
    return Rubric(
        criteria=tuple(Criterion(1.0, verdict.text.strip() or name, name) for name, verdict in metrics.items()),
        name=NAME,
        description=f"What Promptfoo's assertions ask for in {', '.join(results.path.name for results in files)}",
        pass_mark=threshold if threshold is not None and 0 <= threshold <= 1 else DEFAULT_PASS_MARK,
    )


def labelled_rows(rows: Sequence[Row], rubric: Rubric) -> ExampleSet:
    """The outputs as examples, with annotators' pass/fail labels, which apply to each metric of an output too.

    Raises:
        RatingError: None is labelled.
    """
    examples: dict[str, Example] = {}
    for row in rows:
        labels = {label.rater: label for label in (examples[row.id].labels if row.id in examples else ())}
        there = {verdict.metric for verdict in row.verdicts}
        given = list(_labels(row, [criterion for criterion in rubric.criteria if criterion.name in there]))
        if all(label.overall is None for label in given):
            given = [replace(label, overall=_as_level(label.passed)) for label in given]
        labels |= {label.rater: label for label in given}
        examples[row.id] = _example(row, tuple(labels.values()))
    if not any(row.is_labelled for row in rows):
        raise RatingError(
            "no output in the results is labelled: rate some in `promptfoo view`, "
            "or give tests `metadata: {expected_label: pass|fail}`"
        )
    return ExampleSet(tuple(examples.values()))


def scored_ids(rows: Iterable[Row]) -> set[str]:
    """Ids of the outputs to which an annotator gave a score, not only a thumb."""
    return {row.id for row in rows if row.manual is not None and row.manual.score is not None}


def graders_ratings(rows: Sequence[Row], rater: str, rubric: Rubric, *, by_score: Collection[str]) -> list[Rating]:
    """The graders' ratings of each output, without annotators' overrides.

    Args:
        rows: The outputs.
        rater: Name of the graders.
        rubric: The rubric whose criteria are the graded metrics.
        by_score: Ids of the outputs compared by score; all others are compared by pass or fail.
    """
    known = {criterion.name for criterion in rubric.criteria}
    ratings = []
    for row in rows:
        by_metric: dict[str, list[AssertionVerdict]] = {}
        for verdict in row.verdicts:
            if verdict.is_graded and verdict.metric in known:
                by_metric.setdefault(verdict.metric, []).append(verdict)
        levels = {metric: _rated(verdicts) for metric, verdicts in by_metric.items()}
        score = row.score if row.id in by_score else _as_level(row.passed)
        ratings.append(Rating(row.id, rater, "model", levels, score, row.passed, row.sample, row.ungraded))
    return ratings


def read_promptfoo(reading: Reading) -> None:
    """Add the outputs of one results file, with graders' and annotators' ratings, for the user's own rubric.

    Metrics and named scores with a criterion's name are its levels: a score from 0 to 1 is a position on the scale.
    Thumbs and expected labels are overall decisions.

    Raises:
        RatingError: It isn't a valid results file.
    """
    results = read_results(reading.path)
    reading.lost.update(results.aside)
    yes_no = [reading.only] if reading.only is not None and reading.only.scale.is_yes_no else []
    for row in results.rows:
        reading.add_example(_example(row, ()))
        reading.add(_imported_verdicts(row, reading))
        for label in _labels(row, yes_no):
            reading.add(label)


def _imported_verdicts(row: Row, reading: Reading) -> Rating:
    """The graders' ratings by criterion; score and decision are those of the assertion they are part of."""
    said: dict[str, Rated] = {}
    whole: AssertionVerdict | None = None
    above: AssertionVerdict | None = None
    for verdict in row.verdicts:
        above = above if verdict.is_part else verdict
        criterion = reading.criterion(verdict.metric) if verdict.is_graded else None
        if criterion is not None:
            rated = _level_of(verdict, criterion, reading)
            said |= {criterion.name: rated} if rated is not None else {}
            whole = above if verdict.is_part else whole
    for name, named in row.named.items():
        criterion = reading.criterion(name)
        if criterion is not None and criterion.name not in said:
            said |= _named(criterion, named, reading)
    _count_lost(row, whole, reading)
    score, passed, error = (row.score, row.passed, row.ungraded)
    if whole is not None:
        score, passed, error = (whole.score, whole.passed, whole.ungraded)
    overall = score if score is not None and 0 <= score <= 1 and error is None else None
    return Rating(row.id, GRADERS, "model", said, overall, None if error else passed, row.sample, error)


def _count_lost(row: Row, whole: AssertionVerdict | None, reading: Reading) -> None:
    for verdict in row.verdicts:
        if verdict.is_graded and verdict is not whole and reading.criterion(verdict.metric) is None:
            reading.lose(f"verdicts of {verdict.metric!r}, which is no criterion of the rubric")
    if row.usage.calls:
        reading.lose("counts of what grading an output cost")


def _level_of(verdict: AssertionVerdict, criterion: Criterion, reading: Reading) -> Rated | None:
    if verdict.ungraded is not None:
        return Rated(None, verdict.ungraded, declined="unread")
    if criterion.scale.is_yes_no or verdict.score is None:
        merit = float(bool(verdict.passed))
    elif 0 <= verdict.score <= 1:
        merit = verdict.score
    else:
        reading.lose(f"scores of {verdict.metric!r} that are not from 0 to 1")
        return None
    return Rated(at_position(criterion, merit), verdict.reason)


def _named(criterion: Criterion, score: float, reading: Reading) -> dict[str, Rated]:
    if not 0 <= score <= 1 or (criterion.scale.is_yes_no and score not in (0.0, 1.0)):
        reading.lose(f"named scores of {criterion.name!r} that are no level of its scale")
        return {}
    return {criterion.name: Rated(at_position(criterion, score))}


def _example(row: Row, labels: tuple[Rating, ...]) -> Example:
    return Example(
        Submission(row.response, row.inputs, row.id), labels, group=row.task, system=row.system, split=row.split
    )


def _labels(row: Row, criteria: Iterable[Criterion]) -> Iterator[Rating]:
    """Annotators' labels of an output; their decisions are also levels of these criteria, which are yes/no."""
    manual, expected = row.manual, row.expected
    if manual is not None:
        levels = _levels(manual.passed, criteria)
        yield Rating(row.id, VIEWER, "human", levels, manual.score, manual.passed, blind=False, note=manual.comment)
    if expected is not None:
        yield Rating(row.id, EXPECTED, "human", _levels(expected, criteria), None, expected)


def _levels(passed: bool | None, criteria: Iterable[Criterion]) -> dict[str, Rated]:
    return {} if passed is None else {c.name: Rated(at_position(c, float(passed))) for c in criteria}


def _rated(verdicts: Sequence[AssertionVerdict]) -> Rated:
    """The rating of one metric of one output; assertions that share the metric pass only together."""
    ungraded = next((verdict.ungraded for verdict in verdicts if verdict.ungraded is not None), None)
    if ungraded is not None:
        return Rated(None, ungraded, declined="unread")
    reasons = " ".join(verdict.reason for verdict in verdicts if verdict.reason)
    return Rated(float(all(verdict.passed for verdict in verdicts)), reasons)


def _as_level(passed: bool | None) -> float | None:
    return None if passed is None else float(passed)

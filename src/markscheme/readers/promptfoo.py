"""Reader of Promptfoo's results, as examples, labels and a judge's ratings, with or without a rubric."""

import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from markscheme.errors import RatingError, RatingWarning
from markscheme.fingerprint import fingerprint
from markscheme.judges.judge import total
from markscheme.plain_data import shown
from markscheme.promptfoo.results import AssertionVerdict, Results, Row, read_results
from markscheme.prompts.submission import NO_RESPONSE, Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import Rated, Rating
from markscheme.readers.imported import Columns, ImportedFile, at_position
from markscheme.readers.infer_rubric import rubric_of_wholes
from markscheme.readers.peek import Peek
from markscheme.readers.reported import JudgeCost
from markscheme.rubrics.reading import may_be_results
from markscheme.rubrics.rubric import DEFAULT_PASS_MARK, Criterion, Rubric

NAME = "promptfoo"
"""Name of the rubric made from results, and of a run's graders as a rater; fixed, so that a later file can be compared
with an accepted run."""
VIEWER, EXPECTED = "viewer", "expected_label"
"""Names for the rater in the viewer and for the author of the test, whom results don't name."""


def rubric_of(files: Sequence[Results]) -> Rubric:
    """Make a rubric from Promptfoo's results: each graded metric is a yes/no criterion, a negated one a fault.

    Raises:
        RatingError: No assertion in the results is graded by a judge.
    """
    metrics: dict[str, AssertionVerdict] = {}
    for results in files:
        metrics = {**results.metrics, **metrics}
    if not metrics:
        raise RatingError("has no llm-rubric, g-eval or python assertion to calibrate", path=files[0].path)
    thresholds = {results.threshold for results in files}
    threshold = thresholds.pop() if len(thresholds) == 1 else None
    return Rubric(
        criteria=tuple(
            Criterion(-1.0 if verdict.is_negated else 1.0, verdict.text.strip() or name, name)
            for name, verdict in metrics.items()
        ),
        name=NAME,
        description=f"What Promptfoo's assertions ask for in {', '.join(results.path.name for results in files)}",
        pass_mark=threshold if threshold is not None and 0 <= threshold <= 1 else DEFAULT_PASS_MARK,
    )


def _add_output(row: Row, reading: ImportedFile) -> None:
    """Add an output as an example; outputs with equal inputs and assertions belong to one test case."""
    reading.add_example(_example(row))
    asserted = [[verdict.metric, verdict.text] for verdict in row.verdicts]
    reading.cases[row.id] = fingerprint({name: shown(value) for name, value in row.inputs.items()}, asserted)


def _labels_by_metric(row: Row, rubric: Rubric) -> list[Rating]:
    """Return the labels that annotators gave an output in Promptfoo, as ratings that pass or fail it.

    If the output has a single metric, these labels count for that metric too.
    """
    labelled = [criterion for criterion in rubric.criteria if row.graded_metrics == {criterion.name}]
    labels = list(_labels(row, labelled, rubric.criteria))
    if all(label.overall is None for label in labels):
        return [replace(label, overall=_as_level(label.passed)) for label in labels]
    return labels


def scored_keys(rows: Sequence[Row]) -> set[str]:
    """Return the keys of outputs that are compared by score: those that annotators scored; all if none is labelled."""
    if not any(row.is_labelled for row in rows):
        return {row.key for row in rows}
    return {row.key for row in rows if row.manual is not None and row.manual.score is not None}


def graders_ratings(rows: Sequence[Row], rubric: Rubric, *, by_score: Collection[str]) -> list[Rating]:
    """Return the ratings that Promptfoo's graders (assertions) gave outputs, before any change by annotators.

    Args:
        rows: The rows of the results, one for each output.
        rubric: The rubric whose criteria are the graded metrics.
        by_score: The `Row.key` of each output that gets Promptfoo's score; all other outputs get 1 for a pass or 0 for
            a fail as their score.
    """
    criteria = {criterion.name: criterion for criterion in rubric.criteria}
    ratings = []
    for row in rows:
        by_metric: dict[str, list[AssertionVerdict]] = {}
        for verdict in row.verdicts:
            if verdict.is_graded and verdict.metric in criteria:
                by_metric.setdefault(verdict.metric, []).append(verdict)
        levels = {metric: _rated(verdicts, criteria[metric]) for metric, verdicts in by_metric.items()}
        score = row.score if row.key in by_score else _as_level(row.passed)
        ratings.append(Rating(row.id, NAME, "model", levels, score, row.passed, row.sample, row.ungraded))
    return ratings


def is_results(peek: Peek) -> bool:
    """Return True if a file holds Promptfoo's results; as a rule, only its beginning is read to see that."""
    if may_be_results(peek.path):
        return True
    if peek.shape not in ("lines", "json"):
        return False
    if peek.is_lines:
        first = peek.head.lstrip().split("\n", 1)[0]
        return '"promptIdx"' in first and '"testIdx"' in first
    is_whole_file = '"results"' in peek.head and '"prompts"' in peek.head
    return is_whole_file or '"evalId"' in peek.head or '"gradingResult"' in peek.head


def read_results_files(files: Sequence[Peek], rubric: Rubric | None, columns: Columns) -> list[ImportedFile]:
    """Read the outputs in each file of Promptfoo's results, with graders' and annotators' ratings.

    By a user's rubric, metrics and named scores that have a criterion's name give its level: a score from 0 to 1 is a
    position on the scale. Thumbs and expected labels are decisions on the whole output. Without a rubric, or if the
    rubric's criteria are the metrics, each metric is a criterion that is met or not.

    Outputs that no assertion judges are left out, unless the files are read as examples.

    Raises:
        RatingError: A file can't be read, or contains no verdict.
    """
    results = results_in([peek.path for peek in files], unjudged=columns.expected == "examples")
    if rubric is not None and not columns.by_metrics:
        return [
            _by_criteria(in_file, columns.reading(peek, rubric)) for peek, in_file in zip(files, results, strict=True)
        ]
    if rubric is None and columns.expected in ("examples", "decisions") and not any(file.metrics for file in results):
        rubric = rubric_of_wholes()
    rubric = rubric or rubric_of(results)
    by_score = scored_keys([row for in_file in results for row in in_file.rows])
    return [read_by_metrics(in_file, rubric, by_score) for in_file in results]


def results_in(paths: Sequence[Path], *, unjudged: bool = False) -> list[Results]:
    """Read the Promptfoo results in each file; warn of labels and splits in them that are invalid.

    Args:
        paths: The files.
        unjudged: True to keep outputs that no assertion judges, as ungraded rows.

    Raises:
        RatingError: A file cannot be read.
    """
    files = [read_results(path, unjudged=unjudged) for path in paths]
    for file in files:
        for name, count in file.aside.items():
            if name.startswith("metadata."):
                warnings.warn(f"{file.path}: {name}: {count} of {len(file.rows)} outputs", RatingWarning, stacklevel=2)
    return files


def _by_criteria(results: Results, reading: ImportedFile) -> ImportedFile:
    reading.lost.update(results.aside)
    yes_no = [reading.only] if reading.only is not None and reading.only.scale.is_yes_no else []
    for row in results.rows:
        _add_output(row, reading)
        reading.add(_imported_verdicts(row, reading, results.metrics))
        for label in _labels(row, yes_no, reading.rubric.criteria):
            reading.add(label)
    return reading


def read_by_metrics(results: Results, rubric: Rubric, by_score: Collection[str] | None = None) -> ImportedFile:
    """Convert Promptfoo's results to outputs with ratings, by a rubric with a criterion for each metric.

    Args:
        results: The results of the evaluation.
        rubric: The rubric with a criterion for each metric.
        by_score: Keys of the outputs on which graders and people are compared by score instead of by pass or fail; None
            to determine them from these results.
    """
    if by_score is None:
        by_score = scored_keys(results.rows)
    reading = ImportedFile(results.path, rubric)
    reading.lost.update(results.aside)
    rows = results.rows
    for row in rows:
        _add_output(row, reading)
        reading.ratings += _labels_by_metric(row, reading.rubric)
    reading.ratings += graders_ratings(rows, reading.rubric, by_score=by_score)
    reading.day = results.at
    reading.judge_cost = JudgeCost(total(row.usage for row in rows), submissions=len(rows))
    return reading


def _imported_verdicts(row: Row, reading: ImportedFile, metrics: Collection[str]) -> Rating:
    """Return the graders' rating of an output: levels by criterion, an overall score and a decision.

    If an assertion lists verdicts on single criteria that give levels, score and decision are those of that assertion;
    else they are those of the whole output. A criterion that may not apply doesn't apply to an output on which its
    metric isn't graded, if other outputs are graded on it.

    Args:
        row: The output.
        reading: The file being read, with the rubric.
        metrics: Names of the metrics that are graded in the results.
    """
    levels: dict[str, Rated] = {}
    whole: AssertionVerdict | None = None
    above: AssertionVerdict | None = None
    for verdict in row.verdicts:
        above = above if verdict.is_part else verdict
        criterion = reading.criterion(verdict.metric) if verdict.is_graded else None
        if criterion is not None:
            rated = _level_of(verdict, criterion, reading)
            levels |= {criterion.name: rated} if rated is not None else {}
            whole = above if verdict.is_part else whole
    for name, named in row.named.items():
        criterion = reading.criterion(name)
        if criterion is not None and criterion.name not in levels:
            levels |= _named(criterion, named, reading)
    if levels:
        optional = [c.name for c in map(reading.criterion, metrics) if c is not None and c.not_applicable]
        levels = dict.fromkeys(optional, Rated(None, declined="not applicable")) | levels
    _count_lost(row, whole, reading)
    decided = row if whole is None else whole
    score = decided.score
    error = decided.ungraded
    overall = score if score is not None and 0 <= score <= 1 and error is None else None
    if whole is None and levels.keys() == {criterion.name for criterion in reading.rubric.criteria}:
        overall = None  # Promptfoo's mean also counts assertions on facts, and the rubric makes a score of its own
    return Rating(row.id, NAME, "model", levels, overall, None if error else decided.passed, row.sample, error)


def _count_lost(row: Row, whole: AssertionVerdict | None, reading: ImportedFile) -> None:
    for verdict in row.verdicts:
        if verdict.is_graded and verdict is not whole and reading.criterion(verdict.metric) is None:
            reading.lose(f"verdicts of {verdict.metric!r}, which isn't a criterion of the rubric")
    if row.usage.calls:
        reading.lose("counts of what grading an output cost")


def _level_of(verdict: AssertionVerdict, criterion: Criterion, reading: ImportedFile) -> Rated | None:
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


def _named(criterion: Criterion, score: float, reading: ImportedFile) -> dict[str, Rated]:
    if not 0 <= score <= 1 or (criterion.scale.is_yes_no and score not in (0.0, 1.0)):
        reading.lose(f"named scores of {criterion.name!r} that aren't a level of its scale")
        return {}
    return {criterion.name: Rated(at_position(criterion, score))}


def _example(row: Row) -> Example:
    """Return an output as an example without labels; an empty one, as after a provider's error, can't be graded."""
    return Example(
        Submission(row.response, row.inputs, row.id, None if row.response else NO_RESPONSE),
        group=row.task,
        system=row.system,
        split=row.split,
        metadata=row.metadata,
    )


def _labels(row: Row, criteria: Iterable[Criterion], labellable: Iterable[Criterion]) -> Iterator[Rating]:
    """Yield the labels that annotators gave an output: thumbs in the viewer, and results expected by the test.

    A test states the expected result of the whole output, or of single criteria.

    Args:
        row: The row of the output.
        criteria: Yes/no criteria for which a decision on the whole output is a label, too.
        labellable: Criteria that the test's author may have labelled separately.
    """
    manual = row.manual
    expected = row.expected
    criteria = list(criteria)
    if manual is not None:
        levels = _levels(manual.passed, criteria)
        comment = manual.comment or None
        yield Rating(row.id, VIEWER, "human", levels, manual.score, manual.passed, blind=False, note=comment)
    if expected is not None:
        yield Rating(row.id, EXPECTED, "human", _levels(expected, criteria), None, expected)
    if row.expected_of:
        labelled = {c.name: c for c in labellable if c.name in row.expected_of and c.scale.is_yes_no}
        levels = {name: Rated(at_position(c, float(row.expected_of[name]))) for name, c in labelled.items()}
        yield Rating(row.id, EXPECTED, "human", levels)


def _levels(passed: bool | None, criteria: Iterable[Criterion]) -> dict[str, Rated]:
    return {} if passed is None else {c.name: Rated(at_position(c, float(passed))) for c in criteria}


def _rated(verdicts: Sequence[AssertionVerdict], criterion: Criterion) -> Rated:
    """Combine the verdicts of all assertions of one metric into the answer to the metric's criterion.

    The criterion is met if all assertions pass; if it is a fault, it is met if any assertion fails.
    """
    ungraded = next((verdict.ungraded for verdict in verdicts if verdict.ungraded is not None), None)
    if ungraded is not None:
        return Rated(None, ungraded, declined="unread")
    reasons = " ".join(verdict.reason for verdict in verdicts if verdict.reason)
    return Rated(at_position(criterion, float(all(verdict.passed for verdict in verdicts))), reasons)


def _as_level(passed: bool | None) -> float | None:
    return None if passed is None else float(passed)

"""Compares a judge with people on rows that bring criteria of their own, per criterion and per response."""

import math
import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.calibration.comparison.trend import refuse_limits_of_scores
from markscheme.calibration.comparison.verdict import Decision
from markscheme.calibration.file_answers import FileAnswer
from markscheme.calibration.judge_runs import rater_of, run_to_end
from markscheme.calibration.labels_in_words import labels_to_add
from markscheme.calibration.options import LabelOptions
from markscheme.calibration.reasons import scarce_decision
from markscheme.calibration.recorded_trials import (
    SETTINGS,
    RecordedTrial,
    compared_by_people,
    count_settings,
    record_settings,
)
from markscheme.calibration.wanted_labels import keep_next_labels
from markscheme.errors import ComparisonError, Fault, NothingGraded, RatingError, UsageError
from markscheme.features.rows.stale_labels import stale_criteria, warn_of_stale
from markscheme.features.rows.trend import CriteriaTrend, CriterionVerdict, credit_limits, shares_of
from markscheme.features.rows.verdict_shares import VerdictShares, tasks_needed
from markscheme.fingerprint import fingerprint
from markscheme.grading import Grade, Grading, grade_many, scorers_for
from markscheme.grading.by_row import own_rubric
from markscheme.grading.receipt import ACCEPTED
from markscheme.grading.score import Score, weigh
from markscheme.grading.verdict import Verdict
from markscheme.json_text import parse_json
from markscheme.judges.judge import Judge, total
from markscheme.options.in_force import with_reading_options
from markscheme.phrases import counted, few_of
from markscheme.plain_data import json_lines
from markscheme.ratings.codes import load_ratings
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import RATINGS_FOLDER, ExampleSet, examples_from
from markscheme.ratings.examples_choice import chosen_examples, part_name
from markscheme.ratings.from_grades import rating_of
from markscheme.ratings.kinds import JUDGES, KINDS
from markscheme.ratings.rating import Rating
from markscheme.ratings.wordings import on_criteria
from markscheme.readers.infer_rubric import rubric_of_wholes
from markscheme.readers.plain_tables import first_with_rubric, is_one_row_with_rubric, numbered_rows
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.of_rows import ROWS_ALONE, RowRubric, row_rubric_in, row_rule, rubric_of_all
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.rubrics.search import calibration_folder, find_calibration, find_rubric
from markscheme.stats import Estimate

if TYPE_CHECKING:
    from markscheme.calibration.earlier_runs.accepted_basis import AcceptedBasis
    from markscheme.calibration.requests.calibration import CalibrationRequest

SinceAccepted: TypeAlias = "Callable[[Rubric, ExampleSet, Sequence[Rating]], AcceptedBasis | None]"
"""Function that returns the accepted run to compare a judge's ratings with; None if there is none."""

FEWEST_OF_TAG = 20
"""Fewest verdicts on the criteria with a tag for which the report has figures on the tag."""

UNLABELLED = "no person labelled it"
"""The reason why a response isn't compared if people gave it no label."""

LabelledRow: TypeAlias = tuple[Example, Rubric]
"""A labelled response, with its task as its group, and the rubric that grades it: the row's own criteria, those of the
run, or both."""


@dataclass(frozen=True)
class RowsCalibration(FileAnswer):
    """Comparison of a judge with people on rows that bring their own criteria, by response and by criterion.

    Attributes:
        path: The file of rows.
        whole: The judge compared with people on each response, by decision and score.
        verdicts: The judge compared with people on each criterion.
        by_tag: The verdicts on the criteria of each tag that has at least `FEWEST_OF_TAG` verdicts.
        close_scores: Share of responses on which the scores of judge and people differ by less than the tolerance.
        lost: Number of responses or verdicts that weren't compared, by the reason.
        pass_marks: Number of labelled responses by the pass mark that decides them.
        is_kept: True if this run was accepted on the user's wish, so that the report doesn't suggest it.
    """

    path: Path
    whole: Calibration
    verdicts: VerdictShares
    by_tag: Mapping[str, VerdictShares]
    close_scores: Estimate
    lost: Mapping[str, int]
    pass_marks: "Counter[float]"
    is_kept: bool = False

    @property
    def calibrations(self) -> Sequence[Calibration]:
        """A tuple whose only item is the calibration of the judge's decisions on whole responses."""
        return (self.whole,)

    @property
    def n_unlabelled(self) -> int:
        """Number of responses that no person labelled."""
        return self.lost.get(UNLABELLED, 0)


def _named_rows(request: "CalibrationRequest") -> tuple[Path, Rubric | None] | None:
    """Return the file of rows and the rubric, if any, that a request to calibrate names; None without such a file."""
    if isinstance(request.of, Rubric) or not 1 <= len(request.of) <= 2 or request.ratings:
        return None
    *named, name = request.of
    path = Path(name)
    if not (_brings_rubrics(path) or is_one_row_with_rubric(path)):
        return None
    if request.examples is not None:
        raise UsageError(f"--examples needs a rubric; {path.name} contains its own examples")
    return path, load_rubric(find_rubric(named[0])) if named else None


def _brings_rubrics(path: Path) -> bool:
    """Return True if a file's rows bring their own criteria and are labelled, in the file or by `label`."""
    first = first_with_rubric(path)
    return first is not None and bool(first.get("labels") or _ratings_folder(path) or _any_labelled(path))


def _any_labelled(path: Path) -> bool:
    """Return True if any row has labels, or if the file can't be read to its end.

    In the second case, the caller goes on to read the file, and the error says what is wrong with it.
    """
    try:
        return any(isinstance(row, Mapping) and row.get("labels") for _, row in numbered_rows(path))
    except RatingError:
        return True


def calibrate_rows(request: "CalibrationRequest") -> RowsCalibration | None:
    """Compare a judge with people on a file of rows, by asking it or by the file's verdicts; None for other files.

    Raises:
        RatingError: A row or its rubric is invalid.
        UsageError: Several judges rated the rows and none is named, or no judge rated them and none is to be asked.
        ComparisonError: No response is labelled, or none is graded.
    """
    named = _named_rows(request)
    if named is None:
        return None
    path, core = named
    folder = calibration_folder(path.name, Path.cwd())
    accepted = request.accepting.accepted or folder / ACCEPTED
    with request.turn(accepted):
        result = _result(path, core, request, partial(request.since, accepted), folder / SETTINGS)
        _accept(result, accepted, request)
    if core is None:
        _keep_next_labels(result.whole, folder, request.options)
    return replace(result, is_kept=request.accepting.accept)


def _keep_next_labels(calibration: Calibration, folder: Path, options: LabelOptions) -> None:
    """Save how many labels the verdict on the judge needs, for `label` and `status`, if all rows were compared.

    A folder that can't be written is ignored.

    Args:
        calibration: The calibration on whole responses.
        folder: The calibration folder of the file of rows.
        options: Options on which rows were compared.
    """
    if folder.is_dir() and options.split is None and not options.only:
        with suppress(OSError):
            keep_next_labels(calibration.decision, calibration.comparison.gold, calibration.rater.name, folder)


def _accept(result: RowsCalibration, path: Path, request: "CalibrationRequest") -> None:
    """Accept the run if the user asks for it.

    If the judge was asked for this run, it replaces the accepted runs instead of joining them, since cached replies of
    an accepted run would then count twice.
    """
    start_over = request.accepting.replace or result.whole.rater.source == "live"
    once = replace(request, accepting=replace(request.accepting, replace=start_over))
    once.accept([result.whole], path, ExampleSet(tuple(result.whole.comparison.gold.examples), result.path))


def _result(
    path: Path, core: Rubric | None, request: "CalibrationRequest", since: "SinceAccepted", record: Path
) -> RowsCalibration:
    run = request.ask.of(ROWS_ALONE if core is None else core)
    labelled = _of_part(_with_kept_labels(_read(path, core, run), path), request.options)
    if not any(_by_people(example) for example, _ in labelled):
        named = [str(path)] if isinstance(request.of, Rubric) else request.of
        label = with_reading_options(f"markscheme label {shlex.join(named)}")
        raise ComparisonError(f"no row of {path} has a label of people to compare with; to label them: {label}")
    judges = list(dict.fromkeys(label.rater for example, _ in labelled for label in _of_judges(example)))
    name = _judge_in(judges, request)
    if name is not None:
        typed = name if name in request.judges else None
        rater = _with_rerun_options(Rater(name, "", "ratings", path.name), typed, request)
        return _judge_in_file(rater, path, labelled, run, request.options, since, record)
    rater, grades = _ask(labelled, run, request, has_core=core is not None)
    rubrics = {example.id: rubric for example, rubric in labelled}
    judged = {grade.id: rating_of(grade, rubrics[grade.id], rater.name) for grade in grades}
    return _compared(path, labelled, judged, rater, run, request.options, since, record, grades)


def labelled_rows_in(path: Path) -> Sequence[LabelledRow]:
    """Return the rows of a file that bring rubrics of their own, with the labels in it and those that `label` stored.

    Raises:
        RatingError: A row or its rubric is invalid.
        UsageError: A task has rows in dev and in test.
    """
    return _with_kept_labels(_read(path, None, ROWS_ALONE), path)


def calibrate_each_judge(path: Path, options: LabelOptions) -> list[Calibration] | None:
    """Compare each judge in a file of rows with people, on whole responses; None if the rows bring no rubrics.

    Raises:
        RatingError: A row or its rubric is invalid.
        UsageError: There are fewer than two judges.
        ComparisonError: No response is labelled.
    """
    if not _brings_rubrics(path):
        return None
    labelled = _of_part(labelled_rows_in(path), options)
    judges = dict.fromkeys(label.rater for example, _ in labelled for label in _of_judges(example))
    if len(judges) < 2:
        raise UsageError(f"a comparison needs two judges, and {counted(len(judges), 'judge')} rated these rows")
    named = shlex.quote(str(path))
    raters = (Rater(name, "", "ratings", path.name, named=named, has_rubric=False) for name in judges)
    return [_judge_in_file(rater, path, labelled, ROWS_ALONE, options).whole for rater in raters]


def _judge_in_file(
    rater: Rater,
    path: Path,
    labelled: Sequence[LabelledRow],
    run: Rubric,
    options: LabelOptions,
    since: "SinceAccepted" = lambda *_: None,
    record: Path | None = None,
) -> RowsCalibration:
    judged = {label.id: label for example, _ in labelled for label in _of_judges(example) if label.rater == rater.name}
    return _compared(path, labelled, judged, rater, run, options, since, record)


def _judge_in(judges: Sequence[str], request: "CalibrationRequest") -> str | None:
    """Return the judge in the file whose verdicts are compared; None if a judge is asked for new verdicts instead.

    Args:
        judges: Names of the judges with verdicts in the file.
        request: The request, which may name a judge.

    Raises:
        UsageError: The file has verdicts of several judges, and the request names no judge.
    """
    wanted = () if request.judge_is_configured else request.judges
    named = [judge for judge in wanted if judge in judges]
    if named:
        return str(named[0])
    if wanted or not judges:
        return None
    if len(judges) > 1:
        raise UsageError(f"{len(judges)} judges rated these rows ({', '.join(judges)}): --judge names one")
    return judges[0]


def _of_judges(example: Example) -> Iterator[Rating]:
    return (label for label in example.labels if label.kind in JUDGES)


def _read(path: Path, core: Rubric | None, run: Rubric) -> list[LabelledRow]:
    """Return each row as an example, with the rubric that it is graded by.

    That rubric has the core rubric's criteria, if there is a core rubric, and the row's own criteria.

    Raises:
        RatingError: Rows are invalid; the message names each with its line.
        UsageError: A task has rows in dev and in test.

    Warns:
        RatingWarning: Labels are on criteria that their row lacks.
    """
    faults: list[Fault] = []
    lines: dict[str, int] = {}
    labelled: list[LabelledRow] = []
    stale: list[tuple[str, str]] = []
    for line, data in numbered_rows(path):
        try:
            example, rubric = _row(data, line, core, run, stale)
        except (RatingError, ValueError) as error:
            faults.append(Fault(_problem(error), line))
            continue
        first = lines.setdefault(example.id, line)
        if first != line:
            faults.append(Fault(f"id {example.id!r} is on line {first} already; ids are unique", line))
        labelled.append((example, rubric))
    if faults:
        raise RatingError(faults, path=path)
    warn_of_stale(stale, path)
    _refuse_split_tasks(labelled, path)
    return labelled


def _refuse_split_tasks(labelled: Iterable[LabelledRow], path: Path) -> None:
    """Raise UsageError if a task has rows in dev and in test, since dev then gives away the criteria of test."""
    splits: dict[str, set[str]] = defaultdict(set)
    for example, _ in labelled:
        splits[example.group].update(filter(None, [example.split]))
    mixed = sorted(task for task, names in splits.items() if len(names) > 1)
    if mixed:
        raise UsageError(
            f"{path}: {counted(len(mixed), 'task')} with rows in dev and in test ({few_of(mixed)}); "
            "all rows of a task belong to one split"
        )


def _of_part(labelled: Sequence[LabelledRow], options: LabelOptions) -> Sequence[LabelledRow]:
    """Return the rows of the split and with the field values that the user chose; all rows without a choice."""
    every = ExampleSet(tuple(example for example, _ in labelled))
    ids = {example.id for example in chosen_examples(every, options.split, options.only).examples}
    return [(example, rubric) for example, rubric in labelled if example.id in ids]


def _ratings_folder(path: Path) -> Path | None:
    """Return the folder where `label` has stored labels of a file of rows; None without one."""
    folder = find_calibration(path.name, Path.cwd(), path.resolve().parent)
    return None if folder is None or not (folder / RATINGS_FOLDER).is_dir() else folder / RATINGS_FOLDER


def _with_kept_labels(labelled: Sequence[LabelledRow], path: Path) -> Sequence[LabelledRow]:
    """Add to the rows the labels that the command `label` stored in the calibration folder of their file.

    The command stores a criterion under a name that is unique in the file; it gets the name that it has in its row.
    """
    ratings_folder = _ratings_folder(path)
    if ratings_folder is None:
        return labelled
    of_all, names = rubric_of_all((rubric for _, rubric in labelled), path.name)
    labels: dict[str, list[Rating]] = defaultdict(list)
    named = {criterion.name for criterion in of_all.criteria}
    for file in sorted(ratings_folder.glob("*.jsonl")):
        lines = [line for _, line in json_lines(file, RatingError)]
        stale = [(str(line.get("id")), name) for line in lines for name in stale_criteria(line, named)]
        for rating in load_ratings(file, of_all, kind="human", interpreted=partial(on_criteria, named)):
            if rating.sample == 0:
                labels[rating.id].append(rating)
        warn_of_stale(stale, file)
    return [(_labelled(example, rubric, labels[example.id], names), rubric) for example, rubric in labelled]


def _labelled(example: Example, rubric: Rubric, labels: Sequence[Rating], names: Mapping[str, str]) -> Example:
    name_in_row = {names[criterion.wording]: criterion.name for criterion in rubric.criteria}
    renamed = [
        replace(
            label, criteria={name_in_row[name]: rated for name, rated in label.criteria.items() if name in name_in_row}
        )
        for label in labels
    ]
    return replace(example, labels=(*example.labels, *renamed))


def _problem(error: Exception) -> str:
    return error.faults[0].problem if isinstance(error, RatingError) else str(error)


def _row(data: Any, line: int, core: Rubric | None, run: Rubric, stale: list[tuple[str, str]]) -> LabelledRow:
    if not isinstance(data, Mapping):
        raise ValueError("a row is an object")
    data = {"id": f"ex-{line}", **data, "labels": _labels_in(data)}
    (bare,) = examples_from([{**data, "labels": []}], run).examples
    inputs = bare.submission.inputs
    by_row = own_rubric(row_rubric_in(inputs, core), core, row_rule(None, core), run)
    if isinstance(by_row, str):
        raise ValueError(by_row)
    rubric = by_row.rubric if isinstance(by_row, RowRubric) else run
    named = {criterion.name for criterion in rubric.criteria}
    stale += [(str(data["id"]), name) for label in data["labels"] for name in stale_criteria(label, named)]
    labels = [on_criteria(named, label) for label in data["labels"]]
    (example,) = examples_from([{**data, "labels": labels}], rubric).examples
    task = data.get("task") or example.group
    group = str(task) if task else fingerprint(dict(inputs), rubric.fingerprint)
    return replace(example, group=group), rubric


def _labels_in(data: Mapping[str, Any]) -> list[Any]:
    """Return a row's labels, which a table's cell holds as JSON.

    Raises:
        ValueError: They aren't a list.
    """
    labels = data.get("labels") or []
    if isinstance(labels, str):
        labels = parse_json(labels)
    if not isinstance(labels, list):
        raise ValueError("labels are a list of objects, each with `rater` and `criteria`")
    return labels


def _ask(
    labelled: Sequence[LabelledRow], run: Rubric, request: "CalibrationRequest", *, has_core: bool
) -> tuple[Rater, list[Grade]]:
    """Ask the judge about each response that people labelled; return the judge and its grades.

    Args:
        labelled: The rows with their labels.
        run: The rubric that says how the judge is asked.
        request: The request, which may name the judge.
        has_core: True if `run` also grades rows without a rubric of their own.
    """
    wanted = request.judges[0] if request.judges else None
    judge = request.ask.judge_for(run, (), None, name=wanted) if wanted is None or isinstance(wanted, str) else wanted
    grading = Grading(run, judge, scorers=scorers_for(run, request.ask.scorers), has_core=has_core)
    examples = [example for example, _ in labelled if _by_people(example)]
    grades = run_to_end(_grades(grading, examples, request))
    return replace(_with_rerun_options(rater_of(judge, grades), wanted, request), ask=request.ask_again), grades


def _with_rerun_options(rater: Rater, judge: str | Judge | None, request: "CalibrationRequest") -> Rater:
    """Add to a judge what a printed command needs to calibrate it again: files and options.

    Args:
        rater: The judge.
        judge: The judge as it was named; None if it wasn't.
        request: The request, which names the files.
    """
    named = "" if isinstance(request.of, Rubric) else shlex.join(request.of)
    options = ["--judge", judge] if isinstance(judge, str) and not request.judge_is_configured else []
    return replace(
        rater,
        named=named,
        options=shlex.join(options) + request.columns.as_import,
        families=(request.accepting,),
        has_rubric=False,
    )


async def _grades(grading: Grading, examples: Sequence[Example], request: "CalibrationRequest") -> list[Grade]:
    submissions = [example.submission for example in examples]
    try:
        with request.watch("grading", len(submissions)) as count_step:
            graded = []
            async for _, grade in grade_many(grading, submissions, concurrency=request.ask.at_once):
                graded.append(grade)
                count_step()
            return graded
    finally:
        await grading.judge.aclose()


def _by_people(example: Example) -> list[Rating]:
    return [label for label in example.labels if label.kind not in JUDGES and label.criteria]


def _compared(
    path: Path,
    labelled: Sequence[LabelledRow],
    judged: Mapping[str, Rating],
    rater: Rater,
    run: Rubric,
    options: LabelOptions,
    since: "SinceAccepted",
    record: Path | None,
    grades: Sequence[Grade] = (),
) -> RowsCalibration:
    """Compare a judge's ratings with people's on whole responses and on single criteria.

    Args:
        path: The file of rows.
        labelled: The rows, each with the rubric that grades it.
        judged: The judge's rating of each response, by id.
        rater: The judge.
        run: The rubric of the run, whose settings say how the judge is asked.
        options: Options on labels.
        since: Function that returns the accepted run to compare with.
        record: The file in which tried settings are recorded; None to record none.
        grades: The judge's grades with their costs, if it was asked.
    """
    by_people = [(example, row_rubric) for example, row_rubric in labelled if _by_people(example)]
    wholes = {
        example.id: [whole_rating(label, row_rubric) for label in _with_agreed_levels(_by_people(example))]
        for example, row_rubric in by_people
    }
    of_judge = {
        example.id: whole_rating(judged[example.id], row_rubric)
        for example, row_rubric in by_people
        if example.id in judged
    }
    examples = [replace(example, labels=tuple(filter(None, wholes[example.id]))) for example, _ in by_people]
    verdicts = [
        verdict
        for example, row_rubric in by_people
        for verdict in _verdicts_on(example, row_rubric, judged.get(example.id))
    ]
    rubric = rubric_of_responses(path.name, run)
    example_set = ExampleSet(tuple(examples), path)
    ratings = list(filter(None, of_judge.values()))
    if grades and not ratings:
        raise NothingGraded([grade.error or "the judge left out a criterion" for grade in grades])
    calibration = calibration_of(
        rubric,
        example_set,
        ratings,
        rater,
        options=options,
        cost=total(grade.usage for grade in grades),
        from_cache=sum(grade.replies.get("cache", 0) for grade in grades),
        since=since(rubric, example_set, ratings),
        trend=_trend(verdicts, run, options),
    )
    if record is not None:
        calibration = _after_settings(calibration, record, part_name(examples, options.split))
    return RowsCalibration(
        path,
        replace(calibration, decision=_in_tasks(calibration, verdicts)),
        shares_of(verdicts),
        {tag: shares_of(chosen) for tag, chosen in _by_tag(verdicts).items() if len(chosen) >= FEWEST_OF_TAG},
        calibration.comparison.agreement,
        Counter(filter(None, (_why_left_out(example, judged.get(example.id), of_judge) for example, _ in labelled))),
        Counter(row_rubric.pass_mark for _, row_rubric in by_people),
    )


def _after_settings(calibration: Calibration, record: Path, split: str | None) -> Calibration:
    """Record that a run's rubric and judge were tried on these labels, and widen its intervals for all tries so far.

    Args:
        calibration: The calibration.
        record: The file in which settings are recorded.
        split: The part of the examples that was compared, such as "dev"; None for a set without parts.
    """
    comparison = calibration.comparison
    ids = compared_by_people(comparison)
    if not ids:
        return calibration
    judge = calibration.rater.identity or calibration.rater.name
    today = date.today().isoformat()
    trial = RecordedTrial.of(calibration.rubric, comparison.measure, judge, ids, at=today, split=split)
    tried, is_kept = record_settings(record, [trial])
    return calibration.after(count_settings(trial.examples, tried), on_record=is_kept)


def rubric_of_responses(name: str, run: Rubric) -> Rubric:
    """Return a rubric of whole responses, without criteria, with a run's settings for asking and comparing judges.

    The description of the returned rubric lists the criteria that all rows share, so that a run with other shared
    criteria is another setting. It is empty if rows have only criteria of their own.

    Args:
        name: Name of the returned rubric.
        run: The rubric with the settings, whose criteria all rows share.
    """
    shared = (
        "" if run.criteria == ROWS_ALONE.criteria else "; ".join(criterion.requirement for criterion in run.criteria)
    )
    return replace(
        rubric_of_wholes(),
        name=name,
        description=shared and f"{run.name} ({shared}); rows: {run.rows}, {run.core_share}",
        guidelines=run.guidelines,
        strategy=run.strategy,
        samples=run.samples,
        criteria_per_call=run.criteria_per_call,
        target=run.target,
        tolerance=run.tolerance,
        max_false_pass=run.max_false_pass,
        max_false_fail=run.max_false_fail,
    )


def _trend(verdicts: Sequence[CriterionVerdict], run: Rubric, options: LabelOptions) -> CriteriaTrend | None:
    """Return the evidence on whether verdicts on criteria show a trend; None if the user wants scores to show it.

    Verdicts or scores are chosen by the option `trend_on` or, if that isn't set, by the rubric.

    Raises:
        UsageError: A limit on wrong credit is set, although scores are to show the trend.
    """
    if (options.trend_on or run.trend_on) == "criteria":
        return CriteriaTrend(verdicts, credit_limits(options, run))
    refuse_limits_of_scores(options, run)
    return None


def _in_tasks(calibration: Calibration, verdicts: Sequence[CriterionVerdict]) -> Decision:
    """Return the verdict on the judge with the labels it needs counted in tasks and ratings, not in responses.

    Args:
        calibration: The calibration with the verdict.
        verdicts: The ratings so far; each is people's and the judge's verdict on one criterion of one response.
    """
    decision = calibration.decision
    labels = decision.labels
    n_tasks = len({verdict.task for verdict in verdicts})
    if labels is None or not labels.more or not n_tasks:
        return decision
    more_tasks = tasks_needed(labels.more, len({verdict.example for verdict in verdicts}) / n_tasks)
    more_verdicts = math.ceil(more_tasks * len(verdicts) / n_tasks)
    answer = decision.gate_answer
    words = labels_to_add(
        labels,
        by_people=decision.circumstances.by_people,
        scarce=None if answer is None else scarce_decision(answer),
        has_fails=answer is not None,
        counted_as=f"{counted(more_tasks, 'more task')} ({counted(more_verdicts, 'verdict')})",
    )
    return replace(decision, next_step=words)


def _why_left_out(example: Example, rating: Rating | None, of_judge: Mapping[str, Rating | None]) -> str | None:
    """Return why whole responses are compared without this one; None if it is compared.

    Args:
        example: The response.
        rating: The judge's rating of the response, unchanged from the file; None if there is none.
        of_judge: For each response's id, the judge's rating of the whole response; None if the judge gave no level on
            some criterion.
    """
    if not _by_people(example):
        return UNLABELLED
    if rating is None or rating.error:
        return "the judge gave no grade"
    return "the judge left out a criterion" if of_judge[example.id] is None else None


def _with_agreed_levels(people: Sequence[Rating]) -> list[Rating]:
    """Return people's labels; where an adjudicator gave no level, the level on which all annotators agree is added.

    Args:
        people: The labels of one response.
    """
    by_annotators = [label for label in people if label.kind == "human"]
    agreed = {
        name: rated
        for name, rated in chain.from_iterable(label.criteria.items() for label in by_annotators[:1])
        if all(name in other.criteria and other.criteria[name].level == rated.level for other in by_annotators)
    }
    return [
        replace(label, criteria={**agreed, **label.criteria}) if label.kind == "adjudicated" else label
        for label in people
    ]


def whole_rating(rating: Rating, rubric: Rubric) -> Rating | None:
    """Return a rating of the whole response, with score and decision by its levels; None if a level is missing."""
    levels = {name: rated.level for name, rated in rating.criteria.items() if rated.level is not None}
    score = weigh({name: Verdict(name, level) for name, level in levels.items()}, rubric)
    if not isinstance(score, Score):
        return None
    return replace(rating, criteria={}, overall=score.score, passed=score.passed)


def _verdicts_on(example: Example, rubric: Rubric, rating: Rating | None) -> Iterator[CriterionVerdict]:
    """Yield people's majority and the judge's verdict on each criterion of a response that has both."""
    if rating is None:
        return
    people = _by_people(example)
    gold = {criterion.name: _majority(criterion, people) for criterion in rubric.criteria}
    labelled = sum(met is not None for met in gold.values()) / len(gold)
    for criterion in rubric.criteria:
        met = gold[criterion.name]
        judged = _is_met(criterion, rating)
        if met is not None and judged is not None:
            annotators = (label for label in people if label.kind == "human")
            answers = {label.rater: answer for label in annotators if (answer := _is_met(criterion, label)) is not None}
            yield CriterionVerdict(example.id, example.group, criterion, met, judged, labelled, answers)


def _majority(criterion: Criterion, people: Iterable[Rating]) -> bool | None:
    """Return True if most people find a criterion met, False if most don't; None for a tie or without answers.

    Only answers of the strongest kind count, such as adjudicated ones.
    """
    by_kind: dict[str, list[bool]] = defaultdict(list)
    for label in people:
        met = _is_met(criterion, label)
        if met is not None:
            by_kind[label.kind].append(met)
    answers = next((by_kind[kind] for kind in KINDS if kind in by_kind), [])
    return None if 2 * sum(answers) == len(answers) else 2 * sum(answers) > len(answers)


def _is_met(criterion: Criterion, rating: Rating) -> bool | None:
    rated = rating.criteria.get(criterion.name)
    if rated is None or rated.level is None:
        return None
    return criterion.scale.position(rated.level) >= criterion.threshold


def _by_tag(verdicts: Iterable[CriterionVerdict]) -> dict[str, list[CriterionVerdict]]:
    by_tag: dict[str, list[CriterionVerdict]] = defaultdict(list)
    for verdict in verdicts:
        for tag in verdict.criterion.tags:
            by_tag[tag].append(verdict)
    return by_tag

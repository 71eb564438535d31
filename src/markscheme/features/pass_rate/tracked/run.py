"""A run of `pass-rate --track`: adds files to a stream's memory, and looks at the stream."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.calibration.earlier_runs.run_identity import Accepted
from markscheme.errors import BudgetError, ComparisonError, UsageError
from markscheme.features.pass_rate.options import TrackOptions
from markscheme.features.pass_rate.tracked.anchors import (
    AnchorLook,
    AnchorWatch,
    add_anchor_look,
    anchor_ids,
    judge_moved,
    read_anchors,
    setting_of,
)
from markscheme.features.pass_rate.tracked.audits import audit_chance, hash_share, is_audited
from markscheme.features.pass_rate.tracked.counts import labels_by_digest
from markscheme.features.pass_rate.tracked.file_names import STREAM_FILE
from markscheme.features.pass_rate.tracked.incoming import TimedResponse, TimeOptions, day_of, read_responses
from markscheme.features.pass_rate.tracked.look import Look, look_at
from markscheme.features.pass_rate.tracked.store import (
    GRADED_FILE,
    LOOKS_FILE,
    GradedLine,
    StreamFiles,
    StreamLine,
    StreamMemory,
    digest,
)
from markscheme.features.pass_rate.tracked.weeks import WEEK, is_over, monday_of, week_of
from markscheme.fingerprint import fingerprint
from markscheme.grading import Grade, Grading, grade_many, questions
from markscheme.grading.receipt import ACCEPTED
from markscheme.judges.options import AskOptions
from markscheme.prompts.submission import Submission
from markscheme.ratings.additions import DAY
from markscheme.ratings.codes import load_ratings
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import AUDITS_FILE, RATINGS_FOLDER, ExampleSet, examples_file, load_responses
from markscheme.ratings.from_grades import ratings_of
from markscheme.ratings.gold import gold_of
from markscheme.ratings.rating import Rating
from markscheme.rubrics.rubric import Rubric

AUDITS_A_WEEK = 30
"""Default number of audits per week."""
MOST_WITHOUT_VERDICT = 0.1
"""Largest share of responses without a verdict with which a look still gives an answer."""


@dataclass(frozen=True)
class TrackedRun:
    """Result of a run of `pass-rate --track`: the responses it added to a stream, and the rates and evidence computed.

    Attributes:
        rubric: The rubric.
        stream: Name of the stream.
        look: The look.
        added: Number of new responses.
        added_not_graded: Number of new responses without a verdict.
        changed: Number of responses whose id came again with another content.
        not_recomputed: True if an earlier look can no longer be recomputed from the files.
        memory: Everything stored about the stream.
        labels: True for responses that people pass, False for those that they fail, by digest of the id.
        through: The last day that counts.
    """

    rubric: Rubric
    stream: str
    look: Look
    added: int
    added_not_graded: int
    changed: int
    not_recomputed: bool
    memory: StreamMemory
    labels: Mapping[str, bool]
    through: date

    @property
    def not_graded(self) -> int:
        """Number of responses without a verdict in weeks that are over."""
        return sum(week.responses - week.graded for week in self.look.over)

    @property
    def added_are_graded(self) -> bool:
        """True if at least nine in ten of the responses added in this run have a verdict."""
        return self.added_not_graded <= MOST_WITHOUT_VERDICT * self.added

    @property
    def is_graded(self) -> bool:
        """True if nearly all new responses have a verdict, and so have nearly all responses of the weeks that ended."""
        most = MOST_WITHOUT_VERDICT * sum(week.responses for week in self.look.over)
        return self.added_are_graded and self.not_graded <= most


def track(
    files: Sequence[Path],
    rubric: Rubric,
    calibration: Path,
    options: TrackOptions,
    columns: ColumnOptions,
    *,
    ask: AskOptions,
    judge: str | None,
    moment: datetime,
) -> TrackedRun:
    """Add new responses to the stored record of a stream, grade those without a verdict, and compute rates and changes.

    A stream is a system's responses over time.

    Args:
        files: The files; empty to add no responses.
        rubric: The rubric.
        calibration: The rubric's calibration folder.
        options: Options on the stream.
        columns: What the files' columns and values mean.
        ask: How the judge is asked.
        judge: The judge that grades responses without a verdict and is asked again about the accepted examples; None to
            ask none.
        moment: The time of the run.

    Raises:
        UsageError: The stream hasn't begun and there is no file, or the files or options don't fit the stream.
        RatingError: A file can't be read.
        NoJudge: The judge can't be asked.
    """
    stream = StreamFiles.of(calibration, options.stream)
    through = (moment - timedelta(days=1)).date() if options.through is None else day_of(options.through, "--through")
    memory = stream.read()
    at = moment.astimezone(UTC).isoformat(timespec="microseconds")  # later rows may follow at once
    times = TimeOptions(options.time, None if options.at is None else _noon(options.at), moment)
    responses = read_responses(files, rubric, times, columns, is_asked=judge is not None) if files else []
    if not memory.decisions and not responses:
        raise UsageError(f"the stream {options.stream} of {rubric.name} has no responses yet: name a file of them")
    if options.because is not None and options.since is None:
        raise UsageError("--because says why a period begins: --since DATE says when")
    grading = None if judge is None else _open_judge(rubric, responses, calibration, ask, judge)
    has_zone = _zone_of(responses, memory)
    setting = _one_judge(responses) if grading is None else digest(fingerprint(grading.fingerprints.to_json()))
    changed = sum(_has_changed(response, memory) for response in responses)
    new = [response for response in responses if _is_new(response, memory)]
    line = _stream_line(memory, responses, rubric, options, through, at)
    decisions = [line] if line is not None else []
    period = _period(memory, rubric, options, setting, at, line or memory.current)
    decisions += [period] if period is not None else []
    if memory.current is not None and has_zone is not None and has_zone is not memory.has_zone:
        latest = decisions[-1] if decisions else memory.current
        decisions.append(StreamLine(at, "times", latest.chance, latest.seed, latest.rubric, has_zone=has_zone))
    _refuse_another(memory, rubric, setting, has_period=period is not None)
    stream.append(STREAM_FILE, [decision.to_json() for decision in decisions])
    current = decisions[-1] if decisions else memory.decisions[-1]
    new.sort(key=lambda response: (not _is_audited(response, current), response.time, response.submission.id))
    stream.append(AUDITS_FILE, _audit_lines(new, memory, current, at, stream.folder))
    verdicts = {}
    if grading is not None and judge is not None:
        _look_at_accepted(rubric, calibration, judge, at, through, ask)
        verdicts = _verdicts(grading, [response.submission for response in new if not response.is_graded], ask)
    graded = [_graded_line(response, current, setting, verdicts, at) for response in new]
    stream.append(GRADED_FILE, [row.to_json() for row in graded])
    return _looked(memory, stream, rubric, calibration, options, through, at, added=graded, changed=changed)


def look_again(
    rubric: Rubric,
    calibration: Path,
    stream: StreamFiles,
    through: date,
    *,
    memory_so_far: StreamMemory | None = None,
) -> tuple[StreamMemory, Mapping[str, bool], Look]:
    """Recompute the rates and the evidence of change of a stream from its stored files, without changing them.

    Args:
        rubric: The rubric.
        calibration: The rubric's calibration folder.
        stream: The stream's files.
        through: The last day that counts.
        memory_so_far: Content of the files as read earlier, so that only newer lines are read; None to read all lines.

    Returns:
        The content of the files; True for each response that people pass and False for each that they fail, by digest
        of its id; and the look.
    """
    memory = stream.read(memory_so_far)
    labels = _labels(calibration, rubric, memory)
    look = look_at(memory, labels, through, anchors=_anchors(calibration))
    return memory, labels, look


def _looked(
    memory_so_far: StreamMemory,
    stream: StreamFiles,
    rubric: Rubric,
    calibration: Path,
    options: TrackOptions,
    through: date,
    at: str,
    *,
    added: Sequence[GradedLine],
    changed: int,
) -> TrackedRun:
    memory, labels, look = look_again(rubric, calibration, stream, through, memory_so_far=memory_so_far)
    line = _look_line(look, at, through)
    differs = _has_other_evidence(memory, look, through)
    before = memory.looks[-1] if memory.looks else {}
    if {**line, "at": None} != {**before, "at": None}:
        stream.append(LOOKS_FILE, [line])
    return TrackedRun(
        rubric,
        options.stream,
        look,
        added=len(added),
        added_not_graded=sum(not row.is_graded for row in added),
        changed=changed + len(memory.changed),
        not_recomputed=differs,
        memory=memory,
        labels=labels,
        through=through,
    )


def _look_line(look: Look, at: str, through: date) -> dict[str, Any]:
    """Convert a look (one computation of a stream's rates and evidence) to a line of its file.

    The line lists the graded weeks, so that a later run knows which responses of these weeks came late.

    Args:
        look: The result of the look.
        at: Time of the look.
        through: The last day that counts; a week that ends later isn't counted.
    """
    return {
        "at": at,
        "through": through.isoformat(),
        "period": look.period,
        "counted": [week.week for week in look.weeks if week.is_graded],
        "rate": look.rate.value,
        "low": look.rate.low,
        "high": look.rate.high,
        "judge_alone": look.judge_alone,
        "evidence": {
            "people": dict(zip(look.people.weeks, look.people.after, strict=True)),
            "share": dict(zip(look.share.weeks, look.share.after, strict=True)),
        },
        "named": look.named,
        **({"better": True} if look.is_better else {}),
        **_fall(look),
    }


def _fall(look: Look) -> dict[str, Any]:
    """Return people's pass rate before and since a fall, to store it with the look; {} if labels show no fall."""
    before = look.rate_before
    since = look.rate_since
    if not look.people.has_rung or before is None or since is None or since.value is None:
        return {}
    return {"before": before.value, "since": {"rate": since.value, "low": since.low, "high": since.high}}


def _has_other_evidence(memory: StreamMemory, look: Look, through: date) -> bool:
    """Return True if some evidence in the last recorded look can't be reproduced from today's files.

    A week is compared if it has ended, and lies before all weeks that were graded only after that look; for later
    weeks, the evidence may rightly differ.

    Args:
        memory: Everything stored about the stream, with the recorded looks.
        look: The look of this run.
        through: The last day that counts.
    """
    before = memory.looks[-1] if memory.looks else None
    if before is None or before.get("period") != look.period:
        return False
    today = dict(zip(look.share.weeks, look.share.after, strict=True))
    recorded = before.get("evidence", {}).get("share", {})
    late = {week.week for week in look.weeks if week.is_graded}.difference(before.get("counted", ()))
    unchanged_to = min(late, default=None)
    earlier = {
        week: evidence
        for week, evidence in recorded.items()
        if is_over(week, through) and (unchanged_to is None or week < unchanged_to)
    }
    return any(week not in today or abs(today[week] - earlier[week]) > 1e-6 * abs(earlier[week]) for week in earlier)


def _noon(text: str) -> datetime:
    return datetime.combine(day_of(text, "--at"), datetime.min.time(), UTC) + timedelta(hours=12)


# --- what is added ----------------------------------------------------------------------------------------------------


def _content(response: TimedResponse) -> str:
    return digest(fingerprint({k: str(v) for k, v in response.submission.inputs.items()}, response.submission.response))


def _has_changed(response: TimedResponse, memory: StreamMemory) -> bool:
    remembered = memory.graded.get(digest(response.submission.id))
    return remembered is not None and remembered.content != _content(response)


def _is_new(response: TimedResponse, memory: StreamMemory) -> bool:
    remembered = memory.graded.get(digest(response.submission.id))
    return remembered is None or (not remembered.is_graded and remembered.content == _content(response))


def _zone_of(responses: Iterable[TimedResponse], memory: StreamMemory) -> bool | None:
    """Return True if the rows' times have a time zone, False if they have none; None if no row states a time.

    Args:
        responses: The new responses.
        memory: Everything stored about the stream.

    Raises:
        UsageError: Some times have no zone, although other times, here or earlier in the stream, have one.
    """
    first = dict[bool, str]()
    for response in responses:
        if response.has_zone is not None:
            first.setdefault(response.has_zone, response.submission.id)
    if False in first and (True in first or memory.has_zone):
        others = "others" if True in first else "those of the stream so far"
        raise UsageError(
            f"the time of {first[False]!r} has no zone, and {others} have one: write it as 2025-10-06T09:30:00Z"
        )
    return next(iter(first), None)


def _is_audited(response: TimedResponse, line: StreamLine) -> bool:
    return is_audited(line.seed, response.submission.id, line.chance)


def _stream_line(
    memory: StreamMemory,
    responses: Sequence[TimedResponse],
    rubric: Rubric,
    options: TrackOptions,
    through: date,
    at: str,
) -> StreamLine | None:
    """Return the line to add to the stream's file if the stream, or the chance of an audit, is new; None otherwise.

    Args:
        memory: Everything stored about the stream.
        responses: The responses of this run.
        rubric: The rubric.
        options: The user's options on the stream.
        through: The last day that counts.
        at: The time of this run.
    """
    current = memory.current
    if current is not None and options.audits_per_week is None:
        return None
    sizes: dict[str, int] = {}
    weeks = [week_of(r.time.date()) for r in responses] if current is None else [r.week for r in memory.graded.values()]
    for week in weeks:
        sizes[week] = sizes.get(week, 0) + 1
    whole = [size for week, size in sizes.items() if is_over(week, through)]
    chance = audit_chance(options.audits_per_week or AUDITS_A_WEEK, whole or list(sizes.values()))
    seed = f"{rubric.name}/{options.stream}"
    if current is None:
        return StreamLine(at, "start", chance, seed, rubric.fingerprint, has_zone=_zone_of(responses, memory))
    if chance == current.chance:
        return None
    return StreamLine(at, "audit rate", chance, current.seed, current.rubric)


def _period(
    memory: StreamMemory,
    rubric: Rubric,
    options: TrackOptions,
    setting: str | None,
    at: str,
    current: StreamLine | None,
) -> StreamLine | None:
    """Return the line that records a new period, if the user asks for one that isn't on record yet; else None.

    Args:
        memory: What is stored about the stream.
        rubric: The rubric.
        options: Options on the stream, with the period's first day and reason.
        setting: Digest of rubric and judge; None if it isn't known.
        at: The time of the run, as the line stores it.
        current: The stream's settings that apply now; None if the stream hasn't begun.

    Raises:
        UsageError: The period begins in the future, or before a week that has been counted; or the user gives no reason
            for it.
    """
    if options.since is None or current is None:
        return None
    if options.because is None:
        raise UsageError("--since needs --because TEXT: a period begins for a reason")
    day = day_of(options.since, "--since")
    if day > date.fromisoformat(at[:DAY]) + timedelta(days=1):
        raise UsageError(f"--since {options.since} lies in the future: a period begins on the day of a change")
    monday = day if day.weekday() == 0 else monday_of(week_of(day)) + WEEK
    if any(line.begins == monday.isoformat() and line.because == options.because for line in memory.periods):
        return None
    counted = max((str(week) for look in memory.looks for week in look.get("counted", ())), default=None)
    if counted is not None and monday < monday_of(counted):
        raise UsageError(
            f"--since {options.since} is before {counted}, which counted already; a period begins on "
            f"{monday_of(counted).isoformat()} or later"
        )
    before = _last_setting(memory)
    is_other_judge = setting is not None and before is not None and setting != before
    has_same_rubric = current.rubric == rubric.fingerprint
    rang = memory.looks[-1].get("named") if memory.looks else None
    of_judge = has_same_rubric and (rang == "judge" or (is_other_judge and rang is None))
    restarts = "judge" if of_judge else "all"
    begins = monday.isoformat()
    return StreamLine(at, "period", current.chance, current.seed, rubric.fingerprint, begins, options.because, restarts)


def _last_setting(memory: StreamMemory) -> str | None:
    rows = [row for row in memory.graded.values() if row.setting is not None]
    return max(rows, key=lambda row: (row.at, row.id)).setting if rows else None


def _refuse_another(memory: StreamMemory, rubric: Rubric, setting: str | None, *, has_period: bool) -> None:
    """Raise an error if verdicts are by another judge or with another rubric than the stream's earlier verdicts.

    Args:
        memory: Everything stored about the stream.
        rubric: The rubric of the verdicts.
        setting: The judge of the verdicts, by name or digest; None if it isn't known.
        has_period: True if the run begins a new period, in which judge and rubric may be others.

    Raises:
        UsageError: The verdicts are by another judge or with another rubric, and no new period begins.
    """
    current = memory.current
    if has_period or current is None:
        return
    begin = "begin a period with --since DATE --because TEXT"
    if current.rubric is not None and current.rubric != rubric.fingerprint:
        raise UsageError(f"{rubric.name} isn't the rubric that the stream was graded by: {begin}")
    before = _last_setting(memory)
    if setting is not None and before is not None and setting != before:
        raise UsageError(f"these are verdicts of another judge than the stream's ({before}): {begin}")


def _one_judge(responses: Iterable[TimedResponse]) -> str | None:
    judges = {response.judge for response in responses if response.judge is not None}
    if len(judges) > 1:
        raise UsageError(
            f"the file has verdicts of {len(judges)} judges ({', '.join(sorted(judges))}); a stream has one"
        )
    return next(iter(judges), None)


def _audit_lines(
    new: Iterable[TimedResponse], memory: StreamMemory, line: StreamLine, at: str, folder: Path
) -> list[dict[str, Any]]:
    """Return lines for a file of audits, one for each response drawn, without verdicts, ordered by week and hash.

    Args:
        new: The new responses.
        memory: What is stored of the stream; responses that are stored as graded aren't drawn.
        line: The stored line with the chance and the seed of the draw.
        at: The time of this run.
        folder: The folder that paths in the lines are relative to.
    """
    audited = [
        response
        for response in new
        if _is_audited(response, line) and digest(response.submission.id) not in memory.graded
    ]
    audited.sort(key=lambda response: (week_of(response.time.date()), hash_share(line.seed, response.submission.id)))
    return [
        {
            "at": at,
            "week": week_of(response.time.date()),
            **Example(response.submission, drawn="random").to_json(folder),
        }
        for response in audited
    ]


def _graded_line(
    response: TimedResponse,
    line: StreamLine,
    setting: str | None,
    verdicts: Mapping[str, tuple[bool | None, bool]],
    at: str,
) -> GradedLine:
    unit = response.submission.id
    passes, is_graded = (
        (response.passes, response.is_graded) if response.is_graded else verdicts.get(unit, (None, False))
    )
    return GradedLine(
        at,
        digest(unit),
        _content(response),
        week_of(response.time.date()),
        passes,
        is_graded,
        None if response.group is None else digest(response.group),
        setting if is_graded else None,
        line.chance,
        _is_audited(response, line),
        response.columns,
    )


# --- the judge --------------------------------------------------------------------------------------------------------


def _open_judge(
    rubric: Rubric, responses: Sequence[TimedResponse], folder: Path, ask: AskOptions, judge: str
) -> Grading:
    """Open the judge that grades responses without a verdict.

    Raises:
        NoJudge: The judge can't be asked.
    """
    first = [response.submission for response in responses if not response.submission.fault][:10]
    prompts = [prompt for submission in first for prompt in questions(rubric, submission)]
    return Grading(rubric, ask.judge_for(rubric, prompts, folder if folder.is_dir() else None, name=judge))


def _verdicts(
    grading: Grading, submissions: Sequence[Submission], ask: AskOptions
) -> dict[str, tuple[bool | None, bool]]:
    """Grade responses, and return a verdict on each by its id.

    Responses that fail to be graded, or that exceed the budget, are left out.

    Returns:
        For each response, a pair. The first is True if the judge passes the response, False if it fails it, and None
        if it leaves it to people or gives no verdict. The second is False if it gives no verdict, else True.
    """
    grades = asyncio.run(_grades(grading, submissions, ask.at_once)) if submissions else {}
    return {
        unit: (
            None if grade.decision == "ask" else grade.passed,
            grade.decision == "ask" or grade.passed is not None,
        )
        for unit, grade in grades.items()
        if grade.error is None
    }


def _look_at_accepted(rubric: Rubric, folder: Path, name: str, at: str, through: date, ask: AskOptions) -> None:
    """Ask a judge again about its accepted run's examples, bypassing the cache, and record the answers as a look.

    Nothing is recorded without an accepted run, or if fewer than half of the examples are graded.

    Args:
        rubric: The rubric.
        folder: The rubric's calibration folder, with the accepted run.
        name: Name of the judge.
        at: Time of the look.
        through: The last day of the responses that are added together with the look.
        ask: How the judge is asked.
    """
    accepted = _accepted(folder)
    if accepted is None:
        return
    wanted = set(anchor_ids(accepted))
    examples = [example for example in load_responses(examples_file(folder), rubric).examples if example.id in wanted]
    prompts = [prompt for example in examples[:10] for prompt in questions(rubric, example.submission)]
    judge = replace(ask, cache=False).judge_for(rubric, prompts, folder, name=name)
    submissions = [example.submission for example in examples]
    grades = asyncio.run(_grades(Grading(rubric, judge), submissions, ask.at_once))
    graded = [grade for grade in grades.values() if grade.error is None]
    ratings = [rating for grade in graded for rating in ratings_of(grade, rubric, "judge")]
    if len(ratings) >= len(wanted) / 2:
        day = through.isoformat()
        setting = setting_of(judge.identity.fingerprint, rubric)
        look = AnchorLook.of_ratings(accepted, ratings, at=at, day=day, setting=setting)
        add_anchor_look(folder, look)


async def _grades(grading: Grading, submissions: Sequence[Submission], at_once: int) -> dict[str, Grade]:
    grades: dict[str, Grade] = {}
    try:
        async for _, grade in grade_many(grading, submissions, concurrency=at_once):
            grades[grade.id] = grade
    except BudgetError:
        if not grades:
            raise
    finally:
        await grading.judge.aclose()
    return grades


def _accepted(folder: Path) -> Accepted | None:
    """Return the accepted runs in a calibration folder; None if there are none, or if they have no ratings."""
    path = folder / ACCEPTED
    accepted = load_accepted(path) if path.is_file() else None
    return accepted if accepted is not None and accepted.ratings else None


def _anchors(folder: Path) -> Callable[[date | None, str], AnchorWatch] | None:
    """Return a function that computes the evidence that the judge changed; None if no run is accepted.

    The function's arguments are the day since which looks count, and the time since which looks at earlier accepted
    runs count. The first may be None, for all looks.
    """
    accepted = _accepted(folder)
    if accepted is None:
        return None
    return partial(judge_moved, accepted, read_anchors(folder))


# --- labels -----------------------------------------------------------------------------------------------------------


def _labels(folder: Path, rubric: Rubric, memory: StreamMemory) -> dict[str, bool]:
    """Map the digest of the id of each audited response (drawn for people to label) to people's decision on it.

    Args:
        folder: The rubric's calibration folder, in which people's labels are.
        rubric: The rubric.
        memory: What is stored of the stream, with the responses that were drawn as audits.
    """
    ratings_folder = folder / RATINGS_FOLDER
    audited = {row.id for row in memory.graded.values() if row.is_audited}
    by_id: dict[str, list[Rating]] = {}
    for file in sorted(ratings_folder.glob("*.jsonl")) if ratings_folder.is_dir() else ():
        for rating in load_ratings(file, rubric, kind="human"):
            if digest(rating.id) in audited:
                by_id.setdefault(rating.id, []).append(rating)
    examples = (Example(Submission("", {}, unit), tuple(ratings)) for unit, ratings in by_id.items())
    try:
        return labels_by_digest(gold_of(ExampleSet(tuple(examples)), rubric).decided)
    except ComparisonError:
        return {}

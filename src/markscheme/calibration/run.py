"""The main job from Python: calibrate a judge, measure agreement. Commands do it by the same code."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from markscheme.calibration.agreement import Agreement, ScaleName, agreement_of
from markscheme.calibration.calibration import Calibration, Options
from markscheme.calibration.call_arguments import (
    PlainRow,
    examples_given,
    number_given,
    one_of,
    rubric_given,
    spans_given,
    tool_file_hints,
)
from markscheme.calibration.earlier_runs.rule import DriftRule
from markscheme.calibration.requests.calibration import CalibrationRequest, names_table
from markscheme.errors import UsageError, leaving_out_damaged_lines
from markscheme.grading.grader import ask_options
from markscheme.judges.judge import Judge
from markscheme.options.settings import find_settings
from markscheme.progress import Watch, unwatched
from markscheme.ratings.examples import Example
from markscheme.ratings.examples_choice import ExamplesChoice, Part
from markscheme.ratings.kinds import KINDS, Kind
from markscheme.ratings.program_rows import refuse_frame
from markscheme.ratings.rating import Rating, ratings_from
from markscheme.readers.rater_columns import open_rater_table
from markscheme.readers.rater_table import rater_table_from
from markscheme.readers.table_meaning import TableMeaning, ValueOptions
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.annotators import GoldRule
from markscheme.stats.coefficients import NamedWeights
from markscheme.stats.table_agreement import Pooling


def calibrate(
    rubric: Rubric | str | Path,
    examples: str | Path | Iterable[Example | PlainRow] | None = None,
    judge: Judge | str | None = None,
    ratings: str | Path | Iterable[str | Path] | Iterable[Rating | PlainRow] | None = None,
    *,
    target: float | None = None,
    tolerance: float | None = None,
    max_false_pass: float | None = None,
    max_false_fail: float | None = None,
    gold: Kind | None = None,
    gold_by: GoldRule = "median",
    split: Part | None = None,
    only: Sequence[str] = (),
    accept: bool = False,
    replace: bool = False,
    accepted: str | Path | None = None,
    run_number: int | None = None,
    planned_runs: int | None = None,
    drift_margin: float | None = None,
    replay: bool = False,
    check: bool = False,
    anyway: bool = False,
    kind: Kind | None = None,
    rater: str | None = None,
    judge_names: Iterable[str] = (),
    map: Mapping[str, str] | None = None,
    levels: Mapping[str, str] | None = None,
    human: str | Iterable[str] = (),
    scale: Mapping[str, tuple[float, float]] | None = None,
    skip_damaged: bool = False,
    watch: Watch = unwatched,
    notify: Callable[[str], None] | None = None,
    **asking: Any,
) -> Calibration:
    """A judge compared with labels: whether it can decide, and what to fix.

    Works where an event loop is running too, such as in a notebook, which shows the result as a report. What isn't
    given is taken from the configuration file of the working directory, as on the command line.

    Args:
        rubric: A rubric, its name or its file; or Promptfoo's results, another tool's export, or a table, which contain
            labels and a judge's ratings.
        examples: Labelled examples, or their file; the rubric's own by default.
        judge: A judge, which stays open, or a name as on the command line; by default the rubric's own, else one that
            is available. Of a table, the judge's column.
        ratings: The judge's ratings, or files of them; nothing is asked then.
        target: Share of examples that the judge must agree on; by default the rubric's.
        tolerance: How far a score may miss and still agree; by default the rubric's.
        max_false_pass: Largest share of the responses failed by gold that the judge may pass; by default the rubric's.
        max_false_fail: Largest share of the responses passed by gold that the judge may fail; likewise.
        gold: Only labels of this kind count.
        gold_by: How several labels of an example are combined.
        split: The part of the examples; by default dev, once a set has splits.
        only: Values that examples have, each as "FIELD=VALUE".
        accept: Whether the run joins the accepted ones, with which later runs are compared.
        replace: Whether the runs accepted before are dropped.
        accepted: The file of accepted runs; by default the rubric's own.
        run_number: Number of this comparison with the accepted runs; counted by default.
        planned_runs: Planned comparisons, which share the 5% false-alarm rate.
        drift_margin: Share of a scale that counts as unchanged.
        replay: Whether the judge is asked by the accepted rubric too, to separate judge from wording.
        check: Whether this comparison with the accepted runs counts as one of those that share the false-alarm rate.
        anyway: Whether a run is accepted though its judge can neither gate nor be used for trends.
        kind: Who rated, where an export of another tool doesn't say.
        rater: The rater's name, where an export doesn't say.
        judge_names: Raters of an export that are judges.
        map: Other names for metrics of an export.
        levels: The levels that words of an export mean.
        human: Of a table, the columns of annotators.
        scale: The lowest and highest value of "judge" and of "human" in files where they differ, or of a column.
        skip_damaged: Whether what can't be read is left out, with a warning each.
        watch: Shows progress.
        notify: Called with a sentence that says what was accepted, or how a table was read.
        asking: How the judge is asked, as on the command line: `samples=3`, `budget=2`.

    Raises:
        NoJudge: No judge was named, and none is available.
        UsageError: Unknown rubric, judge or option, no labels, or ratings of several judges.
        RatingError: Examples or ratings can't be read.
        NothingGraded: The judge failed on every example.

    Example:
        >>> calibration = calibrate("code-quality")
        >>> calibration.use, calibration.verdict, len(calibration.ratings)
        ('explore', 'not-enough-labels', 73)
    """
    settings = find_settings(Path.cwd()).values
    table_meaning = _columns_of_table(rubric, judge, human, scale)
    request = CalibrationRequest(
        of=rubric if isinstance(rubric, Rubric) else (str(rubric),),
        examples=examples_given(examples, rubric),
        judges=() if judge is None else (judge,),
        ratings=_ratings(ratings, rubric),
        choice=ExamplesChoice(split=one_of("split", split, get_args(Part)), only=tuple(only)),
        options=Options(
            one_of("gold", gold, KINDS),
            one_of("gold_by", gold_by, get_args(GoldRule)) or gold_by,
            number_given("tolerance", settings.get("tolerance") if tolerance is None else tolerance),
            _share("target", settings.get("target") if target is None else target),
            max_false_pass=_limit("max_false_pass", max_false_pass, settings),
            max_false_fail=_limit("max_false_fail", max_false_fail, settings),
        ),
        ask=ask_options(judge, asking),
        drift=DriftRule(
            accept=accept,
            replace=replace,
            accepted=None if accepted is None else Path(accepted),
            run_number=_count("run_number", run_number),
            planned_runs=_count("planned_runs", settings.get("planned_runs") if planned_runs is None else planned_runs),
            drift_margin=_share("drift_margin", settings.get("drift_margin") if drift_margin is None else drift_margin),
            replay=replay,
            check=check,
            anyway=anyway,
        ),
        hints=tool_file_hints(kind, rater, judge_names, map, levels, scale),
        table_meaning=table_meaning,
        watch=watch,
        notify=notify,
    )
    with leaving_out_damaged_lines(skip_damaged):
        of_tool_files = request.of_tool_files()
        calibrations = request.calibrations() if of_tool_files is None else list(of_tool_files.metrics)
    if len(calibrations) > 1:
        names = ", ".join(f"{calibration.rater.name} on {calibration.rubric.name}" for calibration in calibrations)
        raise UsageError(f"there are {len(calibrations)} judges to calibrate ({names}); give the ratings of one")
    return calibrations[0]


def agreement(
    table: str | Path | Iterable[PlainRow],
    scale: ScaleName | None = None,
    *,
    levels: str | None = None,
    weights: NamedWeights | None = None,
    pairs: Pooling | None = None,
    judge: str | None = None,
    criterion: str | None = None,
) -> Agreement:
    """Every measure of agreement of the raters in a table, each with its interval.

    Args:
        table: A CSV table with units in rows and raters in columns, a rated file of any other format, or rows of
            ratings by rater; None or an empty cell is a missing rating. A first column named unit, id or item holds
            names.
        scale: nominal, ordinal or interval; by default ordinal for numbers, else nominal.
        levels: The scale's levels, worst first, as on the command line; by default those that occur.
        weights: Cost of a disagreement: identity, linear or quadratic; by default quadratic where levels have an order.
        pairs: How statistics of two raters are made of more: mean over pairs, or pooled units; None leaves them out.
        judge: A rater to compare with the others.
        criterion: Of a file that names criteria, the one to compare: its name, "score" or "pass".

    Raises:
        UsageError: The scale doesn't fit the levels, an unknown rater, or no such file.
        RatingError: The table can't be read.

    Example:
        >>> table = [{"ann": 1, "ben": 1}, {"ann": 2, "ben": 3}, {"ann": 3, "ben": 3}, {"ann": 1, "ben": 1}]
        >>> round(agreement(table).statistics["krippendorff_alpha"].value, 2)
        0.9
    """
    scale = one_of("scale", scale, get_args(ScaleName))
    between = scale != "nominal"
    if isinstance(table, str | Path):
        read = open_rater_table(Path(table), levels, between=between, criterion=criterion)
    else:
        read = rater_table_from(table, levels, between=between)
    return agreement_of(read, scale, are_ordered=bool(levels), weights=weights, pairs=pairs, judge=judge)


# --- what may be given in several forms -----------------------------------------------------------------------------


def _ratings(
    ratings: str | Path | Iterable[str | Path] | Iterable[Rating | PlainRow] | None, rubric: Rubric | str | Path
) -> tuple[Path, ...] | list[Rating]:
    if ratings is None:
        return ()
    if isinstance(ratings, str | Path):
        return (Path(ratings),)
    refuse_frame(ratings)
    listed = list(ratings)
    paths = [Path(entry) for entry in listed if isinstance(entry, str | Path)]
    if paths and len(paths) == len(listed):
        return tuple(paths)
    rows = [entry for entry in listed if not isinstance(entry, str | Path)]
    if paths or not rows:
        raise UsageError("`ratings` must be files, or ratings: there are none, or both")
    return ratings_from(rows, rubric_given(rubric), rater="judge")


def _columns_of_table(
    rubric: Rubric | str | Path,
    judge: Judge | str | None,
    human: str | Iterable[str],
    scale: Mapping[str, tuple[float, float]] | None,
) -> TableMeaning | None:
    """Which columns of a table are whose, and their scales; None where no table is named."""
    people = (human,) if isinstance(human, str) else tuple(human)
    if isinstance(rubric, Rubric) or not names_table([str(rubric)]):
        if people:
            name = rubric.name if isinstance(rubric, Rubric) else rubric
            raise UsageError(f"`human` names columns of a table that needs no rubric; {name} is none")
        return None
    if judge is not None and not isinstance(judge, str):
        raise UsageError("of a table, `judge` is the name of the judge's column")
    return TableMeaning(
        judges=() if judge is None else (judge,), people=people, value_options=ValueOptions(spans_given(scale))
    )


# --- what a value may be --------------------------------------------------------------------------------------------


def _share(name: str, value: float | None) -> float | None:
    if value is not None and not 0 < value <= 1:
        raise UsageError(f"`{name}` must be above 0 and at most 1, got {value!r}")
    return value


def _limit(name: str, value: float | None, settings: Mapping[str, Any]) -> float | None:
    limit: float | None = settings.get(name) if value is None else value
    if limit is not None and not 0 <= limit <= 1:
        raise UsageError(f"`{name}` must be from 0 to 1, got {limit!r}")
    return limit


def _count(name: str, value: int | None) -> int | None:
    if value is not None and (value < 1 or value != int(value)):
        raise UsageError(f"`{name}` must be a whole number from 1, got {value!r}")
    return value

"""`markscheme pass-rate`: the share of graded responses that pass, corrected for the judge's errors."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from cyclopts import Parameter

from markscheme.commands.families import spelled
from markscheme.commands.options import (
    COUNT,
    AskFlags,
    Details,
    JsonFlag,
    existing_file,
    rubric_named,
)
from markscheme.errors import UsageError
from markscheme.features.pass_rate.options import TrackOptions
from markscheme.ratings.column_options import ColumnOptions

if TYPE_CHECKING:
    from markscheme.rubrics.rubric import Rubric

RubricOption = Annotated[
    str | None, Parameter(metavar="NAME", help="the rubric of the ratings, where the files don't name it")
]
NO_STREAM = TrackOptions()
"""Options on streams if no stream is followed."""
How: TypeAlias = Literal["random", "by-verdict", "by-stratum", "elsewhere"]
"""Ways in which the labels that correct a pass rate may have been drawn."""


def pass_rate(
    files: Annotated[tuple[Path, ...], Parameter(metavar="FILE", help="what was graded")] = (),
    /,
    *,
    calibration: Annotated[Path | None, Parameter(metavar="FILE")] = None,
    drawn: Annotated[How | None, Parameter(metavar="HOW")] = None,
    rubric: RubricOption = None,
    of: Annotated[Literal["score", "pass"], Parameter(metavar="FIGURE")] = "score",
    runs_in_ci: Annotated[int, COUNT, Parameter(metavar="R")] = 1,
    examples: Annotated[
        Path | None,
        Parameter(metavar="FILE", help="of several runs: examples that say the cases' groups"),
    ] = None,
    details: Details = False,
    json: JsonFlag = False,
    tracking: TrackOptions = NO_STREAM,
    columns: ColumnOptions = ColumnOptions(),
    ask: Annotated[AskFlags, spelled(scorers=None)] = AskFlags(),
) -> int:
    """Estimate what share of a graded set annotators would pass, with its interval, next to the share the judge
    passes; the same by prompt and provider, and the difference between any two. With --track, remember it week after
    week and say what moved: judge, responses or traffic.

    FILE is Promptfoo's results, or lines {"id", "pass": true|false|null} with an optional "group", "unit" and
    "stratum", or the plan that `label --next --json` wrote, with the strata its labels were drawn by; or ratings,
    grades, or an export of another tool; or a table that has the judge's verdicts and people's labels of some rows. Of
    people's labels alone, it is the share that people pass. With --track each response has a time. Several files
    without --track are runs over the same cases: would a gate at --at-least fail though nothing changed?

    Args:
        calibration: what annotators and the judge both decided on: the JSON of `calibrate --json`, lines {"id",
            "gold": true|false, "judge": true|false, "stratum": …}, Promptfoo's results with manual ratings, a table, or
            an export with people's labels (default: the labels in FILE)
        drawn: how the labels were drawn: random, by-verdict, by-stratum or elsewhere (default: as they say; else by
            verdict if they are of FILE, else elsewhere)
        of: of several runs: score (the mean score) or pass (the share of cases that pass)
        runs_in_ci: of several runs: how many CI averages (1)

    Example:
        markscheme pass-rate traces.jsonl --rubric reply --track --judge anthropic --budget 2

    Exit status:
        0 corrected, nothing moved, or the gate fails at most 1 run in 20; 1 moved until --since answers it, below
        --at-least, or the gate fails more often; 2 invalid arguments; 3 no judge to ask; 4 too few labels or runs, or
        audits waited four weeks; 5 over a tenth not graded, of all or of the new ones.
    """
    named = rubric_named(rubric) if rubric else None
    if tracking.plan or tracking.track:
        return _of_stream(files, named, tracking, columns, ask, calibration, json=json, details=details)
    _refuse_without_track(tracking.of_stream)
    if not files:
        raise UsageError("name a FILE of what was graded")
    from markscheme.features.pass_rate import gate_of_runs, rates_of_files

    least = tracking.at_least
    is_of_one = calibration is None and (least is None or (of == "score" and runs_in_ci == 1))
    labels_in_file = rates_of_files.own_labels(files, named, columns) if is_of_one else None
    has_labels = calibration is not None or labels_in_file is not None
    is_gate = rates_of_files.asks_for_gate(files, named, least, columns, has_labels=has_labels)
    if least is None or not is_gate:
        return rates_of_files.print_rate(files, calibration, drawn, named, least, columns, labels_in_file, json=json)
    if drawn is not None:
        raise UsageError(f"--drawn {drawn} says how labels were drawn, and these runs have none; leave it out")
    return gate_of_runs.print_gate(
        files,
        named,
        least,
        of=of,
        runs_in_ci=runs_in_ci,
        examples=examples,
        columns=columns,
        details=details,
        json=json,
    )


def _of_stream(
    files: Sequence[Path],
    rubric: "Rubric | None",
    options: TrackOptions,
    columns: ColumnOptions,
    ask: AskFlags,
    calibration: Path | None,
    *,
    json: bool,
    details: bool,
) -> int:
    """Add files to a stream of responses and print what changed in it, or plan its audits; return the exit status.

    Raises:
        UsageError: No rubric is named.
    """
    from markscheme.features.pass_rate.tracked.print_look import print_plan, print_plan_of_labels, tracked_pass_rate

    if options.plan and calibration is not None:
        return print_plan_of_labels(calibration, rubric, columns, json=json)
    if rubric is None:
        raise UsageError("--track needs --rubric NAME, under which responses are remembered")
    if calibration is not None:
        raise UsageError("--track takes people's labels of its own audits; leave --calibration out")
    if options.plan:
        return print_plan(rubric, options, json=json)
    paths = [existing_file(path) for path in files]
    return tracked_pass_rate(paths, rubric, options, columns, ask, json=json, details=details)


def _refuse_without_track(values: Mapping[str, object]) -> None:
    for option, value in values.items():
        if value is not None:
            raise UsageError(f"{option} is for a stream that is remembered: add --track")

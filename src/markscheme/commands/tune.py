"""`markscheme tune`: the numbers of a rubric that labels support changing."""

import datetime
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from markscheme.commands.options import (
    WITHIN_1,
    AskFlags,
    Details,
    ExamplesFile,
    ExportOptions,
    GoldKind,
    JsonFlag,
    JudgeName,
    RatingsFiles,
    RubricName,
)
from markscheme.commands.output import TOO_FEW, show, typed
from markscheme.commands.progress import progress
from markscheme.errors import UsageError, writing
from markscheme.files import refuse_unwritable

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Rater
    from markscheme.calibration.tuning import Promised, Proposal
    from markscheme.calibration.votes import TunedVotes
    from markscheme.ratings.examples import ExampleSet
    from markscheme.ratings.kinds import Kind
    from markscheme.ratings.rating import Rating
    from markscheme.rubrics.rubric import Rubric


def _costs(text: str) -> tuple[float, float]:
    parts = text.split(":")
    try:
        costs = [float(part) for part in parts]
    except ValueError:
        costs = []
    if len(costs) != 2 or not all(0 < cost < float("inf") for cost in costs):
        raise UsageError(f"`--cost` must be two numbers above 0, for example 1:5, got {text!r}")
    return costs[0], costs[1]


def tune(
    rubric: RubricName,
    /,
    *,
    examples: ExamplesFile = None,
    gold: GoldKind = None,
    ratings: RatingsFiles = (),
    source: Annotated[Literal["human", "judge"] | None, Parameter(metavar="WHO")] = None,
    final: bool = False,
    cost: Annotated[str, Parameter(metavar="FP:FN")] = "1:1",
    error: Annotated[float, Parameter(metavar="P", validator=WITHIN_1)] = 0.05,
    confidence: Annotated[float, Parameter(metavar="P", validator=WITHIN_1)] = 0.9,
    promise: Annotated[Literal["automatic", "all"] | None, Parameter(metavar="WHICH")] = None,
    side: Annotated[Literal["both", "passes", "fails", "each"], Parameter(name="--for", metavar="SIDE")] = "both",
    cascade: Annotated[str | None, Parameter(metavar="A,B")] = None,
    wrong_passes: Annotated[float | None, Parameter(metavar="P", validator=WITHIN_1)] = None,
    write: bool = False,
    band: bool = False,
    force: bool = False,
    details: Details = False,
    json: JsonFlag = False,
    judge: JudgeName = None,
    ask: AskFlags = AskFlags(),
    export: ExportOptions = ExportOptions(),
) -> int:
    """Find what the labels support changing in a rubric: its wording first, then weights, pass mark, thresholds, and
    the gray zone in which a person should decide. What isn't supported stays, with the reason. With a dev and a test
    split, only dev is used until --final. Files of several judges, one each, make a panel: the more of its judges
    agree, the less a decision needs a person.

    Args:
        source: use the levels of human or judge (the judge's, if known)
        final: open the test split and try the proposal on it; this is recorded
        cost: cost of a false pass and a false fail (1:1)
        error: largest share of errors outside the gray zone (0.05)
        confidence: confidence of that bound (0.9)
        promise: bound the errors among automatic decisions, or among all (automatic, where the labels allow it)
        side: decisions that may be automatic: both, passes or fails alone, or each side by a promise of its own (both)
        cascade: who decides what: judges, or files of their ratings, cheapest first; people decide the rest
        wrong_passes: largest share of wrong ones among automatic passes, as a second promise (cascade)
        write: write the supported changes into the rubric's file
        band: include the gray zone
        force: write even where the file has uncommitted changes

    Example:
        markscheme tune rubrics/code-quality.yaml --ratings judge.jsonl --cost 5:1

    Exit status:
        0 tried, 2 invalid arguments, 3 no judge to ask, 4 not enough labels: too few for the weights, all passes or all
        fails, passes that score no higher than fails, or nothing that a cascade may decide.
    """
    from markscheme.calibration.calibration import Options, calibration_of
    from markscheme.calibration.labelled_examples import labelled_examples
    from markscheme.calibration.tuning import Promised, propose
    from markscheme.calibration.votes import tune_votes
    from markscheme.ratings.asks import PromiseAsked, asking
    from markscheme.ratings.examples import ExampleSet
    from markscheme.ratings.splits import open_test_labels, openings_of, used_to_tune, warn_of_split_groups
    from markscheme.report.views.tuning import TuneRun, json_of, view
    from markscheme.rubrics.edit import edit
    from markscheme.rubrics.file import load_rubric
    from markscheme.rubrics.search import find_rubric

    costs = _costs(cost)
    path = find_rubric(rubric)
    if write:
        refuse_unwritable(path)
        if not force:
            refuse_uncommitted(path)
    loaded = ask.of(load_rubric(path))
    every, folder = labelled_examples(loaded, examples)
    warn_of_split_groups(every)
    dev = every.part(None)
    if not dev.labels:
        print(f"error: no example in {every.path} is labelled{every.searched}; {_needed()}", file=sys.stderr)
        return TOO_FEW
    today = datetime.date.today().isoformat()
    if wrong_passes is not None and cascade is None:
        raise UsageError("--wrong-passes goes with --cascade")
    if cascade is not None:
        if ratings or source or promise or band:
            raise UsageError(
                "--cascade names its judges, and goes with neither --ratings, --source, --promise nor --band"
            )
        promised = Promised(None, error, confidence, side)
        return _cascade(
            cascade,
            loaded,
            every,
            folder,
            promised,
            wrong_passes,
            gold,
            ask,
            export,
            today,
            write=write,
            final=final,
            json=json,
        )
    test, openings = open_test_labels(every, by="tune --final", at=today) if final else (None, openings_of(every))
    rated = ExampleSet((*dev.examples, *(test.examples if test else ())), every.path)
    votes_of: list[Rating] = []
    if ratings:
        judged, rater = _ratings_in(ratings, loaded, rated, export)
        if len({rating.rater for rating in judged}) > 1:
            votes_of = judged
            judged = _as_one_panel(judged, rater)
    elif judge is not None or source == "judge":
        judged, rater = _ask(judge, loaded, rated, folder, ask)
    else:
        judged, rater = [], None
    signal = "votes" if votes_of else "distance"
    ask_for = PromiseAsked("" if rater is None else rater.name, side, signal, error, confidence, promise or "")
    with asking(test or dev, ask_for, at=today) as (further, record):
        proposal = propose(
            loaded,
            dev,
            ratings=judged,
            source=source,
            kind=gold,
            cost=costs[0] / costs[1],
            promised=Promised(promise, error, confidence, side, further),
            test=test,
            used=used_to_tune(every),
        )
        votes = None
        if votes_of:
            proposal = replace(proposal, band=None)
            promised = Promised(None, error, confidence, side, further)
            part = "dev" if test is None else "test"
            votes = tune_votes(loaded, test or dev, votes_of, promised, kind=gold, used=used_to_tune(every), split=part)
        if votes is not None or (proposal.band is not None and proposal.band.bands):
            record()
    findings = None
    if rater is not None:
        findings = calibration_of(loaded, dev, judged, rater, options=Options(gold=gold)).findings
    proposed = edit(path, proposal.changes(with_band=band))
    written = write and bool(proposed.diff)
    if written:
        proposed.write()
        _put_on_record(proposal, every, today)
    of_votes = None
    if votes is not None and write and band:
        of_votes = _write_cascade(votes, proposal, every, today)
    split = "dev" if every.has_splits else ""
    shown = TuneRun(
        proposal,
        split,
        costs,
        rater,
        findings,
        openings,
        proposed.diff,
        written=written,
        votes=votes,
        cascade=of_votes,
        again=typed(),
    )
    show(view(shown), json_of(shown), json=json, details=details)
    return TOO_FEW if proposal.too_few else 0


def _cascade(
    text: str,
    rubric: "Rubric",
    every: "ExampleSet",
    folder: Path | None,
    promised: "Promised",
    wrong_passes: float | None,
    gold: "Kind | None",
    ask: AskFlags,
    export: ExportOptions,
    today: str,
    *,
    write: bool,
    final: bool,
    json: bool,
) -> int:
    """Who decides what, by the labels of dev, or with `final` by those that were held out."""
    from markscheme.calibration.cascade import tune_cascade
    from markscheme.commands.cascading import candidates_of, cascade_parts, write_cascade
    from markscheme.grading import asking_fingerprint
    from markscheme.ratings.asks import PromiseAsked, asking
    from markscheme.ratings.splits import open_test_labels, used_to_tune
    from markscheme.report.views.cascade import CascadeRun, json_of, view

    if rubric.is_of_pairs:
        raise UsageError(f"{rubric.name} compares pairs, which neither pass nor fail")
    parts = cascade_parts(text)
    tested = open_test_labels(every, by="tune --final", at=today)[0] if final else every.part(None)
    split = "test" if final else "dev" if every.has_splits else ""
    candidates = candidates_of(parts, rubric, tested, folder, ask, export)
    of_passes = "" if wrong_passes is None else f"wrong passes {wrong_passes:g}"
    asked_for = PromiseAsked(",".join(parts), promised.side, "cascade", promised.error, promised.confidence, of_passes)
    with asking(tested, asked_for, at=today) as (further, record):
        tuned = tune_cascade(
            rubric,
            tested,
            candidates,
            replace(promised, further=further),
            prompt=asking_fingerprint(rubric),
            wrong_passes=wrong_passes,
            kind=gold,
            used=used_to_tune(every),
            split=split,
        )
        if tuned.n:
            record()
    written = write_cascade(tuned, rubric, every, today) if write else None
    run = CascadeRun(rubric, tuned, written)
    show(view(run), json_of(run), json=json)
    return 0 if tuned.is_supported else TOO_FEW


def _needed() -> str:
    from markscheme.stats.pass_mark import LEAST_FOR_MARK, LEAST_OF_EACH
    from markscheme.stats.weights import LEAST_FOR_WEIGHTS

    return (
        f"weights need {LEAST_FOR_WEIGHTS} examples with an overall mark, a pass mark {LEAST_FOR_MARK} with "
        f"{LEAST_OF_EACH} passes and {LEAST_OF_EACH} fails"
    )


def _put_on_record(proposal: "Proposal", examples: "ExampleSet", today: str) -> None:
    """Record the labels that moved weights or pass mark: they can't bound the result's errors later."""
    from markscheme.ratings.splits import record_tuning

    changes = proposal.changes()
    if changes:
        moved = {"weights": dict(changes.weights), "pass_mark": changes.pass_mark}
        record_tuning(examples, proposal.truth.ids, moved, at=today)


def _ratings_in(
    paths: Sequence[Path], rubric: "Rubric", examples: "ExampleSet", export: ExportOptions
) -> tuple[list["Rating"], "Rater | None"]:
    """The ratings in some files, of one rater or of the judges of a panel."""
    from markscheme.calibration.calibration import Rater
    from markscheme.readers.rated import judge_ratings

    ratings = [rating for path in paths for rating in judge_ratings(path, rubric, examples, export.hints.meanings)]
    files = ", ".join(map(str, paths))
    raters = list(dict.fromkeys(rating.rater for rating in ratings))
    if len(raters) > 1 and len(raters) != len(paths):
        names = ", ".join(sorted(raters))
        raise UsageError(f"{files} contains {len(raters)} raters ({names}); use one file for each")
    return ratings, Rater("+".join(raters), "", "ratings", files)


def _as_one_panel(ratings: "Sequence[Rating]", panel: "Rater | None") -> list["Rating"]:
    """The ratings of several judges as samples of one, whose median counts."""
    judges = list(dict.fromkeys(rating.rater for rating in ratings))
    name = "" if panel is None else panel.name
    return [replace(rating, rater=name, sample=judges.index(rating.rater)) for rating in ratings]


def _write_cascade(votes: "TunedVotes", proposal: "Proposal", examples: "ExampleSet", today: str) -> Path | str:
    """The file with the panel's promise; or why it isn't written."""
    if proposal.changes():
        return "the same labels change weights or pass mark: write that first, then test the votes on fresh labels"
    if votes.why_not_written:
        return votes.why_not_written
    if examples.path is None:
        return "the labels came from no file"
    with writing(examples.path.parent):
        return votes.write(examples.path.parent, proposal.rubric, at=today)


def _ask(
    name: str | None, rubric: "Rubric", examples: "ExampleSet", folder: Path | None, ask: AskFlags
) -> tuple[list["Rating"], "Rater"]:
    """The judge's ratings of the labelled examples, and who it is.

    Raises:
        BudgetError: The budget doesn't cover them all.
    """
    from markscheme.calibration.judge_runs import rated_by, rater_of
    from markscheme.ratings.from_grades import first_prompts

    labelled = examples.labelled.examples
    judge = ask.judge_for(rubric, first_prompts(rubric, labelled), folder, name=name)
    return rated_by(judge, rubric, labelled, ask, watch=progress, whole=True)[0], rater_of(judge)


def refuse_uncommitted(path: Path) -> None:
    """Refuse a file with uncommitted changes: it would be overwritten."""
    from markscheme.git import has_uncommitted_changes

    if has_uncommitted_changes(path):
        raise UsageError(f"{path} has uncommitted changes; commit them first, or use --force")

"""Which judges may decide one after the other, and what the labels certify of them."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from markscheme.calibration.certificates import StagesAsked
from markscheme.calibration.judge_runs import rated_by
from markscheme.errors import UsageError, no_file
from markscheme.features.certify.asks import PromiseAsked, asking
from markscheme.features.certify.cascade import CascadeCandidate, TunedCascade, tune_cascade
from markscheme.features.certify.judges import stage_fingerprint
from markscheme.features.certify.statistics import MOST_STAGES
from markscheme.judges.asking import Asking
from markscheme.judges.judge import AskedWithout, ways_of
from markscheme.judges.kinds import kind_of, known_kind, names_code, panel_names
from markscheme.judges.recorded import RecordedJudge
from markscheme.judges.registry import open_judge
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.examples import SUFFIXES, ExampleSet
from markscheme.ratings.from_grades import first_prompts
from markscheme.ratings.rating import Rating, asked_under
from markscheme.ratings.splits import open_test_labels, used_to_tune
from markscheme.readers.rated import judge_ratings, meanings_of


def names_ratings(name: str) -> bool:
    """Whether a stage names a file of ratings: there is such a file, or the name ends like one and names no judge.

    >>> names_ratings("nowhere/judge.jsonl"), names_ratings("recorded:replies.jsonl"), names_ratings("gpt-5")
    (True, False, False)
    """
    path = Path(name)
    return path.is_file() or (path.suffix in SUFFIXES and kind_of(name) is None)


def certify_stages(request: StagesAsked) -> tuple[TunedCascade, Path | str | None]:
    """Find who decides what, by the labels of dev, or where that was asked for by those that were held out.

    Returns:
        What the labels allow, and the file that was written, or why none was; None where none was asked for.

    Raises:
        UsageError: A judge is named twice, or too many are; or one is neither a judge nor a file, or a file of
            several judges.
        BudgetError: The budget doesn't cover all examples.
        ComparisonError: Nothing is labelled.
    """
    rubric = request.rubric
    _refuse_judges(request)
    every = request.labels.every
    promised = request.promised
    today = datetime.date.today().isoformat()
    tested = open_test_labels(every, by="tune --final", at=today)[0] if request.opens else request.labels.dev
    candidates = _candidates(request, tested)
    of_passes = "" if request.wrong_passes is None else f"wrong passes {request.wrong_passes:g}"
    judges = ",".join(request.judges)
    promise = PromiseAsked(judges, promised.side, "cascade", promised.error, promised.confidence, of_passes)
    with asking(tested, promise, at=today) as (further, record):
        tuned = tune_cascade(
            rubric,
            tested,
            candidates,
            replace(promised, further=further),
            wrong_passes=request.wrong_passes,
            kind=request.gold,
            used=used_to_tune(every),
            split="test" if request.opens else "dev" if every.has_splits else "",
        )
        if tuned.n:
            record()
    written = tuned.write(rubric, every, at=today) if request.writes else None
    return tuned, written


def _refuse_judges(request: StagesAsked) -> None:
    """Refuse judges that are named twice, too many of them, and files that are gone."""
    twice = next((name for name in request.judges if request.judges.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"`--cascade` names {twice} twice")
    if len(request.judges) > MOST_STAGES:
        raise UsageError(f"`--cascade` takes at most {MOST_STAGES} judges, got {len(request.judges)}")
    gone = next((Path(name) for name in request.judges if names_ratings(name) and not Path(name).is_file()), None)
    if gone is not None:
        raise UsageError(f"{gone}: {no_file(gone)}")


def _candidates(request: StagesAsked, examples: ExampleSet) -> list[CascadeCandidate]:
    """Return each judge with its ratings: read from its file, or request."""
    shared = request.ask.asking()
    return [
        _of_file(request, Path(name), examples, shared)
        if Path(name).is_file()
        else _by_asking(request, name, examples, shared)
        for name in request.judges
    ]


def _of_file(request: StagesAsked, path: Path, examples: ExampleSet, shared: Asking) -> CascadeCandidate:
    """Read a judge's ratings, and which judge to ask from what they say of it."""
    ratings = judge_ratings(path, request.rubric, examples, meanings_of(request.columns))
    raters = list(dict.fromkeys(rating.rater for rating in ratings))
    if len(raters) > 1:
        raise UsageError(f"{path} contains {len(raters)} raters ({', '.join(raters)}); use one file for each judge")
    rater = raters[0] if raters else ""
    name, _, model = rater.partition(", ")
    if len(panel_names(name)) > 1:
        why = f"{path} has the verdicts of a panel as one, and a cascade counts its judges' votes: --cascade {name}"
        return CascadeCandidate(str(path), ratings, why_unnamed=why)
    kind = kind_of(name)
    if kind is None or names_code(name) or not kind.asks or (kind.needs and ":" not in name):
        return CascadeCandidate(str(path), ratings, why_unnamed=f"{path} doesn't say which judge to ask")
    if {rating.under for rating in ratings} != {asked_under(request.rubric)}:
        why = f"{path} doesn't say that its ratings were given by the rubric's current words"
        return CascadeCandidate(str(path), ratings, why_unnamed=why)
    full = f"{name}:{model}" if model and ":" not in name else name
    identity = open_judge(full, asking=shared).identity.as_asked(_ways_in(ratings))
    models = (identity.model,) if identity.model else ()
    source = path if request.columns == ColumnOptions() else None
    return CascadeCandidate(full, ratings, models, stage_fingerprint([identity]), source=source)


def _by_asking(request: StagesAsked, name: str, examples: ExampleSet, shared: Asking) -> CascadeCandidate:
    """Ask a judge, or each member of a panel, about all labelled examples."""
    rubric = request.rubric
    labelled = examples.labelled.examples
    prompts = first_prompts(rubric, labelled)
    ratings: list[Rating] = []
    identities = []
    models: set[str] = set()
    costs: list[float | None] = []
    recordings: list[Path] = []
    code = [member for member in panel_names(name) if known_kind(member).names_code]
    for member in panel_names(name):
        judge = request.ask.judge_for(rubric, prompts, request.labels.folder, name=member, asking=shared)
        cost = request.ask.cost(judge, prompts, rubric.samples)
        costs.append(None if cost.usd is None or not labelled else 1000 * cost.usd / len(labelled))
        rated, grades = rated_by(
            judge, rubric, labelled, request.ask, what=f"grading by {member}", watch=request.watch, whole=True
        )
        recordings += [judge.path] if isinstance(judge, RecordedJudge) else []
        identities.append(judge.identity.as_asked(ways_of(grade.asked_without for grade in grades)))
        ratings += [replace(rating, rater=member) for rating in rated]
        models |= {model for grade in grades for model in grade.models}
    priced = [cost for cost in costs if cost is not None]
    return CascadeCandidate(
        name,
        ratings,
        tuple(sorted(models)),
        stage_fingerprint(identities),
        sum(priced) if len(priced) == len(costs) else None,
        f"{code[0]} is code, which no file may name" if code else "",
        recordings[0] if len(panel_names(name)) == len(recordings) == 1 else None,
    )


def _ways_in(ratings: Sequence[Rating]) -> Mapping[AskedWithout, int]:
    """How many ratings rest on replies without which parameters, as their file says; {} where it says of none."""
    if not any(rating.asked_without for rating in ratings):
        return {}
    return ways_of(rating.asked_without or ((),) for rating in ratings if rating.error is None)

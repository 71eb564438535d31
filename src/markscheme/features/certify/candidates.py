"""Candidates for the stages of a certificate: judges or panels, with their ratings of the labelled examples."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markscheme.calibration.judge_runs import rated_by
from markscheme.errors import UsageError, no_file
from markscheme.features.certify.judges import stage_fingerprint
from markscheme.features.certify.statistics import MOST_STAGES
from markscheme.judges.cost import cost_of_asking
from markscheme.judges.judge import AskedWithout, GradingJudge, Identity, ways_of
from markscheme.judges.judge_context import JudgeContext
from markscheme.judges.kinds import kind_of, known_kind, names_code, panel_names
from markscheme.judges.options import AskOptions
from markscheme.judges.recorded import RecordedJudge
from markscheme.judges.registry import open_judge
from markscheme.numerals import number_in
from markscheme.phrases import in_words
from markscheme.progress import Watch
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.examples import SUFFIXES, ExampleSet
from markscheme.ratings.from_grades import first_prompts
from markscheme.ratings.rating import Rating, asked_under
from markscheme.readers.rated import columns_from_options, judge_ratings
from markscheme.readers.tabular.reading import TableReading
from markscheme.rubrics.rubric import Rubric

PANEL = "+"
"""Character that joins the names of a panel's judges, or of their files of ratings."""


@dataclass(frozen=True)
class StageCandidate:
    """Judge, or panel of judges that vote, that may become a stage of a certificate, with its ratings of the examples.

    Attributes:
        name: Its name, by which it can be asked; for a panel, the names joined by `+`.
        ratings: Ratings of the labelled examples; for a panel, those of all its members.
        models: The models that answered.
        fingerprint: Fingerprint of the judge, or of a panel's members; None if it isn't known.
        usd: Cost of a thousand responses in US dollars; None if the price isn't known.
        why_unnamed: Reason why a certificate's file may not name it; None if it may.
        source: The file that its ratings or replies came from; None if it was asked, or if they were read with options.
    """

    name: str
    ratings: Sequence[Rating]
    models: tuple[str, ...] = ()
    fingerprint: str | None = None
    usd: float | None = None
    why_unnamed: str | None = None
    source: Path | None = None


def stages_named(text: str) -> list[str]:
    """Split the value of `--judge` at its commas into judges and files, whose own names may contain commas.

    >>> stages_named("openai:a,b,anthropic+openai:m")
    ['openai:a,b', 'anthropic+openai:m']
    """
    first, *others = text.split(",")
    stages = [first.strip()]
    for names in others:
        whole = f"{stages[-1]},{names}"
        is_path = any(Path(path).is_file() for path in (whole, whole.partition(":")[2]))
        if is_path or (kind_of(names.strip()) is None and not _names_ratings(names.strip())):
            stages[-1] = whole
        else:
            stages.append(names.strip())
    return stages


def refuse_stages(stages: Sequence[str]) -> None:
    """Raise an error if a judge is named twice, if there are too many judges, or if a file doesn't exist.

    Raises:
        UsageError: A judge is named twice, there are too many judges, or a file doesn't exist; the message names the
            judge or the file.
    """
    twice = next((name for name in stages if stages.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"`--judge` names {twice} twice")
    if len(stages) > MOST_STAGES:
        raise UsageError(f"`--judge` takes at most {MOST_STAGES} judges one after the other, got {len(stages)}")
    files = [path for stage in stages for path in files_of(stage)]
    gone = next((path for path in files if not path.is_file()), None)
    if gone is not None:
        raise UsageError(f"{gone}: {no_file(gone)}")


def refuse_code(stages: Iterable[str]) -> None:
    """Raise an error, before any judge is asked, if one of the judges is the user's code.

    No certificate may name code as a judge.

    Args:
        stages: The name of each stage: a judge, or a panel such as `A+B`.

    Raises:
        UsageError: A judge is code; the message names it.
    """
    members = [member for stage in stages for member in panel_names(stage)]
    code = next((member for member in members if names_code(member)), None)
    if code is not None:
        raise _unwritable(_why_code(code))


def refuse_unnamed(candidates: Iterable[StageCandidate]) -> None:
    """Raise an error if a certificate can't name a candidate, so that nobody could grade by it.

    Raises:
        UsageError: A candidate can't be named; the message says why.
    """
    why = next((candidate.why_unnamed for candidate in candidates if candidate.why_unnamed), None)
    if why is not None:
        raise _unwritable(why)


def _unwritable(why: str) -> UsageError:
    return UsageError(f"--write writes which judges to ask, and {why}; without --write the figures are shown")


def _why_code(name: str) -> str:
    return f"{name} is code, which no file may name"


def _names_ratings(name: str) -> bool:
    """Return True if a stage's name is an existing file, or ends like a file of ratings and isn't a judge's name.

    >>> _names_ratings("nowhere/judge.jsonl"), _names_ratings("recorded:replies.jsonl"), _names_ratings("gpt-5")
    (True, False, False)
    """
    path = Path(name)
    return path.is_file() or (path.suffix in SUFFIXES and kind_of(name) is None)


def files_of(stage: str) -> tuple[Path, ...]:
    """Return the files of ratings that a name after `--judge` lists, one per judge; () if it names judges to ask."""
    members = [stage] if Path(stage).is_file() else stage.split(PANEL)
    return tuple(map(Path, members)) if all(map(_names_ratings, members)) else ()


# --- from files -------------------------------------------------------------------------------------------------------


def candidate_in_files(
    paths: Sequence[Path], rubric: Rubric, examples: ExampleSet, columns: ColumnOptions, context: JudgeContext
) -> StageCandidate:
    """Read a judge's ratings from a file, or a panel's from one file per judge.

    Args:
        paths: The file, or the panel's files.
        rubric: The rubric by which the judges rated.
        examples: The labelled examples.
        columns: What the files' columns and values mean.
        context: Settings with which the judges are opened, to learn their identities; they aren't asked.

    Raises:
        UsageError: A file has the ratings of several judges.
    """
    members = [_member(path, rubric, examples, columns, context) for path in paths]
    candidates = [candidate for candidate, _ in members]
    if len(candidates) == 1:
        return candidates[0]
    names = [candidate.name for candidate in candidates]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"{in_words(list(map(str, paths)))} are ratings of one judge, {twice}; use one file for each")
    whys = [candidate.why_unnamed for candidate in candidates if candidate.why_unnamed]
    identities = [identity for _, identity in members if identity is not None]
    return StageCandidate(
        PANEL.join(names),
        [rating for candidate in candidates for rating in candidate.ratings],
        tuple(sorted({model for candidate in candidates for model in candidate.models})),
        None if whys else stage_fingerprint(identities),
        why_unnamed=whys[0] if whys else None,
    )


def _member(
    path: Path, rubric: Rubric, examples: ExampleSet, columns: ColumnOptions, context: JudgeContext
) -> tuple[StageCandidate, Identity | None]:
    """Read one judge's ratings from a file as a candidate, with the judge's identity if the file states it.

    Args:
        path: The file.
        rubric: The rubric of the ratings.
        examples: The labelled examples.
        columns: What the file's columns and values mean.
        context: Settings with which the judge is opened, to learn its identity; it isn't asked.

    Raises:
        UsageError: The file has the ratings of several raters.
    """
    ratings = judge_ratings(path, rubric, examples, columns_from_options(columns))
    raters = list(dict.fromkeys(rating.rater for rating in ratings))
    if len(raters) > 1:
        raise UsageError(f"{path} contains {len(raters)} raters ({', '.join(raters)}); use one file for each judge")
    rater = raters[0] if raters else str(path)
    name, _, model = rater.partition(", ")
    why = _why_unnamed(path, name, ratings, rubric)
    if why is not None:
        return StageCandidate(rater, ratings, why_unnamed=why), None
    full = f"{name}:{model}" if model and ":" not in name else name
    identity = open_judge(full, context=context).identity.as_asked(_count_left_out(ratings))
    models = (identity.model,) if identity.model else ()
    source = path if columns == ColumnOptions() else None
    return StageCandidate(full, ratings, models, stage_fingerprint([identity]), source=source), identity


def _why_unnamed(path: Path, name: str, ratings: Sequence[Rating], rubric: Rubric) -> str | None:
    """Return why a file of ratings doesn't identify a judge that can be asked again in the same way; None if it does.

    Args:
        path: The file.
        name: Name of the judge in the file.
        ratings: The ratings, which state the wording that they were given under.
        rubric: The rubric with its current wording.
    """
    if len(panel_names(name)) > 1:
        return f"{path} has the verdicts of a panel as one, and a panel's votes are counted: --judge {name}"
    kind = kind_of(name)
    if kind is None or names_code(name) or not kind.asks or (kind.needs and ":" not in name):
        return f"{path} doesn't say which judge to ask"
    if {rating.under for rating in ratings} != {asked_under(rubric)}:
        return f"{path} doesn't say that its ratings were given by the rubric's current words"
    return None


def _count_left_out(ratings: Sequence[Rating]) -> Mapping[AskedWithout, int]:
    """Count ratings by the parameters, such as temperature, that their requests left out.

    {} if no rating records such parameters. Ratings with an error aren't counted.
    """
    if not any(rating.asked_without for rating in ratings):
        return {}
    return ways_of(rating.asked_without or ((),) for rating in ratings if rating.error is None)


def candidate_in_table(column: str, criterion: str, table: TableReading) -> StageCandidate:
    """Make a candidate from a judge's column of a table; a certificate based on it can't be written.

    Args:
        column: The column, or several joined by `+`, which vote.
        criterion: The criterion that the column rates.
        table: The table.

    Raises:
        UsageError: The table has no column of a judge with that name.
    """
    judges = table.raters(criterion, judges=True)
    named = [column] if column in judges else column.split(PANEL)
    unknown = next((name for name in named if name not in judges), None)
    if unknown is not None:
        raise UsageError(f"no column {unknown!r} of a judge in the table; its judges: {in_words(list(judges))}")
    ratings = [rating for name in named for rating in _rated_by(name, criterion, table)]
    return StageCandidate(column, ratings, why_unnamed="a column of a table doesn't say which judge to ask")


def mark_of_scores(criterion: str, table: TableReading) -> float | None:
    """Return the pass mark that the user states for a table of judges' scores from 0 to 1; None for any other table.

    Args:
        criterion: The criterion, or "" if only one thing is rated.
        table: The table as it was read.
    """
    mark = table.options.pass_mark
    sides = [side for side in table.sides(criterion) if side.is_judge]
    scores = [number_in(cell.strip()) for side in sides for cell in side.cells if cell.strip()]
    is_of_scores = table.values[criterion].kind == "decision" and all(s is not None and 0 <= s <= 1 for s in scores)
    return mark if mark is not None and 0 < mark <= 1 and is_of_scores else None


def _rated_by(name: str, criterion: str, table: TableReading) -> Iterator[Rating]:
    """Yield a judge's ratings in a table; if its decisions are made from scores, each rating has the score too.

    Args:
        name: Name of the judge's column.
        criterion: Name of the criterion that it rates.
        table: The table.
    """
    side = next(side for side in table.sides(criterion) if side.is_judge and side.name == name)
    has_scores = mark_of_scores(criterion, table) is not None
    cells = dict(zip(table.ids, side.cells, strict=True))
    for rating in table.judged(criterion, name):
        score = number_in(cells[rating.id].strip()) if has_scores and rating.error is None else None
        yield rating if score is None else replace(rating, overall=score)


# --- by asking --------------------------------------------------------------------------------------------------------


def candidate_by_asking(
    name: str | None,
    rubric: Rubric,
    examples: ExampleSet,
    folder: Path | None,
    ask: AskOptions,
    shared: JudgeContext,
    watch: Watch,
) -> StageCandidate:
    """Ask a judge, or each member of a panel, about all labelled examples.

    Args:
        name: The judge's name, or the panel members' names joined by `+`; None for the judge that is set, or else the
            default one.
        rubric: The rubric by which to grade.
        examples: The labelled examples.
        folder: The rubric's calibration folder, whose recorded replies may answer; None if there is none.
        ask: How judges are asked.
        shared: Settings that all opened judges share.
        watch: Shows progress.

    Raises:
        NoJudge: No judge was named, and none is available.
        BudgetError: The budget doesn't cover all examples.
    """
    labelled = examples.labelled.examples
    prompts = first_prompts(rubric, labelled)
    ratings: list[Rating] = []
    identities = []
    names: list[str] = []
    models: set[str] = set()
    costs: list[float | None] = []
    recordings: list[Path] = []
    members: Sequence[str | None] = [None] if name is None else panel_names(name)
    for member in members:
        judge = ask.judge_for(rubric, prompts, folder, name=member, context=shared)
        names.append(member or _name_to_ask(judge))
        cost = cost_of_asking(judge, prompts, shared, samples=rubric.samples)
        costs.append(None if cost.usd is None or not labelled else 1000 * cost.usd / len(labelled))
        rated, grades = rated_by(judge, rubric, labelled, ask, what=f"grading by {names[-1]}", watch=watch, whole=True)
        recordings += [judge.path] if isinstance(judge, RecordedJudge) else []
        identities.append(judge.identity.as_asked(ways_of(grade.asked_without for grade in grades)))
        ratings += [replace(rating, rater=names[-1]) for rating in rated]
        models |= {model for grade in grades for model in grade.models}
    priced = [cost for cost in costs if cost is not None]
    code = next((member for member in names if known_kind(member).names_code), None)
    return StageCandidate(
        name or names[0],
        ratings,
        tuple(sorted(models)),
        stage_fingerprint(identities),
        sum(priced) if len(priced) == len(costs) else None,
        _why_code(code) if code else None,
        recordings[0] if len(names) == len(recordings) == 1 else None,
    )


def _name_to_ask(judge: GradingJudge) -> str:
    """Return the name by which the default judge, which the user didn't name, can be asked again."""
    if isinstance(judge, RecordedJudge):
        return f"recorded:{judge.path}"
    identity = judge.identity
    return identity.name if ":" in identity.name or not identity.model else f"{identity.name}:{identity.model}"

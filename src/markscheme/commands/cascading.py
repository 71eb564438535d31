"""The part of `markscheme tune` that finds who decides what: `--cascade`."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from markscheme.commands.progress import progress
from markscheme.errors import UsageError, writing

if TYPE_CHECKING:
    from markscheme.calibration.cascade import CascadeCandidate, TunedCascade
    from markscheme.commands.options import AskFlags, ExportOptions
    from markscheme.judges.asking import Asking
    from markscheme.ratings.examples import ExampleSet
    from markscheme.ratings.rating import Rating
    from markscheme.rubrics.rubric import Rubric


def cascade_parts(text: str) -> list[str]:
    """The judges or files in the value of `--cascade`: names of judges may hold a comma, and so may paths.

    Raises:
        UsageError: One occurs twice, or there are too many.
    """
    from markscheme.judges.kinds import kind_of
    from markscheme.stats.cascade import MOST_STAGES

    first, *others = text.split(",")
    parts = [first.strip()]
    for part in others:
        if kind_of(part.strip()) is None and not Path(part.strip()).is_file():
            parts[-1] += f",{part}"
        else:
            parts.append(part.strip())
    twice = next((part for part in parts if parts.count(part) > 1), None)
    if twice is not None:
        raise UsageError(f"`--cascade` names {twice} twice")
    if len(parts) > MOST_STAGES:
        raise UsageError(f"`--cascade` takes at most {MOST_STAGES} judges, got {len(parts)}")
    return parts


def candidates_of(
    parts: Sequence[str],
    rubric: "Rubric",
    examples: "ExampleSet",
    folder: Path | None,
    ask: "AskFlags",
    export: "ExportOptions",
) -> "list[CascadeCandidate]":
    """Each judge with its ratings: read from its file, or asked.

    Raises:
        UsageError: Neither a file nor a judge, or a file of several judges.
        BudgetError: The budget doesn't cover all examples.
    """
    shared = ask.asking()
    candidates = []
    for part in parts:
        if Path(part).is_file():
            candidates.append(_of_file(Path(part), rubric, examples, export, shared))
        else:
            candidates.append(_asked(part, rubric, examples, folder, ask, shared))
    return candidates


def _of_file(
    path: Path, rubric: "Rubric", examples: "ExampleSet", export: "ExportOptions", shared: "Asking"
) -> "CascadeCandidate":
    from markscheme.calibration.cascade import CascadeCandidate
    from markscheme.judges.cascade import stage_fingerprint
    from markscheme.judges.kinds import kind_of, names_code
    from markscheme.judges.registry import open_judge
    from markscheme.ratings.rating import asked_under
    from markscheme.readers.rated import judge_ratings

    ratings = judge_ratings(path, rubric, examples, export.hints.meanings)
    raters = list(dict.fromkeys(rating.rater for rating in ratings))
    if len(raters) > 1:
        raise UsageError(f"{path} contains {len(raters)} raters ({', '.join(raters)}); use one file for each judge")
    rater = raters[0] if raters else ""
    name, _, model = rater.partition(", ")
    kind = kind_of(name)
    if kind is None or names_code(name) or not kind.asks or (kind.needs and ":" not in name):
        return CascadeCandidate(str(path), ratings, why_unnamed=f"{path} doesn't say which judge to ask")
    if {rating.under for rating in ratings} != {asked_under(rubric)}:
        why = f"{path} doesn't say that its ratings were given by the rubric's current words"
        return CascadeCandidate(str(path), ratings, why_unnamed=why)
    full = f"{name}:{model}" if model and ":" not in name else name
    judge = open_judge(full, asking=shared)
    models = (judge.identity.model,) if judge.identity.model else ()
    return CascadeCandidate(full, ratings, models, stage_fingerprint([judge.identity]))


def _asked(
    name: str, rubric: "Rubric", examples: "ExampleSet", folder: Path | None, ask: "AskFlags", shared: "Asking"
) -> "CascadeCandidate":
    """A judge, or each member of a panel, asked about all labelled examples."""
    from markscheme.calibration.cascade import CascadeCandidate
    from markscheme.calibration.judge_runs import rated_by
    from markscheme.judges.cascade import stage_fingerprint
    from markscheme.judges.kinds import known_kind, panel_names
    from markscheme.ratings.from_grades import first_prompts

    labelled = examples.labelled.examples
    prompts = first_prompts(rubric, labelled)
    ratings: list[Rating] = []
    identities = []
    models: set[str] = set()
    costs: list[float | None] = []
    code = [member for member in panel_names(name) if known_kind(member).names_code]
    for member in panel_names(name):
        judge = ask.judge_for(rubric, prompts, folder, name=member, asking=shared)
        identities.append(judge.identity)
        cost = ask.cost(judge, prompts, rubric.samples)
        costs.append(None if cost.usd is None or not labelled else 1000 * cost.usd / len(labelled))
        rated, grades = rated_by(judge, rubric, labelled, ask, what=f"grading by {member}", watch=progress, whole=True)
        ratings += [replace(rating, rater=member) for rating in rated]
        models |= {model for grade in grades for model in grade.models}
    known = [cost for cost in costs if cost is not None]
    return CascadeCandidate(
        name,
        ratings,
        tuple(sorted(models)),
        stage_fingerprint(identities),
        sum(known) if len(known) == len(costs) else None,
        f"{code[0]} is code, which no file may name" if code else "",
    )


def write_cascade(tuned: "TunedCascade", rubric: "Rubric", examples: "ExampleSet", today: str) -> Path | str:
    """The file with the promise; or why it isn't written."""
    if tuned.why_not_written:
        return tuned.why_not_written
    if examples.path is None:
        return "the labels came from no file"
    with writing(examples.path.parent):
        return tuned.write(examples.path.parent, rubric, at=today)

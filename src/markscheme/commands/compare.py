"""`markscheme compare`: judges, runs or results on the same examples."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from markscheme.commands.options import JUDGE_NAMES, AskOptions, LabelOptions
from markscheme.errors import UsageError

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Options
    from markscheme.calibration.choice import Contender
    from markscheme.calibration.sides import Compared
    from markscheme.ratings.examples import ExampleSet
    from markscheme.rubrics.rubric import Rubric

SIDES = f"ratings (.jsonl), JSON of `calibrate`, Promptfoo's results, or judges: {JUDGE_NAMES}"


def compare(
    sides: Annotated[tuple[str, ...], Parameter(metavar="A B", help=SIDES)],
    /,
    *,
    rubric: Annotated[str | None, Parameter(metavar="NAME")] = None,
    labels: LabelOptions = LabelOptions(),
    json: bool = False,
    markdown: bool = False,
    html: Annotated[str | None, Parameter(metavar="FILE")] = None,
    ask: AskOptions = AskOptions(),
) -> int:
    """Compare judges on the same examples: which agrees better with the labels and by how much, which examples change
    between pass and fail, what each costs, which is the cheapest that is no worse, and which new score matches an old
    one. Name the judge in use first. Without labels, only what moved is shown.

    Args:
        rubric: a rubric's name or file; its labelled examples are the gold
        json: print JSON
        markdown: print Markdown
        html: write a page to open, send or print

    Example:
        markscheme compare anthropic:claude-haiku-4-5 local:judge.gguf --rubric code-quality
    """
    from markscheme.calibration.calibration import Options
    from markscheme.calibration.sides import compare_results
    from markscheme.commands.output import put, refuse_unwritable, rendered, show
    from markscheme.promptfoo.results_files import is_results
    from markscheme.report.views.choice import json_of, view

    if len(sides) < 2:
        raise UsageError("a comparison needs two sides: markscheme compare A B")
    if json and markdown:
        raise UsageError("--json and --markdown cannot share standard output; ask for one of them")
    if html == "-":
        raise UsageError("`--html` must be a file; standard output contains the comparison itself")
    refuse_unwritable(html)
    rule = Options(labels.gold, labels.gold_by, labels.tolerance)
    are_results = [is_results(Path(side)) for side in sides]
    if any(are_results) and not all(are_results):
        raise UsageError("Promptfoo's results are compared with each other only; import them to compare with others")
    if all(are_results):
        if labels.only:
            raise UsageError("--only needs a rubric's examples; Promptfoo's results contain their own")
        compared = compare_results([Path(side) for side in sides], split=labels.split, rule=rule)
    else:
        compared = _compare_sides(sides, rubric, labels, rule, ask)
    if html:
        put(rendered(view(compared.choice, compared), "html"), html)
    if markdown:
        put(rendered(view(compared.choice), "markdown"), "-")
    else:
        show(view(compared.choice), json_of(compared.choice), json=json)
    return 0


def _compare_sides(
    names: tuple[str, ...], named: str | None, labels: LabelOptions, rule: "Options", ask: AskOptions
) -> "Compared":
    from markscheme.calibration.sides import Sides, compare_sides

    sides = Sides.of(names)
    rubric, notes = sides.rubric if named is None else (ask.rubric(named), [])
    examples, folder = _examples(rubric, labels, notes)
    asked = partial(_ask, rubric=rubric, folder=folder, ask=ask)
    own_gold = named is None and labels.examples is None
    return compare_sides(sides, rubric, examples, asked, rule=rule, notes=notes, own_gold=own_gold)


def _examples(rubric: "Rubric", labels: LabelOptions, notes: list[str]) -> tuple["ExampleSet | None", Path | None]:
    """The rubric's labelled examples and its folder; None where there are none. Openings of a test part are noted."""
    from markscheme.ratings.sources import labelled_examples, openings_by, part_of
    from markscheme.report.views.calibration import openings_line

    if rubric.source is None and labels.examples is None:
        return None, None
    try:
        every, folder = labelled_examples(rubric, labels.examples)
    except UsageError:
        if labels.examples is not None or labels.only:
            raise
        return None, None
    openings = openings_by("compare", every, labels.split)
    if openings is not None:
        notes.append(openings_line(openings))
    return labels.chosen(part_of(every, labels.split)), folder


def _ask(name: str, examples: "ExampleSet", *, rubric: "Rubric", folder: Path | None, ask: AskOptions) -> "Contender":
    from markscheme.calibration.choice import Contender
    from markscheme.calibration.collect import first_prompts
    from markscheme.commands.runs import rated_by
    from markscheme.judges.judge import total

    judge = ask.judge(name, rubric, first_prompts(rubric, examples.examples), folder)
    who = str(judge.identity)
    ratings, grades = rated_by(judge, rubric, examples.examples, ask, what=f"asking {who}")
    return Contender(
        name=who,
        ratings=tuple(ratings),
        cost=total(grade.usage for grade in grades),
        kept=sum(grade.replies.get("cache", 0) for grade in grades),
        asked=len(grades),
    )

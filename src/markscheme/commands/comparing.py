"""The work of `markscheme compare`, apart from its parser so that `--help` loads none of it."""

import argparse
import asyncio
import datetime
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markscheme.calibration.choice import Choice, Contender, choose
from markscheme.calibration.collect import first_prompts, grade_examples, rating_of
from markscheme.calibration.saved import ReadBack, gold_between, is_calibration, read_calibration
from markscheme.commands.output import put, refuse_unwritable
from markscheme.commands.progress import progress
from markscheme.commands.promptfoo_results import warn_aside
from markscheme.commands.several_judges import told_apart
from markscheme.commands.sources import as_asked, asking_of, judge_of, labelled_examples, scorers_of
from markscheme.commands.splits import openings_by, part_of
from markscheme.errors import BudgetError, ComparisonError, MarkschemeError, UsageError
from markscheme.grading import Grade, Grading
from markscheme.judges.judge import total
from markscheme.judges.kinds import judge_forms, kind_of
from markscheme.promptfoo.results import Row, aligned, is_results, read_results
from markscheme.ratings.examples import Example, ExampleSet
from markscheme.ratings.gold import Gold, gold_of
from markscheme.ratings.rating import Rating, load_ratings
from markscheme.readers.infer_rubric import seeming_rubric
from markscheme.readers.promptfoo import graders_ratings, labelled_rows, rubric_of, scored_ids
from markscheme.report.compare_report import choice_json, choice_markdown, print_choice
from markscheme.report.json_report import dumps
from markscheme.report.openings import openings_line
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_rubric
from markscheme.submission import Submission

SEEMING = "No rubric is named: scales are those the ratings seem to use, weights are equal, and the pass mark is 0.5."


def run(arguments: argparse.Namespace) -> int:
    """Compare and print."""
    if len(arguments.sides) < 2:
        raise UsageError("a comparison needs two sides: markscheme compare A B")
    if arguments.json and arguments.markdown:
        raise UsageError("--json and --markdown cannot share standard output; ask for one of them")
    if arguments.html == "-":
        raise UsageError("--html takes a file; standard output holds the comparison itself")
    refuse_unwritable(arguments.html)
    are_results = [is_results(Path(side)) for side in arguments.sides]
    if all(are_results):
        compared = of_results([Path(side) for side in arguments.sides], arguments)
    elif any(are_results):
        raise UsageError("Promptfoo's results are compared with each other; import them to compare with anything else")
    else:
        compared = _of_sides(arguments)
    if arguments.html:
        _write_page(compared, arguments.html)
    if arguments.json:
        print(dumps(choice_json(compared.choice)))
    elif arguments.markdown:
        print(choice_markdown(compared.choice), end="")
    else:
        print_choice(compared.choice, sys.stdout)
    return 0


@dataclass(frozen=True)
class Compared:
    """A choice, and what it was made from."""

    choice: Choice
    contenders: tuple[Contender, ...]
    truth: Gold | None
    examples: tuple[Example, ...]


def _write_page(compared: Compared, target: str) -> None:
    from markscheme.report.html_report import choice_html

    when = datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
    page = choice_html(
        compared.choice, compared.contenders, truth=compared.truth, examples=compared.examples, when=when
    )
    put(page, target)


# --- Promptfoo's results --------------------------------------------------------------------------------------------


def of_results(paths: Sequence[Path], arguments: argparse.Namespace) -> Compared:
    """The graders of several files of results, on the outputs that all of them hold.

    Raises:
        ComparisonError: They hold no output in common.
    """
    first, *others = [read_results(path) for path in paths]
    files = [first, *(aligned(first, other) for other in others)]
    for results in files:
        warn_aside(results)
    shared = set.intersection(*({row.key for row in results.rows} for results in files))
    if not shared:
        raise ComparisonError(
            f"{' and '.join(map(str, paths))} hold no output in common: a comparison of graders needs the same "
            "responses to the same vars"
        )
    rows = [[row for row in results.rows if row.key in shared] for results in files]
    rubric = rubric_of(files)
    every: list[Row] = [row for part in rows for row in part]
    truth, examples = None, ExampleSet(tuple(Example(Submission(row.response, row.inputs, row.id)) for row in every))
    if any(row.is_labelled for row in every):
        examples = part_of(labelled_rows(every, rubric), arguments)
        truth = gold_of(examples, rubric, kind=arguments.gold, by=arguments.gold_by)
    by_score = scored_ids(every) if truth is not None else {row.id for row in every}
    names = told_apart([path.stem for path in paths])
    contenders = [
        Contender(
            name,
            tuple(graders_ratings(part, name, rubric, by_score=by_score)),
            total(row.usage for row in part),
            asked=len(part),
        )
        for name, part in zip(names, rows, strict=True)
    ]
    left_out = [len(results.rows) - len(part) for results, part in zip(files, rows, strict=True)]
    notes = [f"{count} outputs of {name} stand in no other file" for name, count in zip(names, left_out, strict=True)]
    kept = [note for note, count in zip(notes, left_out, strict=True) if count]
    choice = choose(rubric, contenders, truth, tolerance=arguments.tolerance, notes=kept)
    return Compared(choice, tuple(contenders), truth, examples.examples)


# --- ratings, calibrations, judges ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sides:
    """What was named, by kind, each with its place."""

    ratings: dict[int, Path]
    read_back: dict[int, ReadBack]
    judges: dict[int, str]


def _of_sides(arguments: argparse.Namespace) -> Compared:
    sides = _sorted(arguments.sides)
    rubric, notes = _rubric(sides, arguments)
    examples, folder = _examples(rubric, arguments, notes)
    truth = _gold(examples, rubric, sides, arguments, notes)
    found: dict[int, list[Contender]] = {}
    for place, path in sides.ratings.items():
        found[place] = _raters(load_ratings(path, rubric))
    for place, read_back in sides.read_back.items():
        found[place] = [_contender(read_back, rubric)]
    for place, name in sides.judges.items():
        found[place] = [_asked(name, rubric, _to_ask(examples, name), folder, arguments)]
    if len(sides.read_back) > 1:
        found |= _same_responses(sides.read_back, found, notes)
    contenders = [contender for place in sorted(found) for contender in found[place]]
    if len(contenders) < 2:
        raise UsageError("a comparison needs two sides: the same rater was named twice, or only one")
    names = told_apart([contender.name for contender in contenders])
    named = [replace(contender, name=name) for contender, name in zip(contenders, names, strict=True)]
    choice = choose(rubric, named, truth, tolerance=arguments.tolerance, notes=notes)
    return Compared(choice, tuple(named), truth, examples.examples if examples else ())


def _sorted(names: Sequence[str]) -> _Sides:
    sides = _Sides({}, {}, {})
    for place, name in enumerate(names):
        path = Path(name)
        if path.suffix == ".jsonl" and path.is_file():
            sides.ratings[place] = path
        elif is_calibration(path):
            sides.read_back[place] = read_calibration(path)
        elif kind_of(name) is not None:
            sides.judges[place] = name
        else:
            what = "holds neither ratings nor a calibration" if path.exists() else "is no file that is there"
            raise UsageError(f"{name} {what}, and names no judge: {judge_forms()}")
    return sides


def _rubric(sides: _Sides, arguments: argparse.Namespace) -> tuple[Rubric, list[str]]:
    """The named rubric; else that of the folder the ratings stand in, of calibrations, or what ratings seem to use."""
    if arguments.rubric is not None:
        return as_asked(load_rubric(find_rubric(arguments.rubric)), arguments), []
    if sides.judges:
        raise UsageError("judges are asked by a rubric: name it by --rubric")
    of_folders = {name for path in sides.ratings.values() if (name := _folder_rubric(path)) is not None}
    if len(of_folders) == 1:
        return load_rubric(find_rubric(of_folders.pop())), []
    if sides.read_back:
        return _rubric_read_back(sides), []
    return seeming_rubric(list(sides.ratings.values())), [SEEMING]


def _folder_rubric(path: Path) -> str | None:
    """The rubric of calibration/<rubric>/ratings/<rater>.jsonl."""
    parents = path.resolve().parents
    if len(parents) > 2 and parents[0].name == "ratings" and parents[2].name == "calibration":
        return parents[1].name
    return None


def _rubric_read_back(sides: _Sides) -> Rubric:
    """The rubric that calibrations were made by where it is still here; else what they have in common.

    Raises:
        UsageError: Ratings stand beside them, and their scores need weights that nobody knows.
        ComparisonError: They have no criterion in common.
    """
    read_back = list(sides.read_back.values())
    prints = {one.fingerprint for one in read_back}
    try:
        rubric = load_rubric(find_rubric(read_back[0].rubric.name))
    except MarkschemeError:
        rubric = None
    if rubric is not None and prints == {rubric.fingerprint}:
        return rubric
    if sides.ratings:
        raise UsageError("a calibration does not tell the weights of its criteria: name its rubric by --rubric")
    return _common_rubric(read_back)


def _common_rubric(read_back: Sequence[ReadBack]) -> Rubric:
    """The criteria that all calibrations rate on the same scale.

    Raises:
        ComparisonError: There is none.
    """
    first, *others = read_back
    scales = [{c.name: c.scale for c in one.rubric.criteria} for one in others]
    kept = tuple(c for c in first.rubric.criteria if all(other.get(c.name) == c.scale for other in scales))
    if not kept:
        raise ComparisonError(f"{' and '.join(str(one.path) for one in read_back)} rate no criterion on the same scale")
    return replace(first.rubric, criteria=kept)


def _examples(rubric: Rubric, arguments: argparse.Namespace, notes: list[str]) -> tuple[ExampleSet | None, Path | None]:
    """The rubric's labelled examples; None where there are none. What is to be known of them goes to `notes`."""
    if rubric.source is None and arguments.examples is None:
        return None, None
    try:
        every, folder = labelled_examples(rubric, arguments.examples)
    except UsageError:
        if arguments.examples is not None:
            raise
        return None, None
    openings = openings_by(arguments, every, "compare")
    if openings is not None:
        notes.append(openings_line(openings))
    return part_of(every, arguments), folder


def _gold(
    examples: ExampleSet | None, rubric: Rubric, sides: _Sides, arguments: argparse.Namespace, notes: list[str]
) -> Gold | None:
    as_read_back = bool(sides.read_back) and not (
        sides.ratings or sides.judges or arguments.rubric or arguments.examples
    )
    if examples is not None and examples.labels and not as_read_back:
        return gold_of(examples, rubric, kind=arguments.gold, by=arguments.gold_by)
    if not sides.read_back:
        return None
    truth, differing = gold_between(list(sides.read_back.values()), rubric)
    if differing:
        notes.append(f"{differing} examples have other labels in one file than in another; those named last count")
    return truth


def _raters(ratings: Sequence[Rating]) -> list[Contender]:
    by_rater: dict[str, list[Rating]] = {}
    for rating in ratings:
        by_rater.setdefault(rating.rater, []).append(rating)
    return [Contender(name, tuple(theirs)) for name, theirs in by_rater.items()]


def _contender(read_back: ReadBack, rubric: Rubric) -> Contender:
    known = {criterion.name for criterion in rubric.criteria}
    ratings = (
        replace(rating, criteria={name: said for name, said in rating.criteria.items() if name in known})
        for rating in read_back.ratings
    )
    return Contender(read_back.judge, tuple(ratings), read_back.cost, read_back.kept, len(read_back.ratings))


def _same_responses(
    read_back: dict[int, ReadBack], found: dict[int, list[Contender]], notes: list[str]
) -> dict[int, list[Contender]]:
    """Calibrations without the examples whose response is another in one of them."""
    first, *others = read_back.values()
    moved = {
        unit
        for other in others
        for unit, digest in other.responses.items()
        if first.responses.get(unit, digest) != digest
    }
    if not moved:
        return {}
    notes.append(f"{len(moved)} examples are left out: the same id stands for another response")
    return {
        place: [replace(c, ratings=tuple(r for r in c.ratings if r.id not in moved)) for c in found[place]]
        for place in read_back
    }


def _to_ask(examples: ExampleSet | None, name: str) -> ExampleSet:
    """Labelled examples where there are any, else all.

    Raises:
        UsageError: There are no examples.
    """
    if examples is None or not examples.examples:
        raise UsageError(f"there are no examples to ask {name} about; name a file of them by --examples")
    return examples.labelled if examples.labels else examples


def _asked(
    name: str, rubric: Rubric, examples: ExampleSet, folder: Path | None, arguments: argparse.Namespace
) -> Contender:
    judge = judge_of(name, rubric, first_prompts(rubric, examples.examples), folder, asking_of(arguments))
    grading = Grading(rubric, judge, scorers=scorers_of(arguments, rubric))
    grades = asyncio.run(_graded(grading, examples.examples, arguments))
    return Contender(
        name=str(judge.identity),
        ratings=tuple(rating_of(grade, rubric, str(judge.identity)) for grade in grades),
        cost=total(grade.usage for grade in grades),
        kept=sum(grade.replies.get("cache", 0) for grade in grades),
        asked=len(grades),
    )


async def _graded(grading: Grading, examples: Sequence[Example], arguments: argparse.Namespace) -> list[Grade]:
    """Every example's grade, in order; what was graded before the budget ran out, if it did."""
    judge, grades = grading.judge, dict[int, Grade]()
    try:
        with progress(f"asking {judge.identity}", len(examples)) as shown:
            async for place, grade in grade_examples(grading, examples, concurrency=arguments.concurrency):
                grades[place] = grade
                shown.step()
    except BudgetError as error:
        if not grades:
            raise
        print(f"warning: {error}; {len(grades)} of {len(examples)} examples are graded", file=sys.stderr)
    finally:
        await judge.aclose()
    return [grades[place] for place in sorted(grades)]

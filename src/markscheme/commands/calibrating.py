"""The work of `calibrate`, apart from its parser so that `--help` loads none of it."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from markscheme.calibration.collect import first_prompts, grade_examples, rating_of
from markscheme.calibration.examples import ExampleSet, load_examples
from markscheme.calibration.ratings import load_ratings
from markscheme.calibration.run import Calibration, Options, Rater, calibration_of
from markscheme.commands.progress import progress
from markscheme.commands.sources import as_asked, asking_of, examples_of, judge_of
from markscheme.errors import BudgetError, UsageError
from markscheme.grading import Grade, Grading
from markscheme.judge import Judge, total
from markscheme.judges.recorded import RecordedJudge
from markscheme.report.json_report import calibration_json, dumps
from markscheme.rubric import Rubric
from markscheme.rubric_file import load_rubric
from markscheme.rubric_search import find_rubric


def run(arguments: argparse.Namespace) -> int:
    """Calibrate, write what was asked for, and give the verdict as exit status."""
    if arguments.json == "-" and arguments.markdown == "-":
        raise UsageError("--json - and --markdown - cannot share standard output; name a file for one of them")
    rubric = as_asked(load_rubric(find_rubric(arguments.rubric)), arguments)
    file, folder = examples_of(rubric, arguments.examples)
    examples = load_examples(file, rubric, ratings=folder / "ratings" if folder and not arguments.examples else None)
    examples = examples.part(arguments.split or ("dev" if examples.has_splits else "all"))
    options = Options(arguments.gold, arguments.gold_by, arguments.tolerance, arguments.target)
    if arguments.ratings is not None:
        calibration = _from_ratings(rubric, examples, arguments.ratings, options)
    else:
        calibration = _from_judge(rubric, examples, folder, arguments, options)
    _write(calibration, arguments)
    return calibration.exit_status


def _from_ratings(rubric: Rubric, examples: ExampleSet, path: Path, options: Options) -> Calibration:
    ratings = load_ratings(path, rubric)
    raters = sorted({rating.rater for rating in ratings})
    if len(raters) != 1:
        raise UsageError(
            f"{path} holds the ratings of {len(raters)} raters ({', '.join(raters)}); keep one file for each"
        )
    return calibration_of(rubric, examples, ratings, Rater(raters[0], "", "ratings", str(path)), options=options)


def _from_judge(
    rubric: Rubric, examples: ExampleSet, folder: Path | None, arguments: argparse.Namespace, options: Options
) -> Calibration:
    labelled = tuple(example for example in examples.examples if example.labels)
    if not labelled:
        raise UsageError(f"no example in {examples.path} has a label to compare with")
    prompts = first_prompts(rubric, labelled)
    judge = judge_of(arguments.judge, rubric, prompts, folder, asking_of(arguments))
    grades = asyncio.run(_graded(rubric, judge, ExampleSet(labelled), arguments))
    identity = judge.identity
    return calibration_of(
        rubric,
        examples,
        [rating_of(grade, rubric, str(identity)) for grade in grades],
        _rater(judge),
        options=options,
        cost=total(grade.usage for grade in grades),
        from_cache=sum(grade.replies.get("cache", 0) for grade in grades),
    )


async def _graded(rubric: Rubric, judge: Judge, examples: ExampleSet, arguments: argparse.Namespace) -> Sequence[Grade]:
    """Every example's grade, in order; what was graded before the budget ran out, if it did."""
    grades: dict[int, Grade] = {}
    try:
        with progress("grading", len(examples.examples), quiet=arguments.quiet) as shown:
            async for place, grade in grade_examples(
                Grading(rubric, judge), examples.examples, concurrency=arguments.concurrency
            ):
                grades[place] = grade
                shown.step()
    except BudgetError as error:
        if not grades:
            raise
        print(f"warning: {error}; {len(grades)} of {len(examples.examples)} examples are graded", file=sys.stderr)
    finally:
        await judge.aclose()
    return [grades[place] for place in sorted(grades)]


def _rater(judge: Judge) -> Rater:
    identity = judge.identity
    if isinstance(judge, RecordedJudge):
        dates = " to ".join(dict.fromkeys(judge.recorded))
        provenance = f"{judge.path.name}, {dates}: {judge.provenance}"
        return Rater(str(identity), identity.fingerprint, "recorded", provenance)
    return Rater(str(identity), identity.fingerprint, "live")


def _write(calibration: Calibration, arguments: argparse.Namespace) -> None:
    """The report goes to standard output, or to standard error where that holds JSON or Markdown."""
    taken = "-" in (arguments.json, arguments.markdown)
    if not arguments.quiet:
        from markscheme.report.terminal import print_calibration

        print_calibration(calibration, sys.stderr if taken else sys.stdout)
    if arguments.json:
        _put(dumps(calibration_json(calibration)) + "\n", arguments.json)
    if arguments.markdown:
        from markscheme.report.markdown import calibration_markdown

        _put(calibration_markdown(calibration), arguments.markdown)


def _put(text: str, target: str) -> None:
    """Write a file whole or not at all."""
    if target == "-":
        sys.stdout.write(text)
        return
    path = Path(target)
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror or error}") from error

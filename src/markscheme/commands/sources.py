"""Where a command finds a rubric's examples, and whom it asks.

Examples and reports bring numpy and scipy along, so they are imported by the functions that read them: grading needs
neither.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from markscheme.errors import UsageError
from markscheme.judges.asking import Asking
from markscheme.judges.judge import Judge
from markscheme.judges.limited import Limiter
from markscheme.judges.price import Price
from markscheme.judges.registry import choose_judge, model_for, open_judge
from markscheme.judges.remembering import Memory
from markscheme.prompt import Prompt
from markscheme.rubrics.rubric import STRATEGIES, Rubric
from markscheme.rubrics.search import find_calibration

if TYPE_CHECKING:
    from markscheme.ratings.examples import ExampleSet
    from markscheme.scorers import Scorer


def examples_of(rubric: Rubric, named: Path | None) -> tuple[Path, Path | None]:
    """The file of examples of a rubric, and its calibration folder if there is one.

    Raises:
        UsageError: There are no examples.
    """
    from markscheme.ratings.examples import examples_file

    folder = find_calibration(rubric.name, Path.cwd())
    if named is not None:
        if not named.is_file():
            raise UsageError(f"there is no file of examples {named}")
        return named, folder
    if folder is None:
        raise UsageError(
            f"there is no folder calibration/{rubric.name} here or above; make one with an examples.jsonl, "
            "or name a file of labelled examples with --examples"
        )
    return examples_file(folder), folder


def labelled_examples(rubric: Rubric, named: Path | None) -> tuple["ExampleSet", Path | None]:
    """The examples of a rubric, and its calibration folder if there is one, whose labels are those of its own set.

    Raises:
        UsageError: There are no examples.
        RatingError: They, or their labels, cannot be read.
    """
    from markscheme.ratings.examples import load_examples

    file, folder = examples_of(rubric, named)
    return load_examples(file, rubric, ratings=folder / "ratings" if folder and named is None else None), folder


def refuse_what_is_no_rubric(name: str) -> None:
    """Say of a file that calibrate reads or writes elsewhere what it is, and what to run instead.

    Raises:
        UsageError: It is a report, or lines of examples or ratings.
    """
    from markscheme.calibration.saved import report_in

    path = Path(name)
    if path.suffix == ".jsonl" and path.is_file():
        raise UsageError(
            f"{name} holds lines of JSON, and no rubric; examples go with --examples, ratings with --ratings: "
            f"markscheme calibrate RUBRIC --examples {name}"
        )
    rubric = report_in(path)
    if rubric is None:
        return
    if not rubric:
        raise UsageError(
            f"{name} is a report on several judges that `calibrate --json` wrote, and no rubric; to calibrate again, "
            "name the rubric: markscheme calibrate RUBRIC --judge A --judge B"
        )
    raise UsageError(
        f"{name} is a report that `calibrate --json` wrote, and no rubric; to calibrate again: "
        f"markscheme calibrate {rubric}; to hold it beside another: markscheme compare {name} OTHER.json"
    )


def ratings_file(path: Path) -> Path:
    """A file that may hold ratings.

    Raises:
        UsageError: There is none, or it is a report.
    """
    from markscheme.calibration.saved import report_in

    if not path.is_file():
        raise UsageError(f"there is no file of ratings {path}; a line of it is one rating, as `import` writes them")
    if report_in(path) is not None:
        raise UsageError(f"{path} is a report that `calibrate --json` wrote, and no ratings; `compare` reads reports")
    return path


def asking_of(arguments: argparse.Namespace) -> Asking:
    """What the judges of one command share, by its options."""
    return Asking(
        limiter=Limiter(concurrency=arguments.concurrency, budget=arguments.budget),
        price=Price.parse(arguments.price) if arguments.price else None,
        memory=None if arguments.no_cache else Memory(),
        expected=arguments.expected,
    )


def judge_of(name: str | None, rubric: Rubric, prompts: Sequence[Prompt], folder: Path | None, asking: Asking) -> Judge:
    """The judge that was named, or whoever can be asked."""
    if name is not None:
        return open_judge(name, model=model_for(rubric, name), asking=asking)
    return choose_judge(rubric, prompts, folder / "replies" if folder else None, asking=asking)


def as_asked(rubric: Rubric, arguments: argparse.Namespace) -> Rubric:
    """The rubric with the strategy and samples of the command line.

    Raises:
        UsageError: No such strategy.
    """
    if arguments.strategy is not None:
        if arguments.strategy not in STRATEGIES:
            raise UsageError(f"--strategy is one of {', '.join(STRATEGIES)}; found {arguments.strategy!r}")
        rubric = replace(rubric, strategy=arguments.strategy)
    return replace(rubric, samples=arguments.samples) if arguments.samples is not None else rubric


def scorers_of(arguments: argparse.Namespace, *rubrics: Rubric) -> dict[str, "Scorer"]:
    """The checks by code in the modules that were named, before anybody is asked.

    Raises:
        UsageError: A module cannot be had, or a criterion of the rubrics names a check that is in none of them.
    """
    checked = [criterion for rubric in rubrics for criterion in rubric.criteria if criterion.check is not None]
    if not checked and not arguments.scorers:
        return {}
    from markscheme.scorers import check_of, load_scorers

    scorers = load_scorers(*arguments.scorers)
    for criterion in checked:
        check_of(criterion, scorers)
    return scorers

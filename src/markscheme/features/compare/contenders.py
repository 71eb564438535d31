"""The contenders of `compare`: judges, and the raters in files of any format, on the same examples."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.comparison.measure import OF_DECISION, OF_SCORE
from markscheme.calibration.comparison.verdict import Decision
from markscheme.calibration.options import LabelOptions
from markscheme.calibration.results import Reported
from markscheme.errors import ComparisonError, UsageError, naming
from markscheme.features.compare.choice import Choice, Contender, choose
from markscheme.features.compare.known_files import has_format
from markscheme.features.compare.rubric_versions import names_rubric
from markscheme.grading.receipt import ACCEPTED
from markscheme.judges.kinds import judge_forms, kind_of
from markscheme.phrases import counted, in_words
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet, refuse_own_labels, without_own_labels
from markscheme.ratings.examples_choice import Part, part_of
from markscheme.ratings.gold import Gold, gold_of
from markscheme.ratings.rating import Rating
from markscheme.readers.calibrations import gold_between
from markscheme.readers.rated import RatedFile, RatedFiles
from markscheme.readers.reported import JudgeCost

if TYPE_CHECKING:
    from markscheme.readers.tabular.reading import TableReading


@dataclass(frozen=True, repr=False)
class Compared(Reported):
    """Comparison of several judges, which recommends one, with the ratings and labels that were compared.

    Attributes:
        choice: The differences, and the cheapest judge that is no worse.
        contenders: The judges with their ratings, under the names in the choice.
        truth: Gold; None without labels.
        examples: The examples that were compared.
        decision: What the judge to choose may decide, given all settings tried on the labels, those of this run
            included; None without labels by people, or if there is no best judge.
        table: The table whose columns the judges are; None if ratings are from other files.
    """

    choice: Choice
    contenders: tuple[Contender, ...]
    truth: Gold | None
    examples: Sequence[Example]
    decision: Decision | None = None
    table: "TableReading | None" = None

    def __repr__(self) -> str:
        names = ", ".join(contender.name for contender in self.contenders)
        return f"<Comparison of {names}: {self.choice.because}>"

    @property
    def best(self) -> str | None:
        """Name of the best judge by the labels; None without labels."""
        return self.choice.best

    @property
    def recommended(self) -> str | None:
        """Name of the cheapest judge that is no worse than the best; None if it can't be determined."""
        return self.choice.recommended

    @property
    def because(self) -> str:
        """The reason why this judge is recommended, or why none is, in a sentence."""
        return self.choice.because


def files_among(sides: Sequence[str]) -> list[Path]:
    """Return those arguments of `compare` that are files with ratings; every other argument has to name a judge.

    Raises:
        UsageError: An argument is neither a file nor a judge's name.

    Example:
        >>> files_among(["anthropic+openai:m", "local:judge.gguf"])
        []
    """
    files = [Path(side) for side in sides if has_format(Path(side))]
    for side in sides:
        if Path(side) not in files and kind_of(side) is None:
            if Path(side).name == ACCEPTED:
                ratings = "compare the ratings next to it, accepted-….jsonl"
                raise UsageError(f"{side} says what was accepted; {ratings}", path=side)
            if names_rubric(side):
                versions = f"compare two versions of it, as in {side}@HEAD~1 {side}"
                raise UsageError(f"{side} is a rubric: {versions}, or judges by it: A B --rubric {side}")
            problem = "contains neither ratings nor a calibration" if Path(side).exists() else "is not a file"
            raise UsageError(f"{side} {problem}, and does not name a judge: {judge_forms()}", path=side)
    return files


Ask = Callable[[str, ExampleSet], Contender]
"""Function that asks a judge, given by its name, about examples."""


def compare_sides(
    sides: Sequence[str],
    rated: RatedFiles,
    examples: ExampleSet | None,
    ask: Ask,
    *,
    rule: LabelOptions,
    split: Part | None,
    notes: Sequence[str],
    own_gold: bool,
) -> Compared:
    """Compare the judges and the files of ratings that `compare` is called with, on the same examples.

    Args:
        sides: The files, and the names of judges.
        rated: The contents of the files, and the rubric of all judges.
        examples: Examples with the labels to compare with; None if there are none.
        ask: Function that asks a judge.
        rule: Which labels count, what must agree, and the tolerance.
        split: The part of the files whose labels count.
        notes: Remarks on the comparison so far.
        own_gold: True to compare with the gold in the calibrations, if only calibrations are compared.

    Raises:
        UsageError: There are fewer than two contenders.
        ComparisonError: The judges and files have no example in common.
    """
    all_notes = [*notes, *rated.notes]
    calibrations = [file.calibration for file in rated.files if file.calibration is not None]
    are_files = {Path(side) for side in sides} <= {file.path for file in rated.files}
    if own_gold and calibrations and len(calibrations) == len(rated.files) and are_files:
        examples = None
    if examples is not None and examples.labels:
        rated = rated.placed_on(examples)
        for file in rated.files:
            refuse_own_labels(file.judged, examples.labels, rule.gold)
        raters = {*sides, *(name for file in rated.files for name in file.judged.raters)}
        examples, left_out = without_own_labels(examples, raters, rule.gold)
        if left_out:
            raise UsageError(
                f"the only labels are {in_words(left_out)}'s own, and a judge isn't compared with itself; leave it "
                f"out, or label by hand{examples.searched}"
            )
    rated = _shared(rated, all_notes, alone=are_files)
    truth = _gold(examples, rated, rule, split, all_notes)
    contenders = list(_contenders(sides, rated, lambda name: ask(name, _to_ask(examples, name))))
    if len(contenders) < 2:
        raise UsageError(
            f"a comparison needs two sides: {' and '.join(sides)} have only one rater, or name the same one twice",
            path=next((file.path for file in rated.files if not file.ratings), None),
        )
    names = distinct([contender.name for contender in contenders])
    named = [replace(contender, name=name) for contender, name in zip(contenders, names, strict=True)]
    with naming(*sides):
        choice = choose(rated.rubric, named, truth, of=rule.of, tolerance=rule.tolerance, notes=all_notes)
    return Compared(choice, tuple(named), truth, (examples or rated.labelled).examples)


def _contenders(sides: Sequence[str], rated: RatedFiles, ask: Callable[[str], Contender]) -> Iterator[Contender]:
    """Yield each judge, and each rater of each file, in the order in which `compare` is called with them.

    Args:
        sides: The judges' names and the paths of files.
        rated: The contents of the files.
        ask: Function that asks a judge by its name.
    """
    by_path: dict[Path, list[RatedFile]] = {}
    for file in rated.files:
        by_path.setdefault(file.path, []).append(file)
    paths = set(by_path)
    for side in sides:
        if Path(side) in paths:
            for file in by_path.pop(Path(side), ()):
                yield from _raters(file)
        else:
            yield ask(side)


def _raters(file: RatedFile) -> Iterator[Contender]:
    """Yield a contender for each rater in a file; a judge without a name gets the file's."""
    by_rater: dict[str, list[Rating]] = {}
    for rating in file.judged:
        by_rater.setdefault(rating.rater, []).append(rating)
    asking = file.judge_cost if len(by_rater) == 1 else JudgeCost()
    for rater, ratings in by_rater.items():
        name = rater if file.names_judges else file.path.stem
        identity = rater if file.calibration is None else None
        yield Contender(name, tuple(ratings), asking.usage, asking.from_cache, asking.submissions, identity=identity)


def _shared(rated: RatedFiles, notes: list[str], *, alone: bool) -> RatedFiles:
    """Leave out ids whose responses differ between files and, if only files are compared, ids that some file lacks.

    Args:
        rated: The contents of the files.
        notes: A list to which a sentence on what is left out is added.
        alone: True if only files are compared.

    Raises:
        ComparisonError: The files have no response in common.
    """
    differing = _other_responses(rated.files)
    if differing:
        notes.append(f"{counted(len(differing), 'example')} excluded: the same id has different responses")
        rated = replace(rated, files=tuple(_without(file, differing) for file in rated.files))
    if not alone or not all(file.has_responses for file in rated.files):
        return rated
    ids = [{example.id for example in file.examples} for file in rated.files]
    common = set.intersection(*ids)
    if not common:
        raise ComparisonError(
            f"{' and '.join(str(file.path) for file in rated.files)} have no output in common: a comparison of graders "
            "needs the same responses to the same vars"
        )
    names = distinct([file.path.stem for file in rated.files])
    for name, in_file in zip(names, ids, strict=True):
        if in_file - common:
            notes.append(f"{counted(len(in_file - common), 'output')} of {name} not in every file")
    return replace(
        rated, files=tuple(_without(file, in_file - common) for file, in_file in zip(rated.files, ids, strict=True))
    )


def _without(file: RatedFile, ids: Collection[str]) -> RatedFile:
    """Return the content of a file except for the examples with these ids and their ratings."""
    ratings = RatingCodes.of(file.ratings)
    return replace(
        file,
        examples=tuple(example for example in file.examples if example.id not in ids),
        ratings=ratings.of_ids(set(ratings.ids).difference(ids)),
    )


def _other_responses(files: Sequence[RatedFile]) -> set[str]:
    """Return the ids under which two of the given calibrations have different responses."""
    seen: dict[str, str] = {}
    written = [file.calibration.responses for file in files if file.calibration is not None]
    every = (of_example for responses in written for of_example in responses.items())
    return {unit for unit, digest in every if seen.setdefault(unit, digest) != digest}


def _gold(
    examples: ExampleSet | None, rated: RatedFiles, rule: LabelOptions, split: Part | None, notes: list[str]
) -> Gold | None:
    """Return gold from the examples' labels, else from the labels in files of ratings, else from calibrations' JSON.

    Args:
        examples: The examples; None if they aren't known.
        rated: The files.
        rule: The user's options on how labels become gold.
        split: The part that counts, dev or test, of the labels in files of ratings; None for both.
        notes: A list to which a note is added if calibrations differ in gold.

    Returns:
        The gold; None if there are no labels.
    """
    if examples is not None and examples.labels:
        return gold_of(examples, rated.rubric, kind=rule.gold, by=rule.gold_by)
    if rated.labelled.labels:
        return gold_of(part_of(rated.labelled, split), rated.rubric, kind=rule.gold, by=rule.gold_by)
    calibrations = [file.calibration for file in rated.files if file.calibration is not None]
    if not calibrations:
        return None
    truth, differing = gold_between(calibrations, rated.rubric)
    if differing:
        notes.append(
            f"the labels of {counted(differing, 'example')} differ between two files; the file named last counts"
        )
    return truth


def _to_ask(examples: ExampleSet | None, name: str) -> ExampleSet:
    """Return the examples to ask a judge about: the labelled ones, or all if none are labelled."""
    if examples is None or not examples.examples:
        raise UsageError(f"there are no examples to ask {name} about; name a file of them with --examples")
    return examples.labelled if examples.labels else examples


# --- several judges in one calibration ------------------------------------------------------------------------------


def compare_calibrations(
    calibrations: Sequence[Calibration], *, of: str | None = None, tolerance: float | None = None
) -> Compared:
    """Compare the judges of several calibrations of the same labelled examples.

    Args:
        calibrations: Two calibrations or more, first that of the judge in use; the labels of this first calibration are
            the gold.
        of: Measure that must agree: "score", "decision", or a criterion's name; None for the decision if there are
            decisions, else the measure of the first calibration.
        tolerance: Distance from gold below which a score agrees; None means the rubric's.

    Raises:
        ComparisonError: The judges graded no example in common.
    """
    first = calibrations[0]
    names = distinct([calibration.rater.name for calibration in calibrations])
    contenders = tuple(
        Contender(
            name,
            calibration.judge_ratings,
            calibration.cost,
            calibration.counts.from_cache,
            len({rating.id for rating in calibration.judge_ratings}),
        )
        for calibration, name in zip(calibrations, names, strict=True)
    )
    truth = first.comparison.gold
    if tolerance is None:
        tolerance = first.comparison.tolerance
    by_calibration = first.comparison.measure
    is_usual = by_calibration.name in (OF_SCORE, OF_DECISION)
    measured = of if of is not None else None if is_usual else by_calibration.of
    choice = choose(first.rubric, contenders, truth, of=measured, tolerance=tolerance)
    return Compared(choice, contenders, truth, truth.examples, table=first.rater.table)


def chosen(calibrations: Sequence[Calibration], choice: Choice) -> Calibration:
    """Return the calibration of the recommended judge, else of the best one, else the first calibration."""
    name = choice.recommended or choice.best
    names = [standing.name for standing in choice.standings]
    return calibrations[names.index(name) if name is not None else 0]


def distinct(names: Sequence[str]) -> list[str]:
    """Make names distinct by numbering those that occur several times.

    Example:
        >>> distinct(["a", "b", "a"])
        ['a (1)', 'b', 'a (2)']
    """
    times = Counter(names)
    seen = Counter[str]()
    numbered = []
    for name in names:
        seen[name] += 1
        numbered.append(f"{name} ({seen[name]})" if times[name] > 1 else name)
    return numbered

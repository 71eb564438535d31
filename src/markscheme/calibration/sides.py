"""The contenders of `compare`: ratings, calibrations, judges or Promptfoo's results, on the same examples."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markscheme.calibration.calibration import Calibration, Options
from markscheme.calibration.choice import Choice, Contender, choose
from markscheme.calibration.exports import results_in
from markscheme.calibration.saved import ReadBack, gold_between, is_calibration, read_calibration
from markscheme.errors import ComparisonError, MarkschemeError, UsageError
from markscheme.judges.judge import total
from markscheme.judges.kinds import judge_forms, kind_of
from markscheme.promptfoo.results import Row, aligned
from markscheme.ratings.examples import Example, ExampleSet
from markscheme.ratings.gold import Gold, gold_of
from markscheme.ratings.rating import Rating, load_ratings
from markscheme.ratings.sources import Part, part_of
from markscheme.readers.infer_rubric import infer_rubric
from markscheme.readers.promptfoo import graders_ratings, labelled_rows, rubric_of, scored_ids
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_rubric
from markscheme.submission import Submission

INFERRED = "No rubric is given: scales are inferred from the ratings, weights are equal, and the pass mark is 0.5."


@dataclass(frozen=True)
class Compared:
    """A choice, and what it is based on."""

    choice: Choice
    contenders: tuple[Contender, ...]
    truth: Gold | None
    examples: tuple[Example, ...]


# --- Promptfoo's results --------------------------------------------------------------------------------------------


def compare_results(paths: Sequence[Path], *, split: Part | None, rule: Options) -> Compared:
    """The graders of several files of results, compared on the outputs that are in all of them.

    Raises:
        ComparisonError: No output is in all of them.
    """
    first, *others = results_in(paths)
    files = [first, *(aligned(first, other) for other in others)]
    shared = set.intersection(*({row.key for row in results.rows} for results in files))
    if not shared:
        raise ComparisonError(
            f"{' and '.join(map(str, paths))} have no output in common: a comparison of graders needs the same "
            "responses to the same vars"
        )
    rows = [[row for row in results.rows if row.key in shared] for results in files]
    rubric = rubric_of(files)
    every: list[Row] = [row for part in rows for row in part]
    truth, examples = None, ExampleSet(tuple(Example(Submission(row.response, row.inputs, row.id)) for row in every))
    if any(row.is_labelled for row in every):
        examples = part_of(labelled_rows(every, rubric), split)
        truth = gold_of(examples, rubric, kind=rule.gold, by=rule.gold_by)
    by_score = scored_ids(every) if truth is not None else {row.id for row in every}
    names = distinct([path.stem for path in paths])
    contenders = [
        Contender(
            name,
            tuple(graders_ratings(part, name, rubric, by_score=by_score)),
            total(row.usage for row in part),
            asked=len(part),
        )
        for name, part in zip(names, rows, strict=True)
    ]
    left_out = {name: len(found.rows) - len(part) for name, found, part in zip(names, files, rows, strict=True)}
    notes = [f"{count} outputs of {name} are not in every file" for name, count in left_out.items() if count]
    choice = choose(rubric, contenders, truth, tolerance=rule.tolerance, notes=notes)
    return Compared(choice, tuple(contenders), truth, examples.examples)


# --- ratings, calibrations, judges ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sides:
    """The arguments by kind, each with its position."""

    ratings: dict[int, Path]
    read_back: dict[int, ReadBack]
    judges: dict[int, str]

    @classmethod
    def of(cls, names: Sequence[str]) -> "Sides":
        """The sides of these names.

        Raises:
            UsageError: A name is neither a file of ratings, nor a calibration, nor a judge.
        """
        sides = cls({}, {}, {})
        for place, name in enumerate(names):
            path = Path(name)
            if path.suffix == ".jsonl" and path.is_file():
                sides.ratings[place] = path
            elif is_calibration(path):
                sides.read_back[place] = read_calibration(path)
            elif kind_of(name) is not None:
                sides.judges[place] = name
            else:
                what = "contains neither ratings nor a calibration" if path.exists() else "is not a file"
                raise UsageError(f"{name} {what}, and does not name a judge: {judge_forms()}")
        return sides

    @property
    def rubric(self) -> tuple[Rubric, list[str]]:
        """The rubric of the ratings' folder, else of the calibrations, else one inferred from the ratings.

        Raises:
            UsageError: There are judges, or ratings together with calibrations, which need a rubric's words or weights.
            ComparisonError: The calibrations have no criterion in common.
        """
        if self.judges:
            raise UsageError("to ask judges, name the rubric with --rubric")
        of_folders = {name for path in self.ratings.values() if (name := _folder_rubric(path)) is not None}
        if len(of_folders) == 1:
            return load_rubric(find_rubric(of_folders.pop())), []
        if self.read_back:
            return self._rubric_read_back(), []
        return infer_rubric(list(self.ratings.values())), [INFERRED]

    def _rubric_read_back(self) -> Rubric:
        """The rubric of the calibrations, if it is still here unchanged; else the criteria they have in common."""
        read_back = list(self.read_back.values())
        try:
            rubric = load_rubric(find_rubric(read_back[0].rubric.name))
        except MarkschemeError:
            rubric = None
        if rubric is not None and {one.fingerprint for one in read_back} == {rubric.fingerprint}:
            return rubric
        if self.ratings:
            raise UsageError("a calibration does not contain its criteria's weights: name its rubric with --rubric")
        return _common_rubric(read_back)


Ask = Callable[[str, ExampleSet], Contender]
"""Asks the judge of that name about examples."""


def compare_sides(
    sides: Sides,
    rubric: Rubric,
    examples: ExampleSet | None,
    ask: Ask,
    *,
    rule: Options,
    notes: Sequence[str],
    own_gold: bool,
) -> Compared:
    """The sides as contenders, compared on the same examples.

    Args:
        sides: What is compared.
        rubric: Their rubric.
        examples: With the labels to compare with; None where there are none.
        ask: Asks a judge.
        rule: Which labels count, and the tolerance.
        notes: Notes so far.
        own_gold: True compares with the gold in the calibrations, if there are no other sides.

    Raises:
        UsageError: There are fewer than two contenders.
        ComparisonError: They have no example in common.
    """
    said = list(notes)
    as_read_back = own_gold and bool(sides.read_back) and not (sides.ratings or sides.judges)
    truth = _gold(None if as_read_back else examples, rubric, sides, rule, said)
    other = _other_responses(list(sides.read_back.values()))
    if other:
        said.append(f"{len(other)} examples are excluded: the same id has different responses")
    found = {place: _raters(load_ratings(path, rubric)) for place, path in sides.ratings.items()}
    found |= {place: [_contender(read_back, rubric, other)] for place, read_back in sides.read_back.items()}
    found |= {place: [ask(name, _to_ask(examples, name))] for place, name in sides.judges.items()}
    contenders = [contender for place in sorted(found) for contender in found[place]]
    if len(contenders) < 2:
        raise UsageError("a comparison needs two sides: the same rater was named twice, or only one")
    names = distinct([one.name for one in contenders])
    named = [replace(one, name=name) for one, name in zip(contenders, names, strict=True)]
    choice = choose(rubric, named, truth, tolerance=rule.tolerance, notes=said)
    return Compared(choice, tuple(named), truth, examples.examples if examples else ())


def _folder_rubric(path: Path) -> str | None:
    """The rubric whose name is in calibration/<rubric>/ratings/<rater>.jsonl."""
    parents = path.resolve().parents
    if len(parents) > 2 and parents[0].name == "ratings" and parents[2].name == "calibration":
        return parents[1].name
    return None


def _common_rubric(read_back: Sequence[ReadBack]) -> Rubric:
    """The criteria that all calibrations rate on the same scale."""
    first, *others = read_back
    scales = [{c.name: c.scale for c in one.rubric.criteria} for one in others]
    kept = tuple(c for c in first.rubric.criteria if all(other.get(c.name) == c.scale for other in scales))
    if not kept:
        raise ComparisonError(f"{' and '.join(str(one.path) for one in read_back)} rate no criterion on the same scale")
    return replace(first.rubric, criteria=kept)


def _gold(examples: ExampleSet | None, rubric: Rubric, sides: Sides, rule: Options, notes: list[str]) -> Gold | None:
    if examples is not None and examples.labels:
        return gold_of(examples, rubric, kind=rule.gold, by=rule.gold_by)
    if not sides.read_back:
        return None
    truth, differing = gold_between(list(sides.read_back.values()), rubric)
    if differing:
        notes.append(f"{differing} examples have different labels in two files; the file named last counts")
    return truth


def _raters(ratings: Sequence[Rating]) -> list[Contender]:
    by_rater: dict[str, list[Rating]] = {}
    for rating in ratings:
        by_rater.setdefault(rating.rater, []).append(rating)
    return [Contender(name, tuple(theirs)) for name, theirs in by_rater.items()]


def _contender(read_back: ReadBack, rubric: Rubric, excluded: Collection[str]) -> Contender:
    known = {criterion.name for criterion in rubric.criteria}
    ratings = tuple(
        replace(rating, criteria={name: said for name, said in rating.criteria.items() if name in known})
        for rating in read_back.ratings
        if rating.id not in excluded
    )
    return Contender(read_back.judge, ratings, read_back.cost, read_back.kept, len(read_back.ratings))


def _other_responses(read_back: Sequence[ReadBack]) -> set[str]:
    """Ids of examples whose responses differ between the calibrations."""
    seen: dict[str, str] = {}
    every = (item for one in read_back for item in one.responses.items())
    return {unit for unit, digest in every if seen.setdefault(unit, digest) != digest}


def _to_ask(examples: ExampleSet | None, name: str) -> ExampleSet:
    """The labelled examples, else all."""
    if examples is None or not examples.examples:
        raise UsageError(f"there are no examples to ask {name} about; name a file of them with --examples")
    return examples.labelled if examples.labels else examples


# --- several judges in one calibration ------------------------------------------------------------------------------


def choice_between(calibrations: Sequence[Calibration]) -> Choice:
    """Compare the judges of several calibrations of the same set.

    Raises:
        ComparisonError: They graded no example in common.
    """
    first = calibrations[0]
    names = distinct([calibration.rater.name for calibration in calibrations])
    contenders = [
        Contender(name, one.ratings, one.cost, one.counts.from_cache, len({rating.id for rating in one.ratings}))
        for one, name in zip(calibrations, names, strict=True)
    ]
    return choose(first.rubric, contenders, first.comparison.gold, tolerance=first.comparison.tolerance)


def chosen(calibrations: Sequence[Calibration], choice: Choice) -> Calibration:
    """The calibration of the recommended judge, else of the best, else the first."""
    name = choice.recommended or choice.best
    names = [standing.name for standing in choice.standings]
    return calibrations[names.index(name) if name is not None else 0]


def distinct(names: Sequence[str]) -> list[str]:
    """The names, numbered where two are equal.

    Example:
        >>> distinct(["a", "b", "a"])
        ['a (1)', 'b', 'a (2)']
    """
    times, seen = Counter(names), Counter[str]()
    found = []
    for name in names:
        seen[name] += 1
        found.append(f"{name} ({seen[name]})" if times[name] > 1 else name)
    return found

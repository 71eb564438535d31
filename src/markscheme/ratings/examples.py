"""Example sets: labelled submissions read from any supported file, with warnings of suspicious examples."""

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, compress, pairwise
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError, RatingWarning, UsageError
from markscheme.phrases import few_of
from markscheme.prompts.submission import Submission, refuse_frame
from markscheme.ratings.codes import RatingCodes, load_ratings
from markscheme.ratings.example_reading import examples_in_rows, read_examples
from markscheme.ratings.example_rows import Example, ExampleRows, label_counts, labels_of, taken, values_of
from markscheme.ratings.kinds import JUDGES, PEOPLE, Kind
from markscheme.ratings.rating import Rating, is_asked, is_stale
from markscheme.ratings.wordings import reworded_in, without_known_words
from markscheme.rubrics.rubric import Rubric

RATINGS_FOLDER = "ratings"
"""Name of the folder, next to the examples, with a file of ratings for each rater."""
RATES_FOLDER = "rates"
"""Name of the folder, next to the examples, with a folder for each stream of responses that is watched."""
AUDITS_FILE = "audits.jsonl"
"""Name of the file, in a stream's folder, with the responses that were drawn at random for people to label."""
LEAKING = 40
"""Number of characters from which on a passage that a response shares with an anchor gives its level away; shorter
passages may be shared by chance."""
SUFFIXES = (".jsonl", ".json", ".yaml", ".yml", ".csv")


def _where(examples: Sequence[Example], says: Iterable[object]) -> Sequence[Example]:
    """Return the examples that have a true flag; there is a flag for each example, in order."""
    return taken(examples, [index for index, is_said in enumerate(says) if is_said])


@dataclass(frozen=True)
class ExampleSet:
    """Examples of one rubric with unique ids, in the order of their file.

    Attributes:
        examples: The examples.
        path: The file that the examples came from; None without one.
        stale: Number of labels given with another wording of the rubric.
        ratings: The folder that was searched for more labels; None without one.
    """

    examples: Sequence[Example]
    path: Path | None = None
    stale: int = 0
    ratings: Path | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the set's examples, in the set's order."""
        return tuple(values_of(self.examples, "id"))

    @cached_property
    def labels(self) -> RatingCodes:
        """Labels of all examples of the set."""
        return labels_of(self.examples)

    @property
    def by_people(self) -> int:
        """Number of examples that people have labelled."""
        return len(set(self.labels.of_kinds(PEOPLE).ids))

    @property
    def n_unlabelled(self) -> int:
        """Number of examples without a label; a judge's ratings don't count as labels."""
        return len(self.examples) - len(set(self.labels.where(lambda header: header.kind not in JUDGES).ids))

    @property
    def has_splits(self) -> bool:
        """True if any example belongs to a dev or test split."""
        return any(values_of(self.examples, "split"))

    @property
    def labelled(self) -> "ExampleSet":
        """The examples that have a label."""
        return replace(self, examples=_where(self.examples, label_counts(self.examples)))

    @property
    def searched(self) -> str:
        """The files in which labels were looked for, as the end of a message; "" for examples without a file."""
        places = [str(self.path)] if self.path is not None else []
        places += [str(self.ratings / "*.jsonl")] if self.ratings is not None else []
        return f"; searched {' and '.join(places)}" if places else ""

    def with_labels(self, labels: Iterable[Rating]) -> "ExampleSet":
        """Return the set with more labels, each added to the example whose id it names."""
        before = len(self.labels)
        every = self.labels.joined(labels)
        more: dict[str, list[int]] = {}
        for index in range(before, len(every)):
            more.setdefault(every.ids[index], []).append(index)
        indices = ((*range(*span), *more.get(unit, ())) for unit, span in self._spans)
        return replace(self, examples=ExampleRows.of(self.examples).labelled_again(every, indices))

    def after_rewording(self, reworded: Set[str]) -> "ExampleSet":
        """Return the set; labels on reworded criteria are marked as given under an unknown wording.

        A label that records its wording isn't changed.

        Args:
            reworded: Names of the reworded criteria.
        """
        if not reworded or not self.labels:
            return self
        marked = RatingCodes.of(without_known_words(label, reworded) for label in self.labels)
        indices = (range(*span) for _, span in self._spans)
        return replace(self, examples=ExampleRows.of(self.examples).labelled_again(marked, indices))

    def labelled_where(self, counts: Callable[[Rating], bool]) -> "ExampleSet":
        """Return the whole set, with only those labels for which `counts` returns True."""
        is_kept = list(map(counts, self.labels))
        indices = (compress(range(*span), is_kept[slice(*span)]) for _, span in self._spans)
        return replace(self, examples=ExampleRows.of(self.examples).labelled_again(self.labels, indices))

    @property
    def _spans(self) -> Iterator[tuple[str, tuple[int, int]]]:
        """For each example, its id and the range of its labels' indices in the list of all labels."""
        return zip(self.ids, pairwise(accumulate(label_counts(self.examples), initial=0)), strict=True)

    def where(self, **values: str) -> "ExampleSet":
        """Return the set of the examples whose attributes, such as `system`, have these values."""
        columns = [[str(cell) == value for cell in values_of(self.examples, key)] for key, value in values.items()]
        return replace(self, examples=_where(self.examples, map(all, zip(*columns, strict=True)))) if values else self

    def part(self, split: str | None) -> "ExampleSet":
        """Return the examples of a split, "dev" or "test"; None means dev if the set has splits.

        For "all", and for None if the set has no splits, all examples are returned.
        """
        if split == "all" or (split is None and not self.has_splits):
            return self
        splits = values_of(self.examples, "split")
        return replace(self, examples=_where(self.examples, ((of or "dev") == (split or "dev") for of in splits)))


def examples_file(folder: Path) -> Path:
    """Return the only file of examples in a calibration folder.

    Raises:
        RatingError: The folder has no file of examples, or more than one.
    """
    files = examples_files(folder)
    if len(files) != 1:
        names = ", ".join(file.name for file in files)
        none = "holds no examples.jsonl; `markscheme label RUBRIC --pool FILE` adds what is labelled"
        raise RatingError(f"holds several files of examples: {names}; keep one" if files else none, path=folder)
    return files[0]


def examples_files(folder: Path) -> list[Path]:
    """Return the files of examples in a calibration folder, in any supported format."""
    return [folder / f"examples{suffix}" for suffix in SUFFIXES if (folder / f"examples{suffix}").is_file()]


def load_examples(
    path: Path, rubric: Rubric, *, ratings: Path | None = None, with_fingerprints: bool = False
) -> ExampleSet:
    """Read the examples in a file, with their labels.

    Args:
        path: A .jsonl, .json, .yaml or .csv file, in the long form or the short one.
        rubric: The rubric, whose criteria and scales decide which labels are valid.
        ratings: A folder whose .jsonl files have more labels.
        with_fingerprints: True for a report that shows the responses' fingerprints, to compute them right away.

    Raises:
        RatingError: The files are invalid; the error lists all faults, each with its line.

    Warns:
        RatingWarning: A response has two ids, a response or a passage of it is one of the rubric's anchors, labels were
            given under another wording, or ratings are of unknown examples.
    """
    rows, digests = read_examples(path, rubric, with_fingerprints=with_fingerprints)
    read = ExampleSet(rows)
    files = sorted(ratings.glob("*.jsonl")) if ratings is not None and ratings.is_dir() else ()
    more = RatingCodes().joined(*(load_ratings(file, rubric, kind="human") for file in files))
    warn_unknown(more.ids, read.ids, ratings)
    labelled = read.with_labels(more) if more else read
    labelled = labelled.after_rewording(reworded_in(path.parent, rubric.criteria))
    _warn_twice(labelled.examples, digests, path)
    labelled = _without_leaks(labelled, rubric, path)
    return ExampleSet(labelled.examples, path, _warn_stale(labelled.examples, rubric, path), ratings)


def load_responses(path: Path, rubric: Rubric) -> ExampleSet:
    """Read the examples in a file without their labels, which may belong to any rubric.

    Args:
        path: A .jsonl, .json, .yaml or .csv file of examples.
        rubric: The rubric, which says whether the examples are pairs.

    Raises:
        RatingError: The file is invalid, labels aside; the error lists all faults, each with its line.
    """
    return ExampleSet(read_examples(path, rubric, with_labels=False)[0], path)


def examples_from(rows: Iterable[Example | Mapping[str, Any]], rubric: Rubric) -> ExampleSet:
    """Read examples from objects in memory, with their labels.

    Args:
        rows: Examples, or objects in the form of lines of a file of examples.
        rubric: The rubric, whose criteria and scales decide which labels are valid.

    Raises:
        RatingError: Examples are invalid; the error lists all faults, each with the example's position from 1.
        UsageError: A data frame was passed instead of its rows.

    Warns:
        RatingWarning: A response has two ids, a response or a passage of it is one of the rubric's anchors, labels were
            given under another wording, or ratings are of unknown examples.
    """
    refuse_frame(rows)
    example_rows, digests = examples_in_rows(rows, rubric)
    read = ExampleSet(example_rows)
    _warn_twice(read.examples, digests, None)
    examples = _without_leaks(read, rubric, None).examples
    return ExampleSet(examples, None, _warn_stale(examples, rubric, None))


def draws_of(examples: Sequence[Example]) -> list[str]:
    """Return how each example was selected: "random", or "drawn", with the draw's id if that is recorded.

    Example:
        >>> chosen = Example(Submission("x", {}, "a"), weight=2.5, draw="3f9a1c22")
        >>> draws_of([chosen, replace(chosen, draw=""), Example(Submission("y", {}, "b"))])
        ['drawn 3f9a1c22', 'drawn', 'random']
    """
    named = zip(values_of(examples, "draw"), values_of(examples, "has_chance"), strict=True)
    return [f"drawn {draw}".rstrip() if has_chance else "random" for draw, has_chance in named]


def warn_unknown(rated: Iterable[str], ids: Iterable[str], path: Path | None) -> None:
    """Warn of ratings that are ignored, since no example has their id.

    Args:
        rated: The ids of the ratings.
        ids: The ids of the examples.
        path: The file of the ratings, for the warning; None if there is none.
    """
    unknown = set(rated).difference(ids)
    if unknown:
        belong = "rating belongs" if len(unknown) == 1 else "ratings belong"
        ignored = f"{len(unknown)} {belong} to no labelled example and {'is' if len(unknown) == 1 else 'are'} ignored"
        warn(f"{ignored}: {few_of(sorted(unknown))}", path)


def refuse_own_labels(ratings: RatingCodes, labels: RatingCodes, kind: Kind | None) -> None:
    """Raise an error if an annotator's ratings would be compared with labels that this annotator gave.

    Args:
        ratings: The ratings.
        labels: The labels.
        kind: The only kind of labels that counts; None if all kinds do.

    Raises:
        UsageError: An annotator gave ratings and labels to the same example.
    """
    raters = ratings.of_kinds(PEOPLE).by_rater()
    labels = labels if kind is None else labels.of_kinds((kind,))
    if both := [name for name, of in raters.items() if not set(of.ids).isdisjoint(labels.of_rater(name).ids)]:
        raise UsageError(f"the labels to compare with are by {', '.join(both)} too; a judge's ratings are compared")


def without_own_labels(
    examples: ExampleSet, judges: Collection[str], kind: Kind | None
) -> tuple[ExampleSet, list[str]]:
    """Leave out labels that judges gave, so that no judge is compared with its own labels.

    Args:
        examples: The examples with all labels.
        judges: Names of the judges.
        kind: The only kind of labels that counts; None for people's, else others.

    Returns:
        The examples, and the judges to leave out of the comparison: those that gave labels, if nobody else did.
    """
    labels = examples.labels.of_kinds(("constructed", *JUDGES) if kind is None else (kind,))
    own_labels = labels.where(lambda label: label.kind in JUDGES and label.rater in judges)
    if not own_labels or (kind is None and examples.by_people):
        return examples, []
    if len(own_labels) == len(labels):
        return examples, own_labels.raters
    return examples.labelled_where(lambda label: label.kind not in JUDGES or label.rater not in judges), []


def _warn_twice(examples: Sequence[Example], digests: Collection[int | None], path: Path | None) -> None:
    first: dict[int, int] = {}
    twice: list[tuple[Example, Example]] = []
    if len(set(digests)) == len(examples):
        return
    for index, digest in enumerate(digests):
        if digest is None or (earlier := first.setdefault(digest, index)) == index:
            continue  # a table of labels alone has no responses
        if _are_same(examples[index].submission, examples[earlier].submission):
            twice.append((examples[index], examples[earlier]))
    if twice:
        (again, before), *later = twice
        more = [example.id for example, _ in later]
        others = f"; so do {len(more)} more, each with one above: {few_of(more)}" if more else ""
        warn(f"{again.id!r} and {before.id!r} hold the same response; it counts twice{others}", path, again.line)


def _are_same(a: Submission, b: Submission) -> bool:
    return a.responses == b.responses and a.inputs == b.inputs


def anchors_in(rubric: Rubric) -> list[str]:
    """Return the sample responses that a rubric shows the judge, such as good and bad examples."""
    texts = [text for c in rubric.criteria for text in (c.good, c.bad, *(level.example for level in c.scale.levels))]
    return [text for text in texts if text]


def _without_leaks(read: ExampleSet, rubric: Rubric, path: Path | None) -> ExampleSet:
    """Remove the labels of examples that give away an anchor of the rubric, in whole or in part; warn of each.

    The judge reads the sample responses (anchors) with their levels. So it knows the right level of such an example,
    and the example counts in no figure.
    """
    anchors = [_squeezed(text) for text in anchors_in(rubric)]
    passages = [anchor for anchor, text in zip(anchors, anchors_in(rubric), strict=True) if len(text) >= LEAKING]
    leaked: set[str] = set()
    for index, responses in enumerate(values_of(read.examples, "responses") if anchors else ()):
        texts = [_squeezed(text) for text in responses]
        is_whole = any(text in anchors for text in texts)
        if is_whole or any(passage in text for passage in passages for text in texts):
            example = read.examples[index]
            lent = "the response" if is_whole else "a passage"
            consequence = "; its labels count in no figure" if example.labels else ""
            warn(f"{lent} of {example.id!r} is in the rubric's own anchors (leak){consequence}", path, example.line)
            leaked.add(example.id)
    return read.labelled_where(lambda label: label.id not in leaked) if leaked else read


def stale_labels(examples: Sequence[Example], rubric: Rubric) -> Iterator[tuple[int, Rating, str]]:
    """Yield each label of a criterion that was given under another wording, as example index, label and criterion."""
    if not has_stale(labels_of(examples), rubric):
        return
    current = {criterion.name: criterion for criterion in rubric.criteria}
    for index, example in enumerate(examples):
        for label in example.labels:
            for name in label.criteria:
                if is_stale(label, current[name], rubric):
                    yield index, label, name


def has_stale(labels: RatingCodes, rubric: Rubric) -> bool:
    """Return True if any label may have been given under another wording of the rubric."""
    if not all(is_asked(header.under, rubric) for header in labels.headers):
        return True
    criteria = {criterion.name: criterion for criterion in rubric.criteria}
    return any(
        answer.under and not (name in criteria and criteria[name].is_worded(answer.under))
        for name in labels.names
        for answer in labels.answers_on(name)
    )


def _warn_stale(examples: Sequence[Example], rubric: Rubric, path: Path | None) -> int:
    """Count all labels given under another wording of their criterion; warn of those that aren't people's."""
    stale = [label for _, label, _ in stale_labels(examples, rubric)]
    others = sum(label.kind not in PEOPLE for label in stale)
    if others:
        warn(f"{others} labels were given under another wording of the rubric (stale)", path)
    return len(stale)


def _squeezed(text: str) -> str:
    return "".join(text.split())


def warn(problem: str, path: Path | None, line: int | None = None) -> None:
    """Issue a RatingWarning about a file, which points to the line that called the caller of this function.

    Args:
        problem: What is wrong.
        path: The file; None if there is none.
        line: Number of the line in the file; None for the whole file.
    """
    warnings.warn(str(RatingError(problem, path=path, line=line)), RatingWarning, stacklevel=3)

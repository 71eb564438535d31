"""Labels given before a criterion was reworded: which to give again, and whether the remaining ones still count."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from markscheme.grading.score import ROUNDING
from markscheme.phrases import counted, in_words
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet, has_stale
from markscheme.ratings.gold import Gold, gold_of
from markscheme.ratings.kinds import PEOPLE
from markscheme.ratings.rating import Rated, Rating, is_asked, is_stale
from markscheme.ratings.splits import in_drawn_order
from markscheme.ratings.wordings import NOT_KNOWN, same_meaning
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.relabelling import FEWEST_RELABELLED, CheckState, old_counted, relabelling_state

PART_RELABELLED = 3
"""Of the examples with labels under an old wording, 1 in this many is labelled again first, to show whether the labels
of the other two thirds still count."""


@dataclass(frozen=True)
class CarriedLabels:
    """People's labels of a set of examples, some of them given before a criterion was reworded.

    Attributes:
        rubric: The rubric with its current words.
        examples: The set of examples; where labels were given again, `Rating.superseded` has the earlier ones.
        affected: Examples with a label under old words, whether it was given again or not, in the order in which they
            were drawn.
        same_meaning: Digests, by criterion, of old words whose author says that their meaning is that of the current
            ones; labels under these words stay in trends, whatever relabelling shows.
    """

    rubric: Rubric
    examples: ExampleSet
    affected: tuple[str, ...]
    same_meaning: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def reworded(self) -> tuple[str, ...]:
        """The criteria that have labels given under an earlier wording, in the rubric's order."""
        names = {name for label in self._labels for name in _under_old_words(label, self.rubric)}
        return tuple(criterion.name for criterion in self.rubric.criteria if criterion.name in names)

    @cached_property
    def check(self) -> tuple[str, ...]:
        """Ids of the examples to label again, to see if labels change.

        These are a random third of the examples with old labels, but at least 20 of them.
        """
        return self.affected[: max(FEWEST_RELABELLED, math.ceil(len(self.affected) / PART_RELABELLED))]

    @cached_property
    def old(self) -> tuple[str, ...]:
        """Ids of the examples on which a criterion has only labels under an earlier wording, in random order."""
        fresh = self._fresh_ids
        return tuple(unit for unit in self.affected if unit not in fresh)

    @cached_property
    def relabelled(self) -> tuple[str, ...]:
        """Ids of the examples that were to be labelled again (`check`) and have been labelled again."""
        return tuple(unit for unit in self.check if unit in self._fresh_ids)

    @cached_property
    def differ(self) -> tuple[str, ...]:
        """Ids of relabelled examples whose decision changed, or whose score moved by the tolerance or more."""
        if not self.relabelled:
            return ()
        wanted = set(self.relabelled)
        again = [example for example in self.examples.examples if example.id in wanted]
        wordings = [_under_both(example, self.rubric) for example in again]
        before = _gold(again, [then for then, _ in wordings], self.rubric)
        after = _gold(again, [label for _, label in wordings], self.rubric)
        return tuple(unit for unit in self.relabelled if _differ(before, after, unit, self.rubric))

    @cached_property
    def state(self) -> CheckState:
        """Result of labelling again, such as "relabel the rest".

        It is "too few" until annotators have labelled all the examples again that were drawn for it (`check`).
        """
        are_all = len(self.relabelled) == len(self.check)
        return relabelling_state(len(self.relabelled) if are_all else 0, len(self.differ))

    @property
    def old_counted(self) -> int:
        """Number of the examples in `old` whose labels, all given under an earlier wording, still count."""
        return old_counted(self.state, len(self.relabelled), len(self.old))

    @cached_property
    def counting(self) -> ExampleSet:
        """The examples, each with only the labels from which figures are computed.

        Labels under a criterion's new wording replace those under its old one. Once relabelling has shown that the new
        wording changes labels, all labels under the old one are dropped, unless both are said to mean the same.
        """
        drops_all = self.state == "relabel the rest"
        return replace(
            self.examples,
            examples=tuple(self._new_before_old(example, drops_all) for example in self.examples.examples),
        )

    def _new_before_old(self, example: Example, drops_all: bool) -> Example:
        """Return an example without its old labels on each criterion that is also labelled under the current wording.

        Args:
            example: The example.
            drops_all: True to remove old labels on other criteria too, except labels under words that the author says
                mean the same as the current ones.
        """
        stale = [set(stale_in(label, self.rubric)) for label in example.labels]
        if not any(stale):
            return example
        fresh = {
            name
            for label, old in zip(example.labels, stale, strict=True)
            for name in label.criteria
            if label.kind in PEOPLE and name not in old
        }
        labels = []
        for label, old in zip(example.labels, stale, strict=True):
            dropped = {name for name in old if name in fresh or (drops_all and not self._means_the_same(label, name))}
            still_valid = {name: rated for name, rated in label.criteria.items() if name not in dropped}
            labels.append(replace(label, criteria=still_valid))
        return replace(example, labels=tuple(label for label in labels if label.criteria or label.overall is not None))

    def _means_the_same(self, label: Rating, name: str) -> bool:
        """Return True if the rubric's author said that the wording a label was given under means what today's does."""
        return label.criteria[name].under in self.same_meaning.get(name, ())

    @property
    def is_vouched(self) -> bool:
        """True if the author said of every reworded criterion that its meaning didn't change."""
        return set(self.reworded) <= set(self.same_meaning)

    @cached_property
    def for_gate(self) -> frozenset[str]:
        """Ids of the examples whose labels count for the gate.

        An example is left out if, on some criterion, it has only labels under an earlier wording, and these no longer
        count.
        """
        without = set(self.old[self.old_counted :])
        return frozenset(example.id for example in self.examples.examples if example.id not in without)

    @property
    def sentence(self) -> str:
        """Sentence for the user on how many labels are under an earlier wording, and if they count."""
        names = in_words(self.reworded)
        again = f"{len(self.relabelled)} relabelled, {len(self.relabelled) - len(self.differ)} the same"
        labelled = len(self.examples.labelled.examples)
        has_unknown = any(rated.under == NOT_KNOWN for label in self._labels for rated in label.criteria.values())
        or_unknown = " or under words that aren't known" if has_unknown else ""
        old = f"{len(self.old)} of {counted(labelled, 'labelled example')} were labelled under the old words of {names}"
        old += or_unknown
        if not self.old:
            return f"{again} since the rewording of {names}."
        if self.state == "relabel the rest" and self.is_vouched:
            return f"{again}. {old}; you said that they mean the same, so these count for trends, and not for a gate."
        if self.state == "relabel the rest":
            return f"{again}: labels from before the rewording of {names} no longer count. Label the rest again."
        if self.state == "old labels count":
            return f"{old}; they count, since {again}."
        not_yet = len(self.check) - len(self.relabelled)
        return f"{old}; for a gate they count once {not_yet} more are labelled again and agree."

    def to_json(self) -> dict[str, Any]:
        """Return a dict with the reworded criteria, counts of examples, and what labels given again show (`state`).

        The counts are of examples that were labelled again, of those among them whose labels stayed the same, of
        examples with only old labels on a criterion, and of those among them that still count.
        """
        return {
            "criteria": list(self.reworded),
            "relabelled": len(self.relabelled),
            "same": len(self.relabelled) - len(self.differ),
            "old": len(self.old),
            "old_counted": self.old_counted,
            "state": self.state,
        }

    @property
    def _labels(self) -> Iterable[Rating]:
        return (label for label in self.examples.labels if label.kind in PEOPLE)

    @cached_property
    def _fresh_ids(self) -> frozenset[str]:
        """Ids of the examples in `affected` that have a label under the current wording on every reworded criterion."""
        by_id = {example.id: example for example in self.examples.examples}
        return frozenset(unit for unit in self.affected if not _is_old(by_id[unit], self.rubric))


def carried_labels(examples: ExampleSet, rubric: Rubric) -> CarriedLabels | None:
    """Find the labels that were given before a criterion was reworded; None if there are none.

    Args:
        examples: The whole set, with all its labels.
        rubric: The rubric with its current words.
    """
    labels = examples.labels
    if not has_stale(labels, rubric) and not any(header.superseded for header in labels.headers):
        return None
    affected = [
        example.id
        for example in examples.examples
        if any(label.kind in PEOPLE and _under_old_words(label, rubric) for label in example.labels)
    ]
    if not affected:
        return None
    same = same_meaning(examples.path.parent, rubric.criteria) if examples.path is not None else {}
    with_unknown = {name: digests | {NOT_KNOWN} for name, digests in same.items()}
    return CarriedLabels(rubric, examples, tuple(in_drawn_order(affected)), with_unknown)


def _under_old_words(label: Rating, rubric: Rubric) -> set[str]:
    """Return the criteria that a rater labelled under an earlier wording, including those labelled again since."""
    return {*_given_again(label, rubric), *stale_in(label, rubric)}


def stale_in(label: Rating, rubric: Rubric) -> list[str]:
    """List the criteria whose level in a label was given under an earlier wording of the criterion."""
    return [name for name in label.criteria if is_stale(label, rubric.criterion(name), rubric)]


def _is_old(example: Example, rubric: Rubric) -> bool:
    """Return True if people labelled some criterion of an example under an earlier wording only."""
    rated: dict[str, list[bool]] = {}
    for label in example.labels:
        for name in label.criteria if label.kind in PEOPLE else ():
            rated.setdefault(name, []).append(is_stale(label, rubric.criterion(name), rubric))
    return any(all(are_stale) for are_stale in rated.values())


def _given_again(label: Rating, rubric: Rubric) -> Mapping[str, Rated]:
    """Return a rater's answers, by criterion, that were given under old words and replaced under the current ones.

    Args:
        label: The rater's label, which has the replaced answers.
        rubric: The rubric with its current words.
    """
    return {
        name: rated
        for name, rated in label.superseded.items()
        if not rubric.criterion(name).is_worded(rated.under) and not is_asked(rated.under, rubric)
    }


def _under_both(example: Example, rubric: Rubric) -> tuple[tuple[Rating, ...], tuple[Rating, ...]]:
    """Return an example's labels under earlier and under current wordings, to compare them.

    Only the labels of people who labelled under both wordings are returned or, if there are no such people, all
    people's labels.
    """
    again = tuple(label for label in example.labels if label.kind in PEOPLE and _given_again(label, rubric))
    if again:
        return tuple(_as_before_rewording(label, rubric) for label in again), again
    people = [label for label in example.labels if label.kind in PEOPLE]
    then = tuple(label for label in people if stale_in(label, rubric))
    return then, tuple(_under_current(label, rubric) for label in people)


def _under_current(label: Rating, rubric: Rubric) -> Rating:
    """Return a label without its levels on criteria that have been reworded since."""
    stale = stale_in(label, rubric)
    return replace(label, criteria={name: rated for name, rated in label.criteria.items() if name not in stale})


def _as_before_rewording(label: Rating, rubric: Rubric) -> Rating:
    """Return a label in which answers given since a rewording are replaced by the rater's answers before it."""
    return replace(label, criteria={**label.criteria, **_given_again(label, rubric)}, superseded={})


def _gold(examples: Sequence[Example], labels: Sequence[tuple[Rating, ...]], rubric: Rubric) -> Gold:
    labelled = (replace(example, labels=of_example) for example, of_example in zip(examples, labels, strict=True))
    return gold_of(ExampleSet(tuple(labelled)), rubric)


def _differ(before: Gold, after: Gold, unit: str, rubric: Rubric) -> bool:
    """Return True if an example's decision changed, or its score moved by the tolerance or more.

    Without scores, any change of a level counts.

    Args:
        before: Gold by the labels under the earlier wording.
        after: Gold by the labels under the current wording.
        unit: The example's id; False is returned if either gold lacks it.
        rubric: The rubric, with its tolerance.
    """
    if unit not in before.ids or unit not in after.ids:
        return False
    then = before.ids.index(unit)
    row = after.ids.index(unit)
    if not _same(float(before.decisions[then]), float(after.decisions[row]), ROUNDING):
        return True
    if math.isnan(before.scores[then]) and math.isnan(after.scores[row]):
        levels = ((before.levels[name][then], after.levels[name][row]) for name in before.levels)
        return any(not _same(float(old), float(new), ROUNDING) for old, new in levels)
    return not _same(float(before.scores[then]), float(after.scores[row]), rubric.tolerance - ROUNDING)


def _same(first: float, second: float, tolerance: float) -> bool:
    """Return True if two numbers differ by less than a tolerance, or both are nan."""
    return (math.isnan(first) and math.isnan(second)) or abs(first - second) < tolerance

"""Labels of people for two versions of a rubric: decisions on whole responses, and levels under each wording."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from shlex import quote

from markscheme.calibration.labelled_examples import examples_with_every_label
from markscheme.calibration.whole_labels import is_quoted
from markscheme.errors import UsageError
from markscheme.options.in_force import with_reading_options
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import Gold, gold_of
from markscheme.ratings.kinds import PEOPLE
from markscheme.ratings.rating import Rated, Rating, is_stale
from markscheme.ratings.splits import used_to_tune
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.rubrics.search import find_calibration


def labels_for(old: Rubric, new: Rubric, named: Path | None) -> ExampleSet:
    """Load the examples with all labels on the criteria of either version.

    Args:
        old: The old version of the rubric.
        new: The new version.
        named: A file of examples; None for the examples under the new version's name or, if there are none, under the
            old version's name.

    Raises:
        UsageError: There are no examples under the name of either version.
    """
    names = {criterion.name for criterion in new.criteria}
    only_old = tuple(criterion for criterion in old.criteria if criterion.name not in names)
    with_old = replace(new, criteria=(*new.criteria, *only_old))
    has_own = named is not None or find_calibration(new.name, Path.cwd()) is not None
    return examples_with_every_label(with_old if has_own else replace(with_old, name=old.name), named)[0]


def without_choosers(examples: ExampleSet, old: Rubric, new: Rubric) -> tuple[ExampleSet, int]:
    """Leave out the examples by which a version was chosen or fitted, and those that a version's words quote.

    Returns:
        The remaining examples, and the number of the examples left out that people passed or failed.
    """
    tuned = used_to_tune(examples)
    chose = {
        example.id
        for example in examples.examples
        if example.id in tuned or is_quoted(example, old) or is_quoted(example, new)
    }
    kept_examples = tuple(example for example in examples.examples if example.id not in chose)
    decided = {label.id for label in examples.labels if label.kind in PEOPLE and label.passed is not None}
    return replace(examples, examples=kept_examples), len(chose & decided)


def own_decisions(examples: ExampleSet, rubric: Rubric) -> dict[str, float]:
    """Return people's majority decision on each whole response, 1 for pass and 0 for fail; ties are left out.

    Args:
        examples: The examples with their labels.
        rubric: Either version; its weights and pass mark aren't used.
    """
    decided = _with_labels(examples, _decision_alone)
    if not decided.labels:
        return {}
    truth = gold_of(decided, rubric)
    by_unit = zip(truth.ids, truth.decisions.tolist(), strict=True)
    return {unit: decision for unit, decision in by_unit if decision == decision}


def gold_by(examples: ExampleSet, rubric: Rubric) -> Gold | None:
    """Compute gold from people's levels on a version's criteria, not from their decisions; None without levels."""
    names = {criterion.name for criterion in rubric.criteria}

    def levels_alone(label: Rating) -> Rating | None:
        levels = {name: label.criteria[name] for name in label.criteria if name in names}
        return replace(label, criteria=levels, passed=None, overall=None, superseded={}) if levels else None

    levelled = _with_labels(examples, levels_alone)
    return gold_of(levelled, rubric) if levelled.labels else None


def gold_under(examples: ExampleSet, criterion: Criterion, rubric: Rubric) -> dict[str, float]:
    """Return people's level on a criterion by example, from labels given under its wording in one rubric version.

    Args:
        examples: The examples with labels under any wording.
        criterion: The criterion with its wording in the version.
        rubric: The version.
    """
    alone = replace(rubric, criteria=(criterion,))

    def under_words(label: Rating) -> Rating | None:
        rated = _rated_under(label, criterion, rubric)
        if rated is None or rated.level is None:
            return None
        return replace(label, criteria={criterion.name: rated}, passed=None, overall=None, superseded={})

    labelled = _with_labels(examples, under_words)
    if not labelled.labels:
        return {}
    truth = gold_of(labelled, alone)
    levels = zip(truth.ids, truth.levels[criterion.name].tolist(), strict=True)
    return {unit: level for unit, level in levels if level == level}


def _rated_under(label: Rating, criterion: Criterion, rubric: Rubric) -> Rated | None:
    if criterion.name in label.criteria and not is_stale(label, criterion, rubric):
        return label.criteria[criterion.name]
    earlier = label.superseded.get(criterion.name)
    return earlier if earlier is not None and earlier.under and criterion.is_worded(earlier.under) else None


def _decision_alone(label: Rating) -> Rating | None:
    return None if label.passed is None else replace(label, criteria={}, overall=None, superseded={})


def _with_labels(examples: ExampleSet, changed: Callable[[Rating], Rating | None]) -> ExampleSet:
    """Return the examples with each label by people converted, without the examples that have no such label.

    Args:
        examples: The examples.
        changed: Function that converts a label; it returns None for a label to leave out.
    """
    labelled = []
    for example in examples.examples:
        labels = [changed(label) for label in example.labels if label.kind in PEOPLE]
        if any(labels):
            labelled.append(replace(example, labels=tuple(filter(None, labels))))
    return replace(examples, examples=tuple(labelled))


def refuse_undecided(decisions: Iterable[str], name: str) -> None:
    """Raise an error if there are no decisions by people on whole responses.

    Args:
        decisions: Ids of the examples on which people decided.
        name: Name of the rubric, for the message.

    Raises:
        UsageError: There are no decisions.
    """
    if not list(decisions):
        raise UsageError(
            f"nobody said whether a whole response passes, so no version of {name} is nearer to people's decisions: "
            f"{with_reading_options(f'markscheme label {quote(name)}')}"
        )

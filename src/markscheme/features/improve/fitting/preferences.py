"""Annotators' preferences between two responses, with the levels of both, for fitting weights."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from markscheme.calibration.labelled_examples import labelled_examples
from markscheme.calibration.whole_labels import counting_levels
from markscheme.errors import UsageError
from markscheme.features.improve.fitting.evidence import (
    DecisionEvidence,
    LeftOut,
    WholeDecision,
    people_by_name,
    response_ids,
)
from markscheme.features.improve.fitting.judged import answers_by_id
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rated, Rating
from markscheme.ratings.splits import labelling_digest
from markscheme.ratings.table import Column
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_rubric

RaterLevels = Mapping[str, Mapping[str, Rated]]
"""A response's levels on each criterion, by rater."""


def rubric_of_preferences(name: str) -> Rubric:
    """Load a rubric of pairs that has a single criterion, a preference.

    Raises:
        UsageError: The rubric doesn't exist, judges single responses, or has several criteria.
    """
    pairs = load_rubric(find_rubric(name))
    if not pairs.is_of_pairs:
        raise UsageError(f"{pairs.name} judges single responses; `--preferences` takes a rubric with `compare: pairs`")
    if len(pairs.criteria) > 1:
        raise UsageError(
            f"{pairs.name} asks {len(pairs.criteria)} questions about a pair, and weights follow people's preference "
            "for a whole response; take a rubric of pairs with one criterion"
        )
    return pairs


def preferences_digest(pairs: Rubric) -> str:
    """Return a digest, eight hexadecimal digits, of all labels of a rubric's pairs."""
    return labelling_digest(labelled_examples(pairs, None)[0]).removeprefix("sha256:")[:8]


def preference_evidence(
    pairs: Rubric, rubric: Rubric, examples: ExampleSet, judged: Column | None = None
) -> DecisionEvidence:
    """Collect preferences to fit weights to, each with the first response's levels minus the second's.

    Args:
        pairs: The rubric of pairs.
        rubric: The rubric that rates each response.
        examples: The responses, with their labels.
        judged: A judge's levels of the responses, which are combined with the preference of most annotators on each
            pair; None to combine each annotator's levels with that annotator's own preference.
    """
    decisions: list[WholeDecision] = []
    left_out: Counter[LeftOut] = Counter()
    not_blind = 0
    levels = _levels_by_id(rubric, examples, judged)
    for pair in labelled_examples(pairs, None)[0].labelled.examples:
        preferences = list(_preferences(pairs, pair))
        blind = [preference for preference in preferences if preference.blind]
        not_blind += len(preferences) - len(blind)
        counting = (
            [(p, p.rater, (p.rater,)) for p in blind] if judged is None else _majority_preference(blind, judged.name)
        )
        left_out["split-evenly"] += bool(blind and not counting)
        for preference, rater, raters in counting:
            differences = _differences(rubric, pair, rater, levels)
            if isinstance(differences, tuple):
                decisions.append(WholeDecision(pair, raters, preference.passed, differences))
            else:
                left_out[differences] += 1
    judge = None if judged is None else judged.name
    return DecisionEvidence(rubric, tuple(decisions), dict(+left_out), not_blind, judge, pairs)


def _levels_by_id(
    rubric: Rubric, examples: ExampleSet, judged: Column | None
) -> Mapping[str, tuple[Example, RaterLevels]]:
    """Map each response's id to its example and to levels by rater: annotators' or, with `judged`, only the judge's."""
    if judged is None:
        return {example.id: (example, _own_levels(example)) for example in examples.examples}
    answers = answers_by_id(judged, rubric)
    return {example.id: (example, {judged.name: answers.get(example.id, {})}) for example in examples.examples}


def _own_levels(example: Example) -> RaterLevels:
    return {
        rater: {name: rated for label in labels for name, rated in label.criteria.items()}
        for rater, labels in people_by_name(example).items()
    }


def _preferences(pairs: Rubric, pair: Example) -> Iterator[Rating]:
    """Yield each annotator's preference about a pair; repeated ratings are combined by their median.

    Args:
        pairs: The rubric of pairs, whose only criterion says which response is better.
        pair: The pair with its labels.
    """
    (criterion,) = pairs.criteria
    for labels in people_by_name(pair).values():
        rated = [rated for label in labels if (rated := label.criteria.get(criterion.name)) is not None]
        levels = [answer.level for answer in rated if answer.level is not None]
        if levels:
            level = float(np.sign(np.median(levels)))
            blind = all(label.blind for label in labels)
            yield replace(labels[-1], criteria={}, passed=None if level == 0 else level < 0, blind=blind)


def _majority_preference(preferences: list[Rating], judge: str) -> list[tuple[Rating, str, tuple[str, ...]]]:
    """Return the preference that most annotators of a pair have, as a list of one entry; [] for a tie.

    Args:
        preferences: The annotators' preferences.
        judge: Name of the judge from whose levels the preference will be predicted.

    Returns:
        The entry: the preference, `judge`, and the names of the annotators who have this preference.
    """
    counts = Counter(preference.passed for preference in preferences).most_common()
    if not counts or (len(counts) > 1 and counts[0][1] == counts[1][1]):
        return []
    agreeing = [preference for preference in preferences if preference.passed is counts[0][0]]
    return [(agreeing[0], judge, tuple(preference.rater for preference in agreeing))]


def _differences(
    rubric: Rubric, pair: Example, rater: str, levels: Mapping[str, tuple[Example, RaterLevels]]
) -> tuple[float, ...] | LeftOut:
    """Return a rater's levels of a pair's first response minus those of the second, or why the pair is left out.

    Args:
        rubric: The rubric that rates each response.
        pair: The pair.
        rater: Name of the rater.
        levels: Each response with its levels by rater, by the response's id.
    """
    both = []
    for id in response_ids(pair):
        if id not in levels or rater not in levels[id][1]:
            return "levels-missing"
        example, by_rater = levels[id]
        of_response = counting_levels(rubric, example, by_rater[rater])
        if isinstance(of_response, str):
            return of_response
        both.append(of_response)
    return tuple(first - second for first, second in zip(*both, strict=True))

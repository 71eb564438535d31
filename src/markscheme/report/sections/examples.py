"""Examples one by one: the ratings of gold and each rater, with reasons, and the tags that filter the list."""

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.comparison.measure import OF_DECISION, CriterionComparison
from markscheme.calibration.findings.slices import Slice
from markscheme.phrases import number, signed
from markscheme.ratings.example_rows import Example, values_of
from markscheme.ratings.kinds import JUDGES
from markscheme.ratings.rating import Rated, Rating
from markscheme.ratings.table import overall_of
from markscheme.report.document import Case, Examples, OnDemand, RatingCell
from markscheme.report.figures import NONE
from markscheme.rubrics.distribution import shown_with_probability
from markscheme.rubrics.rubric import Criterion, Rubric

BLANK = Rated(None)


def cell_tag(criterion: int, gold: int, judge: int, of: str | None = None) -> str:
    """Return the key by which a page finds the examples in a cell of a criterion's confusion matrix.

    Args:
        criterion: Index of the criterion.
        gold: Index of gold's level.
        judge: Index of the judge's level.
        of: Beginning of the keys of one judge among several; None for a single judge.
    """
    return f"{of or ''}m{criterion}-{gold}-{judge}"


def criterion_tag(criterion: int, of: str | None = None) -> str:
    """Return the key by which a page finds the examples on which the judge's level of a criterion isn't gold's.

    Args:
        criterion: Index of the criterion.
        of: Prefix of the keys of one document, on a page with several; None without one.
    """
    return f"{of or ''}c{criterion}"


def slice_tag(index: int) -> str:
    """Return the tag of the examples that belong to a slice."""
    return f"s{index}"


def level_name(criterion: Criterion, level: float) -> str:
    """Name a level as raters answer it: by its word on a yes/no scale, else by its number and its word."""
    index = criterion.scale.place_of(level)
    if index is None:
        return f"{level:g}"
    choice = criterion.scale.choices[index]
    label = criterion.scale.levels[index].label
    return f"{choice} {label}" if label and label != choice else choice


def is_off(comparison: Comparison, index: int) -> bool:
    """Return True if judge and gold differ on an example by at least the tolerance."""
    return bool(comparison.distances[index] >= comparison.tolerance)


# --- a judge and gold -----------------------------------------------------------------------------------------------


def examples_of(comparison: Comparison, slices: Sequence[Slice] = ()) -> Examples:
    """List the examples that aren't held out: false passes first, then false fails, then all other examples.

    Within each kind, those with the largest difference in score come first.

    Args:
        comparison: The judge compared with gold.
        slices: Slices, whose examples a page can show alone.
    """
    far = np.nan_to_num(comparison.distances, nan=-1.0)
    wrong = np.nan_to_num(comparison.passes - comparison.gold.decisions)
    unread = np.array(values_of(comparison.gold.examples, "is_held_out"), dtype=bool)
    ranked = np.lexsort((-far, np.where(wrong, -wrong, 2.0)))
    order = ranked[~unread[ranked]]
    inside = {slice_tag(index): part.part.inside for index, part in enumerate(slices)}

    def case_at(position: int) -> Case:
        index = int(order[position])
        return _case(comparison, index, [tag for tag, flags in inside.items() if flags[index]])

    filters = {
        "false-pass": "false passes",
        "false-fail": "false fails",
        "off": comparison.measure.miss,
        "declined": "not graded, or a verdict missing",
        **{criterion_tag(n): f"{name}: another level" for n, name in enumerate(comparison.criteria)},
    }
    cases = OnDemand(lambda: len(order), case_at)
    return Examples(cases, ("gold", "judge", "difference"), filters, int((((far > 0) | (wrong != 0)) & ~unread).sum()))


def _case(comparison: Comparison, index: int, tags: Sequence[str]) -> Case:
    example = comparison.gold.examples[index]
    labels = tuple(example.labels)
    rating = comparison.judge.rating(index)
    gold = comparison.gold.scores[index]
    judge = comparison.scores[index]
    miss = comparison.misses[index]
    badges = tuple(_badges(comparison, index, rating))
    apart = _criteria_apart(comparison, index)
    return Case(
        id=example.id,
        head=_head(comparison, index, apart),
        reason=_reason(rating, apart[0] if apart else None),
        reason_on=apart[0] if apart else None,
        differs=tuple(_both_levels(comparison.criteria[name], index) for name in apart),
        values=(finite_or_none(gold), finite_or_none(judge), finite_or_none(miss)),
        badges=badges,
        tags=(*(badge.replace(" ", "-") for badge in badges), *_tags(comparison, index, rating), *tags),
        response=_texts(example),
        inputs=inputs_of_case(example, comparison.rubric),
        facts=facts_of_case(example),
        raters=("gold", "judge", *(_rater(label) for label in labels)),
        rows=tuple(_rows(comparison, index, rating, labels)),
        notes=notes_of_case(labels, rating),
    )


def _head(comparison: Comparison, index: int, apart: Sequence[str]) -> str:
    """Summarize an example in a line: judge's and gold's score and decision, then the criteria on which they differ.

    Args:
        comparison: The comparison.
        index: Index of the example.
        apart: Names of the criteria on which judge and gold differ.
    """
    if comparison.rubric.is_of_pairs:
        return "; ".join(
            [_preferences_head(comparison, index), *(_both_levels(comparison.criteria[n], index) for n in apart)]
        )
    gold = comparison.gold.scores[index]
    judge = comparison.scores[index]
    decisions = (comparison.passes[index], comparison.gold.decisions[index])
    if comparison.rubric.table_of == "values":  # nothing says what passes, and no position counts
        return "; ".join(_both_levels(comparison.criteria[name], index) for name in apart)
    if is_one_decision(comparison):
        return _heads(("judge", np.nan, decisions[0]), ("gold", np.nan, decisions[1]))
    head = _heads(("judge", judge, decisions[0]), ("gold", gold, decisions[1]))
    miss = comparison.misses[index]
    if not math.isnan(miss) and miss:
        shown = round(float(judge), 2) - round(float(gold), 2)  # of the printed scores, so that they subtract
        head += f" ({signed(shown)})"
    return "; ".join([*filter(None, [head]), *(_both_levels(comparison.criteria[name], index) for name in apart)])


def _preferences_head(comparison: Comparison, index: int) -> str:
    """Return which response of a pair the judge prefers and which gold does; a dash if one isn't recorded.

    Args:
        comparison: The judge compared with gold on pairs.
        index: Index of the pair.
    """
    values = {"judge": comparison.judge_values[index], "gold": comparison.gold_values[index]}
    return ", ".join(
        f"{who} {NONE if math.isnan(value) else comparison.measure.in_words(float(value))}"
        for who, value in values.items()
    )


def is_one_decision(comparison: Comparison) -> bool:
    """Return True if the rubric is one yes/no question, so that score and level only repeat the decision."""
    scales = [criterion.scale for criterion in comparison.rubric.criteria]
    return comparison.measure.of == OF_DECISION and len(scales) == 1 and scales[0].is_yes_no


def _texts(example: Example) -> str:
    """Return the text of a response; of a pair, both responses, each under its name."""
    texts = example.submission.texts
    if len(texts) == 1:
        return example.submission.response
    return "\n\n".join(f"{name}:\n{text}" for name, text in texts.items())


def inputs_of_case(example: Example, rubric: Rubric) -> tuple[tuple[str, str], ...]:
    """Return the names and texts of an example's inputs: first those that the rubric declares, in its order."""
    inputs = example.submission.inputs
    ordered = dict.fromkeys((*(name for name in rubric.known_inputs if name in inputs), *inputs))
    return tuple((name, inputs[name]) for name in ordered)


def _reason(rating: Rating | None, criterion: str | None) -> str:
    if rating is None or criterion is None:
        return ""
    return rating.criteria.get(criterion, BLANK).reason


def _heads(*raters: tuple[str, float, float]) -> str:
    """Format the score and the decision of each rater on an example; "" if no rater gave any.

    Args:
        raters: Name, score and decision (1 for pass, 0 for fail) of each rater; nan for a missing score or decision.
    """
    if all(math.isnan(value) for _, *values in raters for value in values):
        return ""
    has_score = not all(math.isnan(score) for _, score, _ in raters)
    words_by_rater = [
        (who, *([score_text(score)] if has_score else []), _decision(passed)) for who, score, passed in raters
    ]
    return ", ".join(" ".join(words).rstrip() for words in words_by_rater)


def _both_levels(compared: CriterionComparison, index: int) -> str:
    """Format the judge's and gold's level of an example on a criterion.

    If no annotator gave gold's level, annotators' lowest and highest level are added.

    Args:
        compared: The comparison on the criterion.
        index: Index of the example.
    """
    levels = sorted({float(level) for level in compared.people[index] if not math.isnan(level)})
    labels = " and ".join(map(compared.criterion.scale.level_name, (levels[0], levels[-1]))) if levels else ""
    made_of = f" (labels {labels})" if levels and float(compared.gold[index]) not in levels else ""
    in_words = compared.criterion.scale.level_name
    judge = in_words(float(compared.judge[index]))
    gold = in_words(float(compared.gold[index]))
    return f"{compared.criterion.name}: judge {judge}, gold {gold}{made_of}"


def _criteria_apart(comparison: Comparison, index: int) -> list[str]:
    """List the criteria on which judge and gold differ in an example, the largest effect on the score first.

    Args:
        comparison: The comparison.
        index: Index of the example.
    """
    apart: dict[str, float] = {}
    for name, compared in comparison.criteria.items():
        criterion = compared.criterion
        gold = float(compared.gold[index])
        judge = float(compared.judge[index])
        if not (math.isnan(gold) or math.isnan(judge)):
            scale = criterion.scale
            apart[name] = abs(criterion.weight * (scale.position(judge) - scale.position(gold)))
            if not scale.ordered:
                apart[name] = abs(criterion.weight) * (judge != gold)
    return sorted((name for name in apart if apart[name] > 0), key=lambda name: -apart[name])


def _badges(comparison: Comparison, index: int, rating: Rating | None) -> Iterator[str]:
    decisions = (comparison.gold.decisions[index], comparison.passes[index])
    if decisions == (0.0, 1.0):
        yield "false pass"
    if decisions == (1.0, 0.0):
        yield "false fail"
    if rating is None or rating.error is not None or math.isnan(comparison.scores[index]):
        yield "not graded"


def _tags(comparison: Comparison, index: int, rating: Rating | None) -> Iterator[str]:
    verdicts = rating.criteria.values() if rating is not None else ()
    if rating is None or rating.error is not None or any(verdict.level is None for verdict in verdicts):
        yield "declined"
    yield from gold_tags(comparison, index)


def gold_tags(comparison: Comparison, index: int, of: str | None = None) -> Iterator[str]:
    """Yield the tags by which a page filters an example.

    There is one if the judge's score doesn't agree with gold's, one for each criterion on which the levels differ, and
    one for the example's cell in each criterion's confusion matrix.

    Args:
        comparison: The judge compared with gold.
        index: Index of the example.
        of: Beginning of the tags, if the page shows several judges; None for a single judge.
    """
    if is_off(comparison, index):
        yield f"{of or ''}off"
    for ordinal, compared in enumerate(comparison.criteria.values()):
        gold = compared.gold[index]
        judge = compared.judge[index]
        if math.isnan(gold) or math.isnan(judge):
            continue
        if gold != judge:
            yield criterion_tag(ordinal, of)
        levels = compared.levels_given
        yield cell_tag(ordinal, levels.index(gold), levels.index(judge), of)


def _rows(
    comparison: Comparison, index: int, rating: Rating | None, labels: Sequence[Rating]
) -> Iterator[tuple[str, tuple[RatingCell, ...]]]:
    for name, compared in comparison.criteria.items():
        criterion = compared.criterion
        gold = float(compared.gold[index])
        judge = finite_or_none(compared.judge[index])
        verdict = rating.criteria.get(name, BLANK) if rating is not None else BLANK
        references = [gold if label.kind in JUDGES else math.nan for label in labels]
        levels = [label.criteria.get(name, BLANK) for label in labels]
        yield (
            name,
            (
                rating_cell(BLANK, criterion, gold, finite_or_none(gold)),
                rating_cell(verdict, criterion, gold, judge),
                *(
                    rating_cell(rated, criterion, reference, rated.level)
                    for rated, reference in zip(levels, references, strict=True)
                ),
            ),
        )
    whole = (RatingCell(_score_and_decision(label, comparison.rubric)) for label in labels)
    yield (
        "score",
        (
            RatingCell(score_text(comparison.gold.scores[index])),
            RatingCell(score_text(comparison.scores[index])),
            *whole,
        ),
    )


def rating_cell(rated: Rated, criterion: Criterion, gold: float, level: float | None) -> RatingCell:
    """Make the table cell of a rating, which is flagged if the rating's level isn't gold's.

    Args:
        rated: The rating.
        criterion: The criterion.
        gold: The gold level; nan if there is none.
        level: The level of the rating; None if it has none.
    """
    shown = (rated.declined or NONE) if level is None else level_name(criterion, level)
    if level is not None and rated.probabilities and not rated.reason:
        shown = shown_with_probability(level, rated.distribution, criterion.scale)
    apart = level is not None and not math.isnan(gold) and level != gold
    return RatingCell(shown, apart, rated.reason, rated.quote or "", rated.quote_found, rated.quote_in)


def _score_and_decision(rating: Rating, rubric: Rubric) -> str:
    score = overall_of(rating, rubric)
    text = NONE if score is None else number(score)
    return text if rating.passed is None else f"{text} {_decision(float(rating.passed))}"


def _rater(label: Rating) -> str:
    name = f"{label.rater} ({label.kind})" if label.kind != label.rater else label.rater
    return name if label.blind else f"{name}, not blind"


def notes_of_case(labels: Iterable[Rating], judged: Rating | None) -> tuple[tuple[str, str], ...]:
    notes = [(label.rater, label.note) for label in labels if label.note]
    if judged is not None and judged.error:
        notes.append((f"{judged.rater}, not graded", judged.error))
    return tuple(notes)


def facts_of_case(example: Example) -> tuple[str, ...]:
    named = (("group", example.group), ("system", example.system), ("split", example.split), ("drawn", example.drawn))
    return tuple(f"{name}: {value}" for name, value in named if value)


def finite_or_none(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def score_text(score: float) -> str:
    return NONE if math.isnan(score) else number(float(score))


def _decision(passed: float) -> str:
    return "" if math.isnan(passed) else ("pass" if passed else "fail")

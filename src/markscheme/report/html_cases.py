"""The examples of a report, one after another: response, what gold and each rater said of it, in whose words."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.choice import Choice, Contender
from markscheme.calibration.comparison import Comparison
from markscheme.ratings.examples import Example
from markscheme.ratings.gold import Gold
from markscheme.ratings.rating import Rated, Rating
from markscheme.ratings.table import overall_of
from markscheme.report.figures import NONE, number, signed
from markscheme.rubrics.rubric import Criterion, Rubric

BLANK = Rated(None)


@dataclass(frozen=True)
class Cell:
    """What one rater said of one criterion.

    Attributes:
        level: The level, or why there is none.
        apart: Whether it differs from gold.
        reason: In the rater's words; "" where none was given.
        quote: The passage it rests on.
        note: What must be known of the quote.
    """

    level: str
    apart: bool = False
    reason: str = ""
    quote: str = ""
    note: str = ""


@dataclass(frozen=True)
class Case:
    """One example as the page shows it.

    Attributes:
        anchor: Where it stands on the page.
        id: The example's.
        head: Scores and decisions, in a line.
        badges: What is to be seen at once, such as "false pass".
        tags: By which it is filtered.
        response: What was judged; None where it is not at hand.
        inputs: Name and text of each.
        facts: Group, system and the like.
        raters: Heads of the columns.
        rows: A criterion, and what each rater said of it.
        notes: What raters wrote beside their labels, with their names.
    """

    anchor: str
    id: str
    head: str
    badges: tuple[str, ...]
    tags: tuple[str, ...]
    response: str | None
    inputs: tuple[tuple[str, str], ...]
    facts: tuple[str, ...]
    raters: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    notes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Cases:
    """The examples that are shown.

    Attributes:
        prefix: Of their anchors.
        cases: In the order of the page.
        left_out: Examples there was no room for.
        filters: Tag and name of what the list can be narrowed to, each with how many it leaves.
        anchors: Each shown example's place, by id.
    """

    prefix: str
    cases: tuple[Case, ...]
    left_out: int
    filters: tuple[tuple[str, str, int], ...]
    anchors: Mapping[str, str] = field(default_factory=dict)


def cell_tag(criterion: int, gold: int, judge: int, of: str = "") -> str:
    """The tag of the examples in one cell of a criterion's matrix, levels counted from 0; `of` names the judge."""
    return f"{of}m{criterion}-{gold}-{judge}"


def slice_tag(place: int) -> str:
    """The tag of the examples in one part."""
    return f"s{place}"


def is_off(comparison: Comparison, place: int) -> bool:
    """Whether the judge's score misses gold by the tolerance or more, as agreement counts it."""
    return bool(abs(comparison.misses[place]) >= comparison.tolerance)


def level_name(criterion: Criterion, level: float) -> str:
    """A level as raters answer it: its label for yes and no, else its number with its label beside it."""
    place = criterion.scale.place_of(level)
    if place is None:
        return f"{level:g}"
    choice, label = criterion.scale.choices[place], criterion.scale.levels[place].label
    return f"{choice} {label}" if label and label != choice else choice


# --- of a calibration -----------------------------------------------------------------------------------------------


def cases_of_calibration(calibration: Calibration, prefix: str, most: int) -> Cases:
    """At most `most` examples with gold, false passes first, then those on which judge and gold part most."""
    comparison = calibration.comparison
    inside = {slice_tag(place): part.part.inside for place, part in enumerate(calibration.slices)}
    false_passes = set(comparison.false_passes)
    far = np.nan_to_num(np.abs(comparison.misses), nan=-1.0)
    order = sorted(range(len(far)), key=lambda place: (comparison.gold.ids[place] not in false_passes, -far[place]))
    found = [
        _case(comparison, place, f"{prefix}-x{place}", [tag for tag, flags in inside.items() if flags[place]])
        for place in order[:most]
    ]
    names = {
        "false-pass": "false passes",
        "false-fail": "false fails",
        "off": "score misses gold by the tolerance or more",
        "declined": "not graded, or a verdict missing",
    }
    names |= {f"c{number}": f"another level on {name}" for number, name in enumerate(comparison.criteria)}
    return _cases(prefix, found, len(order) - len(found), names)


def _cases(prefix: str, cases: Sequence[Case], left_out: int, names: Mapping[str, str]) -> Cases:
    counted = [(tag, name, sum(tag in case.tags for case in cases)) for tag, name in names.items()]
    filters = tuple((tag, name, n) for tag, name, n in counted if n)
    return Cases(prefix, tuple(cases), left_out, filters, {case.id: case.anchor for case in cases})


def _case(comparison: Comparison, place: int, anchor: str, tags: Sequence[str]) -> Case:
    example, rating = comparison.gold.examples[place], comparison.judged[place]
    gold, judge, miss = comparison.gold.overall[place], comparison.scores[place], comparison.misses[place]
    badges = tuple(_badges(comparison, place, rating))
    head = f"gold {_score(gold)} {_decision(comparison.gold.passed[place])}, "
    head += f"judge {_score(judge)} {_decision(comparison.passes[place])}"
    if not math.isnan(miss):
        head += f" ({signed(float(miss))})"
    return Case(
        anchor=anchor,
        id=example.id,
        head=" ".join(head.split()).replace(" ,", ","),
        badges=badges,
        tags=(*(badge.replace(" ", "-") for badge in badges), *_tags(comparison, place, rating), *tags),
        response=example.submission.response,
        inputs=tuple(example.submission.inputs.items()),
        facts=_facts(example),
        raters=("gold", "judge", *(_rater(label) for label in example.labels)),
        rows=tuple(_rows(comparison, place, rating, example.labels)),
        notes=_notes(example.labels, rating),
    )


def _badges(comparison: Comparison, place: int, rating: Rating | None) -> Iterator[str]:
    decisions = (comparison.gold.passed[place], comparison.passes[place])
    if decisions == (0.0, 1.0):
        yield "false pass"
    if decisions == (1.0, 0.0):
        yield "false fail"
    if rating is None or rating.error is not None or math.isnan(comparison.scores[place]):
        yield "not graded"


def _tags(comparison: Comparison, place: int, rating: Rating | None) -> Iterator[str]:
    said = rating.criteria.values() if rating is not None else ()
    if rating is None or rating.error is not None or any(one.level is None for one in said):
        yield "declined"
    yield from _beside_gold(comparison, place)


def _beside_gold(comparison: Comparison, place: int, of: str = "") -> Iterator[str]:
    """The tags of how a judge lies to gold: outside the tolerance, on another level, in which cell of each matrix."""
    if is_off(comparison, place):
        yield f"{of}off"
    for number_, found in enumerate(comparison.criteria.values()):
        gold, judge = found.gold[place], found.judge[place]
        if math.isnan(gold) or math.isnan(judge):
            continue
        if gold != judge:
            yield f"{of}c{number_}"
        levels = found.levels_given
        yield cell_tag(number_, levels.index(gold), levels.index(judge), of)


def _rows(
    comparison: Comparison, place: int, rating: Rating | None, labels: Sequence[Rating]
) -> Iterator[tuple[str, tuple[Cell, ...]]]:
    for name, found in comparison.criteria.items():
        criterion, gold, judge = found.criterion, found.gold[place], found.judge[place]
        said = rating.criteria.get(name, BLANK) if rating is not None else BLANK
        cells = [
            Cell(NONE if math.isnan(gold) else level_name(criterion, gold)),
            _cell(said, criterion, gold, None if math.isnan(judge) else float(judge)),
            *(_of_label(label.criteria.get(name, BLANK), criterion, gold) for label in labels),
        ]
        yield name, tuple(cells)
    whole = [_whole(label, comparison.rubric) for label in labels]
    overall = (Cell(_score(comparison.gold.overall[place])), Cell(_score(comparison.scores[place])), *map(Cell, whole))
    yield "score", overall


def _of_label(said: Rated, criterion: Criterion, gold: float) -> Cell:
    return _cell(said, criterion, gold, said.level)


def _cell(said: Rated, criterion: Criterion, gold: float, level: float | None) -> Cell:
    shown = (said.declined or NONE) if level is None else level_name(criterion, level)
    apart = level is not None and not math.isnan(gold) and level != gold
    note = "not in the response" if said.quote is not None and said.quote_found is False else ""
    return Cell(shown, apart, said.reason, said.quote or "", note)


def _whole(rating: Rating, rubric: Rubric) -> str:
    score = overall_of(rating, rubric)
    told = NONE if score is None else number(score)
    return told if rating.passed is None else f"{told} {_decision(float(rating.passed))}"


def _rater(label: Rating) -> str:
    kind = f"{label.rater} ({label.kind})" if label.kind != label.rater else label.rater
    return kind if label.blind else f"{kind}, saw the judge's verdict"


def _notes(labels: Iterable[Rating], judged: Rating | None) -> tuple[tuple[str, str], ...]:
    notes = [(label.rater, label.note) for label in labels if label.note]
    if judged is not None and judged.error:
        notes.append((f"{judged.rater} gave no rating", judged.error))
    return tuple(notes)


def _facts(example: Example) -> tuple[str, ...]:
    named = (("group", example.group), ("system", example.system), ("split", example.split), ("drawn", example.drawn))
    return tuple(f"{name}: {value}" for name, value in named if value)


def _score(score: float) -> str:
    return NONE if math.isnan(score) else number(float(score))


def _decision(passed: float) -> str:
    return "" if math.isnan(passed) else ("pass" if passed else "fail")


# --- of a comparison ------------------------------------------------------------------------------------------------


def cases_of_choice(
    choice: Choice,
    contenders: Sequence[Contender],
    truth: Gold | None,
    examples: Sequence[Example],
    beside_gold: Mapping[str, Comparison],
    most: int,
) -> Cases:
    """The examples the judges rated, those whose decision flips first, then those whose scores part most.

    Args:
        choice: Between the contenders.
        contenders: With their ratings.
        truth: The gold, where there is any.
        examples: Where responses are found.
        beside_gold: Each contender beside gold, by what its tags begin with; empty without gold.
        most: So many examples are shown.
    """
    known = {example.id: example for example in (*(truth.examples if truth else ()), *examples)}
    said = [_first_ratings(contender) for contender in contenders]
    places = {unit: place for place, unit in enumerate(truth.ids)} if truth else {}
    ids = dict.fromkeys(unit for ratings in said for unit in ratings if truth is None or unit in places)
    flips = {flip.id for pair in choice.pairs for flip in pair.flips}
    scores = {unit: [_overall(ratings.get(unit), choice.rubric) for ratings in said] for unit in ids}
    order = sorted(ids, key=lambda unit: (unit not in flips, -_spread(scores[unit])))
    names = [contender.name for contender in contenders]
    found = []
    for place, unit in enumerate(order[:most]):
        gold = {n: float(levels[places[unit]]) for n, levels in truth.levels.items()} if truth else {}
        head = [f"{name} {_score(score)}" for name, score in zip(names, scores[unit], strict=True)]
        if truth:
            head.insert(0, f"gold {_score(truth.overall[places[unit]])}")
        tags = [tag for of, comparison in beside_gold.items() for tag in _beside_gold(comparison, places[unit], of)]
        example = known.get(unit)
        ratings = [theirs.get(unit) for theirs in said]
        found.append(
            Case(
                anchor=f"x{place}",
                id=unit,
                head=", ".join(head),
                badges=("decision flips",) if unit in flips else (),
                tags=(*(["flips"] if unit in flips else []), *(["apart"] if _spread(scores[unit]) > 0 else []), *tags),
                response=example.submission.response if example else None,
                inputs=tuple(example.submission.inputs.items()) if example else (),
                facts=_facts(example) if example else (),
                raters=(*(("gold",) if truth else ()), *names),
                rows=tuple(_judges_rows(choice.rubric, ratings, gold)),
                notes=tuple(note for one in ratings if one is not None for note in _notes((), one)),
            )
        )
    filters = {"flips": "decision flips", "apart": "scores differ"}
    filters |= {f"{of}off": f"{name} misses gold" for of, name in zip(beside_gold, names, strict=False)}
    return _cases("x", found, len(order) - len(found), filters)


def _judges_rows(
    rubric: Rubric, ratings: Sequence[Rating | None], gold: Mapping[str, float]
) -> Iterator[tuple[str, tuple[Cell, ...]]]:
    for criterion in rubric.criteria:
        theirs = [rating.criteria.get(criterion.name, BLANK) if rating else BLANK for rating in ratings]
        held_to = gold.get(criterion.name, math.nan)
        cells = [_of_label(said, criterion, held_to) for said in theirs]
        first = [Cell(NONE if math.isnan(held_to) else level_name(criterion, held_to))] if gold else []
        yield criterion.name, (*first, *cells)


def _first_ratings(contender: Contender) -> dict[str, Rating]:
    found: dict[str, Rating] = {}
    for rating in contender.ratings:
        found.setdefault(rating.id, rating)
    return found


def _overall(rating: Rating | None, rubric: Rubric) -> float:
    score = overall_of(rating, rubric) if rating is not None else None
    return math.nan if score is None else score


def _spread(scores: Sequence[float]) -> float:
    there = [score for score in scores if not math.isnan(score)]
    return max(there) - min(there) if there else 0.0

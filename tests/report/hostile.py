"""Labelled examples whose every text tries to be more than text."""

from collections.abc import Sequence

from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.rubric import Criterion, Rubric, Scale

LONG = 1_000_000
LONG_LINE = "<&\"'\u202e\x00x" * (LONG // 7 + 1)
ATTACKS = (
    "<script>window.hit = 1; alert(1)</script>",
    "</pre></article></details></section></main><script>window.hit = 1</script>",
    "<img src=x onerror=\"window.hit = 1; alert('x')\"><b-evil>",
    '" onmouseover="window.hit = 1" autofocus onfocus=\'window.hit = 1\' x="',
    "' tabindex=0 onclick='window.hit=1",
    "[a link](javascript:window.hit=1) ![x](http://example.invalid/x.png) **bold** `code`",
    "<iframe srcdoc='<script>parent.hit=1</script>'></iframe><base href=//example.invalid>",
    '<svg/onload=window.hit=1><a href="javascript:window.hit=1">click</a><link rel=stylesheet href=//example.invalid>',
    "invoice\u202egnp.exe \u2066hidden\u2069 zero\u200bwidth \x00\x1b[31mred\x07 \u2028line",
    "{{ 7*7 }} {% raw %} ${window.hit=1} <!-- --> ]]> <style>*{display:none}</style>",
    "</title></style></textarea><script>window.hit = 1</script>",
)


def hostile_calibration(n: int, *, attacks: Sequence[str] = ATTACKS) -> Calibration:
    """A judge on n examples; every eleventh response, reason and quote is a line of a million characters more."""
    scale = Scale.numbered(1, 5)
    rubric = Rubric(
        tuple(
            Criterion(1.0, attacks[place % len(attacks)], f"c{place} {attacks[0][:30]}", scale) for place in range(4)
        ),
        name=f"set {attacks[0][:40]}",
    )
    examples, ratings = [], []
    for place in range(n):
        attack = attacks[place % len(attacks)]
        long = LONG_LINE if place % 11 == 5 and len(attacks) > 1 else ""
        gold, judge = 1.0 + place % 5, 1.0 + min(4, place % 5 + (place % 3 == 0))
        labels = tuple(
            Rating(
                f"{place} {attack}",
                f"{who} {attack[:30]}",
                "human",
                _hostile_ratings(rubric, gold, attack),
                note=attack,
            )
            for who in ("p1", "p2")
        )
        examples.append(
            Example(
                Submission(attack + long, {"query": attack, f"x{attack[:20]}": long}, f"{place} {attack}"),
                labels,
                group=f"g{place % 7} {attack[:20]}",
                system=f"s{place % 2} {attacks[0]}",
            )
        )
        verdicts = _hostile_ratings(rubric, judge, attack + long)
        ratings.append(Rating(f"{place} {attack}", "judge", "model", verdicts))
    labelled = ExampleSet(tuple(examples))
    return calibration_of(rubric, labelled, ratings, Rater(attacks[0], "", "ratings", attacks[-1]))


def _hostile_ratings(rubric: Rubric, level: float, text: str) -> dict[str, Rated]:
    rated = Rated(level, f"a reason: {text}", f"a quote: {text}", False)
    return {criterion.name: rated for criterion in rubric.criteria}

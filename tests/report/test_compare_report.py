"""A choice between judges as a reader sees it: on a screen, in a pull request, as data."""

import io
import json
from pathlib import Path

import numpy as np
import pytest

from markscheme import Rubric
from markscheme.calibration.choice import Choice, Contender, choose
from markscheme.judges.judge import Usage
from markscheme.ratings.examples import Example, ExampleSet
from markscheme.ratings.gold import Gold, gold_of
from markscheme.ratings.rating import Rated, Rating
from markscheme.report.json import dumps
from markscheme.report.markdown import render_markdown
from markscheme.report.terminal import render_terminal
from markscheme.report.views.choice import json_of, view
from markscheme.submission import Submission

GOLDEN = Path(__file__).parents[1] / "golden"
RUBRIC = Rubric.from_dict(
    {"criteria": [{"name": "polite", "description": "Polite"}, {"name": "short", "requirement": "Short"}]}
)


def rating(unit: int, rater: str, polite: int, short: bool, kind: str = "model") -> Rating:
    levels = {"polite": Rated(float(polite)), "short": Rated(float(short))}
    return Rating(f"e{unit}", rater, "human" if kind == "human" else "model", levels)


def labels(n: int) -> Gold:
    examples = [
        Example(Submission(f"r{i}", {}, f"e{i}"), tuple(rating(i, p, 1 + i % 5, i % 3 > 0, "human") for p in "ab"))
        for i in range(n)
    ]
    return gold_of(ExampleSet(tuple(examples)), RUBRIC)


def judge(name: str, off: float, usd: float | None, *, seed: int, n: int = 60) -> Contender:
    rng = np.random.default_rng(seed)
    ratings = []
    for i in range(n):
        level = 1 + i % 5
        if rng.random() < off:
            level = int(np.clip(level + rng.choice([-1, 1, 2]), 1, 5))
        ratings.append(rating(i, name, level, bool(i % 3 > 0) != bool(rng.random() < off / 5)))
    return Contender(name, tuple(ratings), Usage() if usd is None else Usage(n, n, n, usd), asked=n)


@pytest.fixture(scope="module")
def choice() -> Choice:
    contenders = [
        judge("gpt", 0.4, 0.9, seed=1),
        judge("claude", 0.1, 0.6, seed=2),
        judge("<b>|odd*", 0.9, None, seed=3),
    ]
    return choose(RUBRIC, contenders, labels(60), notes=["2 examples are left out."])


def shown(choice: Choice) -> str:
    text = io.StringIO()
    render_terminal(view(choice), text, width=100)
    return text.getvalue()


def held_against(text: str, name: str) -> None:
    """Compare with a file; a reader of the change sees what a reader of the report would."""
    assert text == (GOLDEN / name).read_text(encoding="utf-8")


def test_the_terminal_shows_the_choice_and_the_evidence(choice: Choice) -> None:
    held_against(shown(choice), "compare.txt")


def test_the_markdown_shows_the_same(choice: Choice) -> None:
    held_against(render_markdown(view(choice)), "compare.md")


def test_without_labels_the_terminal_shows_what_moved() -> None:
    found = choose(RUBRIC, [judge("gpt", 0.4, None, seed=1), judge("claude", 0.1, None, seed=2)], None)
    held_against(shown(found), "compare-without-labels.txt")


def test_text_from_outside_makes_no_markup(choice: Choice) -> None:
    text = render_markdown(view(choice))
    assert "<b>" not in text
    assert "\\<b\\>\\|odd\\*" in text


def test_text_from_outside_moves_no_cursor() -> None:
    found = choose(RUBRIC, [judge("a\x1b[2Jb", 0.4, None, seed=1), judge("c", 0.1, None, seed=2)], None)
    assert "\x1b" not in shown(found)
    assert "a\ufffd[2Jb" in shown(found)


def test_the_json_holds_every_pair_in_full_precision_and_no_nan(choice: Choice) -> None:
    data = json.loads(dumps(json_of(choice)))
    assert [(p["first"], p["second"]) for p in data["pairs"]] == [
        ("gpt", "claude"), ("gpt", "<b>|odd*"), ("claude", "<b>|odd*")
    ]  # fmt: skip
    agreement = data["pairs"][0]["agreement"]
    assert agreement["difference"]["value"] == agreement["second"]["value"] - agreement["first"]["value"]
    assert data["judges"][2]["usd_per_1000"] is None
    assert data["notes"] == ["2 examples are left out."]


def test_a_best_judge_that_does_not_beat_the_baseline_is_not_recommended_as_good() -> None:
    found = choose(RUBRIC, [judge("gpt", 1.0, None, seed=1), judge("claude", 1.0, None, seed=2)], labels(60))
    baseline = found.baseline.value if found.baseline is not None else None
    head = shown(found).splitlines()[3]
    assert baseline is not None
    assert all(one.agreement is not None and (one.agreement.value or 0) <= baseline for one in found.standings)
    assert "none beats always answering" in head


def test_flips_are_counted_by_how_many_became_right(choice: Choice) -> None:
    pair = choice.pairs[0]
    right = sum(flip.passes == flip.gold for flip in pair.flips)
    assert f"{right} became right, {len(pair.flips) - right} became wrong" in shown(choice)


def test_few_examples_say_what_cannot_be_told() -> None:
    found = choose(RUBRIC, [judge("gpt", 0.4, None, seed=1, n=5), judge("claude", 0.1, None, seed=2, n=5)], labels(5))
    assert "What an old score means after a switch is not known: only 5 examples rated by both" in " ".join(
        shown(found).split()
    )
    assert json.loads(dumps(json_of(found)))["pairs"][0]["switch"]["slope"] is None

"""A choice between judges as a reader sees it: on a screen, in a pull request, as data."""

import io
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from markscheme import Rubric
from markscheme.features.compare.choice import Choice, Contender, Differences, choose
from markscheme.features.compare.view_choice import json_of, shown_pairs, view
from markscheme.judges.judge import Usage
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import Gold, gold_of
from markscheme.ratings.rating import Rated, Rating
from markscheme.report.document import Table, share_mark
from markscheme.report.figures import chance
from markscheme.report.json import dumps
from markscheme.report.markdown import render_markdown
from markscheme.report.terminal import render_terminal
from markscheme.stats.shares import share
from tests.golden_files import GoldenFiles

RUBRIC = Rubric.from_dict(
    {"criteria": [{"name": "polite", "description": "Polite"}, {"name": "short", "requirement": "Short"}]}
)
HERE = Path(__file__).parent / "golden"


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
    return Contender(name, tuple(ratings), Usage() if usd is None else Usage(n, n, n, usd), submissions=n)


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


def test_the_terminal_shows_which_judge_is_recommended_and_the_evidence_for_it(
    choice: Choice, golden: GoldenFiles
) -> None:
    golden.check("compare.txt", shown(choice), HERE)


def test_the_markdown_of_a_comparison_equals_its_golden_file(choice: Choice, golden: GoldenFiles) -> None:
    golden.check("compare.md", render_markdown(view(choice)), HERE)


def test_without_labels_the_terminal_shows_differences_between_the_judges(golden: GoldenFiles) -> None:
    choice = choose(RUBRIC, [judge("gpt", 0.4, None, seed=1), judge("claude", 0.1, None, seed=2)], None)
    golden.check("compare-without-labels.txt", shown(choice), HERE)


def test_without_labels_the_first_screen_shows_how_often_judges_give_the_same_level_and_where_decisions_differ() -> (
    None
):
    judges = [judge(name, off, None, seed=seed) for seed, (name, off) in enumerate([("gpt", 0.4), ("opus", 0.1)])]
    choice = choose(RUBRIC, judges, None)
    text = io.StringIO()
    render_terminal(replace(view(choice), sections=()), text, width=100)
    (pair,) = choice.pairs
    for name, criterion in pair.criteria.items():
        same = round(100 * (criterion.between.value or 0))
        assert re.search(rf"gpt → opus +{name} +{same}% ", text.getvalue())
    assert f"{len(pair.flips)} decisions flip" in text.getvalue()
    assert pair.flips[0].id in text.getvalue()


def test_without_labels_the_first_screen_shows_the_criteria_on_which_judges_differ_most_and_counts_the_rest() -> None:
    judges = [
        judge(name, off, None, seed=2) for name, off in zip("abcdef", (0.1, 0.2, 0.3, 0.4, 0.6, 0.8), strict=True)
    ]
    choice = choose(RUBRIC, judges, None)
    every = [criterion.between.value or 0 for pair in shown_pairs(choice) for criterion in pair.criteria.values()]
    table = next(block for block in view(choice).blocks if isinstance(block, Table))
    assert (len(every), len(table.rows)) == (10, 8)
    assert [row[2] for row in table.rows[:1]] == [
        share_mark(min(choice.pairs, key=_same_politeness).criteria["polite"].between)
    ]
    assert "2 more, on which they give the same level more often: see --details." in shown(choice)


def _same_politeness(pair: Differences) -> float:
    return 1 if pair.first != "a" else pair.criteria["polite"].between.value or 0


def test_judges_that_agree_equally_often_with_people_are_reported_as_equal_even_if_no_cost_is_known() -> None:
    again = judge("opus", 0.1, None, seed=2)
    worse = judge("gpt", 0.9, None, seed=3)
    tied = choose(RUBRIC, [judge("claude", 0.1, None, seed=2), again, worse], labels(60))
    assert tied.recommended is None
    text = " ".join(shown(tied).split())
    assert "? claude and opus agree with the labels equally often. Agreement " in text
    assert "Why: claude and opus agree with the labels equally often; " in text
    assert "claude is the best" not in text


def test_markup_in_a_judge_s_name_is_escaped_in_markdown(choice: Choice) -> None:
    text = render_markdown(view(choice))
    assert "<b>" not in text
    assert "\\<b\\>\\|odd\\*" in text


def test_control_characters_in_a_judge_s_name_are_replaced_on_the_terminal() -> None:
    choice = choose(RUBRIC, [judge("a\x1b[2Jb", 0.4, None, seed=1), judge("c", 0.1, None, seed=2)], None)
    assert "\x1b" not in shown(choice)
    assert "a\ufffd[2Jb" in shown(choice)


def test_the_json_of_a_comparison_holds_every_pair_of_judges_in_full_precision_and_no_nan(choice: Choice) -> None:
    data = json.loads(dumps(json_of(choice)))
    assert [(p["first"], p["second"]) for p in data["pairs"]] == [
        ("gpt", "claude"), ("gpt", "<b>|odd*"), ("claude", "<b>|odd*")
    ]  # fmt: skip
    agreement = data["pairs"][0]["agreement"]
    assert agreement["difference"]["value"] == agreement["second"]["value"] - agreement["first"]["value"]
    assert data["judges"][2]["usd_per_1000"] is None
    assert data["notes"] == ["2 examples are left out."]


def test_the_best_judge_is_not_recommended_if_it_does_not_beat_the_baseline() -> None:
    contenders = [judge("gpt", 1.0, None, seed=1), judge("claude", 1.0, None, seed=2)]
    choice = choose(RUBRIC, contenders, labels(60), of="score")
    baseline = choice.baseline.value if choice.baseline is not None else None
    head = shown(choice).splitlines()[3]
    assert baseline is not None
    assert all(
        standing.agreement is not None and (standing.agreement.value or 0) <= baseline for standing in choice.standings
    )
    assert "none beats always answering" in head


def test_the_comparison_says_how_many_flipped_decisions_became_right_and_how_many_became_wrong(choice: Choice) -> None:
    pair = choice.pairs[0]
    right = sum(flip.passes == flip.gold for flip in pair.flips)
    assert f"{right} became right, {len(pair.flips) - right} became wrong" in shown(choice)


def test_a_report_on_few_examples_says_that_a_new_judge_s_scores_cannot_be_predicted() -> None:
    choice = choose(RUBRIC, [judge("gpt", 0.4, None, seed=1, n=5), judge("claude", 0.1, None, seed=2, n=5)], labels(5))
    assert "If you switch, what an old score becomes isn't known: only 5 examples rated by both" in " ".join(
        shown(choice).split()
    )
    assert json.loads(dumps(json_of(choice)))["pairs"][0]["switch"]["slope"] is None


# --- every p and interval is that of the numbers next to it -----------------------------------------------------------


def mid_p(first: int, second: int) -> float:
    """McNemar's mid-p of two counts of discordant pairs, from the binomial distribution alone."""
    n = first + second
    most = max(first, second)
    if first == second:
        return 1.0
    beyond = sum(math.comb(n, k) for k in range(most + 1, n + 1))
    return float(2 * beyond + math.comb(n, most)) / 2.0**n


def decided_as(name: str, decisions: list[bool]) -> Contender:
    """A judge whose decision on each example is the given one: polite 5 or 1, short or not."""
    ratings = (rating(unit, name, 5 if passes else 1, passes) for unit, passes in enumerate(decisions))
    return Contender(name, tuple(ratings), submissions=len(decisions))


def gold_as(decisions: list[bool], group: int = 1) -> Gold:
    """Labels with these decisions, `group` examples to a task where that is more than one."""
    examples = [
        Example(
            Submission(f"r{unit}", {}, f"e{unit}"),
            tuple(rating(unit, person, 5 if passes else 1, passes, "human") for person in "ab"),
            group=f"task {unit // group}" if group > 1 else "",
        )
        for unit, passes in enumerate(decisions)
    ]
    return gold_of(ExampleSet(tuple(examples)), RUBRIC)


def ten_right_one_wrong(group: int = 1) -> Choice:
    """Of 11 flips 7 are to pass and 4 to fail; 10 became right and 1 became wrong."""
    gold = [True] * 6 + [False] * 5 + [True, False] * 12 + [True]
    new = [True] * 6 + [False] * 4 + [True] + gold[11:]
    old = [not passes for passes in new[:11]] + gold[11:]
    return choose(RUBRIC, [decided_as("old", old), decided_as("new", new)], gold_as(gold, group))


def test_flipped_decisions_have_one_p_value_for_passes_against_fails_and_another_for_right_against_wrong() -> None:
    words = " ".join(shown(ten_right_one_wrong()).split())
    assert "11 decisions flip: 7 to pass, 4 to fail (p 0.388); 10 became right, 1 became wrong (p 0.006)." in words


def test_in_a_table_of_two_judges_the_printed_difference_is_the_difference_of_the_two_printed_shares() -> None:
    gold = [True, False] * 125
    old, new = ([passes == (unit < right) for unit, passes in enumerate(gold)] for right in (114, 136))
    text = render_markdown(view(choose(RUBRIC, [decided_as("old", old), decided_as("new", new)], gold_as(gold))))
    (of_criterion,) = re.findall(r"\| polite \| ([\d.]+)% \| ([\d.]+)% \| (\S+) \(", text)
    assert of_criterion in (("54.4", "45.6", "−8.8"), ("45.6", "54.4", "+8.8"))
    (of_whole,) = re.findall(r"\| agreement \| ([\d.]+)% [^|]* \| ([\d.]+)% [^|]* \| (\S+) \(", text)
    assert of_whole == of_criterion


def test_each_p_value_and_interval_of_a_comparison_can_be_recomputed_from_the_printed_numbers(choice: Choice) -> None:
    for compared in (choice, ten_right_one_wrong()):
        words = " ".join(shown(compared).split())
        balances = re.findall(r"(\d+) (?:to pass|became right), (\d+) (?:to fail|became wrong) \(p ([\d.<]+)\)", words)
        assert len(balances) == 2 * len(shown_pairs(compared))
        for first, second, p in balances:
            assert p == chance(mid_p(int(first), int(second)))
        of_all = re.sub(r"If you switch, \S+ \S+ of the old passes .*? of the old fails pass\.", "", words)
        shares = re.findall(r"(?<![\d+−–])(\d+)% \((\d+)–(\d+)\)", of_all)
        assert len(shares) > 5
        for percent, low, high in shares:
            right = round(int(percent) * compared.examples / 100)
            estimate = share(np.arange(compared.examples) < right)
            assert estimate.low is not None
            assert estimate.high is not None
            assert (int(low), int(high)) == (round(100 * estimate.low), round(100 * estimate.high))


def test_examples_of_one_task_count_as_one_in_the_p_value_of_a_comparison() -> None:
    alone = ten_right_one_wrong().pairs[0]
    by_task = ten_right_one_wrong(group=6).pairs[0]
    assert by_task.became_right == alone.became_right == 10
    assert by_task.became_p == pytest.approx(mid_p(2, 0))
    assert alone.became_p == pytest.approx(mid_p(10, 1))


def test_the_json_of_a_comparison_counts_flipped_decisions_by_direction_and_by_correctness_with_p_values() -> None:
    (pair,) = json.loads(dumps(json_of(ten_right_one_wrong())))["pairs"]
    assert (pair["became_right"], pair["became_wrong"]) == (10, 1)
    assert (pair["flips_p"], pair["became_p"]) == (pytest.approx(mid_p(7, 4)), pytest.approx(mid_p(10, 1)))

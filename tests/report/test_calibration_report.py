"""A calibration as a reader sees it, whole: on a screen, in a pull request, as data."""

import io
import json
import re
from dataclasses import replace

import pytest

from markscheme import Rubric, calibrate
from markscheme.calibration.calibration import Calibration, Counts, Rater, calibration_of
from markscheme.judges.function import FunctionJudge
from markscheme.judges.judge import Usage
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rated, Rating
from markscheme.report.json import dumps
from markscheme.report.markdown import render_markdown
from markscheme.report.terminal import SCREEN_LINES, render_terminal
from markscheme.report.views.calibration import json_of, view
from tests.calibration.made import examples as made_examples
from tests.calibration.made import judged as judged_by
from tests.calibration.made import yes_no_rubric
from tests.commands.screens import holds_command
from tests.core_alone import core_alone
from tests.golden_files import GoldenFiles

RUBRIC = Rubric.from_dict(
    {
        "name": "reply",
        "criteria": [{"name": "clear", "description": "Clear"}, {"name": "polite", "requirement": "Polite"}],
    }
)
HOSTILE = "</td><script>alert(1)</script> **bold** | [x](javascript:y) \u202e @team"


def rating(unit: int, rater: str, kind: Kind, clear: int, polite: bool, reason: str = "") -> Rating:
    return Rating(f"e{unit}", rater, kind, {"clear": Rated(float(clear), reason), "polite": Rated(float(polite))})


def labelled(unit: int) -> Example:
    clear, polite = 1 + unit % 5, unit % 3 > 0
    second = min(5, clear + (unit % 7 == 0))
    labels = (rating(unit, "ana", "human", clear, polite), rating(unit, "ben", "human", second, polite))
    return Example(Submission(f"reply {unit}", {}, f"e{unit}"), labels)


def judged(unit: int) -> Rating:
    lenient = min(5, 1 + unit % 5 + (unit % 2))
    return rating(unit, "judge", "model", lenient, unit % 3 > 0 or unit % 10 == 0, HOSTILE)


@pytest.fixture(scope="module")
def calibration() -> Calibration:
    return make_calibration()


def make_calibration() -> Calibration:
    """Make a calibration with something to say in every part of its report."""
    examples = ExampleSet(tuple(labelled(unit) for unit in range(60)))
    ratings = [judged(unit) for unit in range(58)]
    rater = Rater("judge", "f00d", "ratings", "judge.jsonl", options="--ratings judge.jsonl")
    return calibration_of(RUBRIC, examples, ratings, rater)


def on_screen(calibration: Calibration, *, details: bool = False) -> str:
    page = io.StringIO()
    render_terminal(view(calibration), page, width=80, details=details)
    return page.getvalue()


def test_the_report_of_a_calibration_on_a_terminal_equals_its_golden_file(
    calibration: Calibration, golden: GoldenFiles
) -> None:
    first_screen = on_screen(calibration)
    golden.check("calibration.txt", first_screen)
    assert len(first_screen.splitlines()) <= SCREEN_LINES


def test_the_detailed_report_on_a_terminal_without_optional_features_equals_its_golden_file(
    golden: GoldenFiles,
) -> None:
    with core_alone():
        golden.check("core/calibration-details.txt", on_screen(make_calibration(), details=True))


def test_the_markdown_report_of_a_calibration_without_optional_features_equals_its_golden_file(
    golden: GoldenFiles,
) -> None:
    with core_alone():
        golden.check("core/calibration.md", render_markdown(view(make_calibration())))


def test_the_report_begins_with_the_verdict_on_the_judge_and_lists_false_passes_before_what_to_fix(
    calibration: Calibration,
) -> None:
    lines = on_screen(calibration, details=True).splitlines()
    places = [
        next(n for n, line in enumerate(lines) if line.strip().startswith(start))
        for start in (
            "? Not enough labels",
            "decisions ",
            "Scores agree",
            "False passes",
            "Fix first",
            "Criterion ",
            "What was run",
        )
    ]
    assert places == sorted(places)


def test_hostile_reasons_of_a_judge_are_shown_as_text_in_markdown(calibration: Calibration) -> None:
    page = render_markdown(view(calibration))
    assert "alert" in page
    live = re.sub(r"\\.", "", page)  # what Markdown would act on
    assert not any(sign in live for sign in ("<script", "](", "**bold", "@team"))


def test_the_json_of_the_report_can_be_read_by_a_strict_parser(calibration: Calibration) -> None:
    def refuse(constant: str) -> object:
        raise AssertionError(constant)

    text = dumps(json_of(calibration))
    assert json.loads(text, parse_constant=refuse)["counts"]["not_graded"] == 2


def test_reports_on_recorded_and_on_live_replies_differ_by_one_line_only(calibration: Calibration) -> None:
    recorded = replace(calibration, rater=Rater("gpt", "f00d", "recorded", "gpt.jsonl, 2026-11-21"))
    live = replace(calibration, rater=Rater("gpt", "f00d", "live"))
    pairs = zip(on_screen(recorded).splitlines(), on_screen(live).splitlines(), strict=True)
    assert [pair for pair in pairs if pair[0] != pair[1]] == [
        ("Recorded replies, no calls: gpt.jsonl, 2026-11-21.", "Live: 0 calls, 0 replies from the cache.")
    ]


def test_no_line_of_the_report_is_wider_than_the_terminal(calibration: Calibration) -> None:
    for width in (60, 80, 120):
        page = io.StringIO()
        render_terminal(view(calibration), page, width=width)
        assert not [line for line in page.getvalue().splitlines() if len(line) > width and not holds_command(line)]


def test_the_report_writes_counts_of_one_in_the_singular(calibration: Calibration) -> None:
    counts = Counts(1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1)
    one = replace(calibration, rater=Rater("j", "f00d", "live"), counts=counts, cost=Usage(1))
    page = on_screen(one, details=True)
    for text in ("1 call, 1 reply from the cache", "1 verdict unreadable", "1 abstention;", "1 of 1 quote not found"):
        assert text in page
    assert "The rubric was reworded after 1 label was given" in page


def test_examples_on_which_annotators_split_evenly_are_counted_and_named() -> None:
    rubric = yes_no_rubric("polite")
    people = {"ana": [[n % 2] for n in range(40)], "ben": [[n % 2 if n > 1 else 1 - n % 2] for n in range(40)]}
    examples = made_examples(rubric, people)
    made = calibration_of(rubric, examples, judged_by(rubric, people["ana"]), Rater("j", "f00d", "ratings", "j.jsonl"))
    assert "Annotators split evenly on polite of 2 examples (e0, e1), which therefore" in render_markdown(view(made))
    assert (made.comparison.agreement.n, made.comparison.agreement.value) == (38, 1.0)
    assert made.counts.even_splits == 2


def test_an_even_split_of_annotators_on_one_criterion_excludes_the_example_only_from_figures_it_affects() -> None:
    criteria = [{"name": name, "requirement": name} for name in ("polite", "clear", "brief")]
    rubric = Rubric.from_dict({"name": "reply", "criteria": criteria})
    ana = [[n % 2] * 3 for n in range(40)]
    ben = [[1 - row[0], *row[1:]] if n < 2 else row for n, row in enumerate(ana)]
    examples = made_examples(rubric, {"ana": ana, "ben": ben})
    judged = judged_by(rubric, [[1 - level for level in row] if n in (7, 8) else row for n, row in enumerate(ana)])
    made = calibration_of(rubric, examples, judged, Rater("j", "f00d", "ratings", "j.jsonl"))
    page = " ".join(on_screen(made, details=True).split())
    assert "2 examples (e0, e1), which therefore count in no figure of polite, nor of scores and decisions that" in page
    same = json_of(made)["decision"]["gate"]["figures"]["same_decision"]
    assert (same["n"], made.comparison.agreement.n) == (40, 38)
    assert "Scores differ on 2 of 38 examples." in page


def few_fails(n: int = 60) -> Calibration:
    """A judge and people who both see six impolite replies among many."""

    def rating_at(unit: int, rater: str, kind: Kind, places: range) -> Rating:
        return rating(unit, rater, kind, 1 + unit % 5, unit not in places)

    examples = [
        Example(Submission("", {}, f"e{unit}"), (rating_at(unit, "a", "human", range(6)),)) for unit in range(n)
    ]
    ratings = [rating_at(unit, "judge", "model", range(1, 7)) for unit in range(n)]
    return calibration_of(RUBRIC, ExampleSet(tuple(examples)), ratings, Rater("judge", "f00d", "ratings", "j.jsonl"))


def test_the_sign_for_an_approximate_interval_is_explained_where_it_occurs_and_only_there(
    calibration: Calibration,
) -> None:
    rough = few_fails()
    assert " ~" in on_screen(rough)
    assert "~ approximate" in " ".join(on_screen(rough).split())
    assert "; ~ approximate" in render_markdown(view(rough))
    assert "~" not in on_screen(calibration)
    assert "approximate" not in on_screen(calibration)


def test_every_negative_figure_in_the_report_has_the_same_minus_sign() -> None:
    def lower(unit: int) -> Rating:
        return rating(unit, "judge", "model", max(1, unit % 5), unit % 3 == 0)

    examples = ExampleSet(tuple(labelled(unit) for unit in range(60)))
    below = calibration_of(
        RUBRIC, examples, [lower(u) for u in range(60)], Rater("judge", "f00d", "ratings", "j.jsonl")
    )
    text = on_screen(below)
    assert "−" in text
    assert not re.search(r"(?<![\w.])-\d", text)


def test_numbers_in_the_json_have_no_floating_point_noise(calibration: Calibration) -> None:
    report = json.loads(dumps(json_of(calibration)))
    numbers = re.findall(r"-?\d+\.\d+(?:e-?\d+)?", dumps(report))
    assert numbers
    assert max(len(number.partition("e")[0].lstrip("-0.").replace(".", "")) for number in numbers) <= 12


def test_if_a_fifth_of_the_examples_is_ungraded_the_report_limits_its_answer_to_the_graded_examples() -> None:
    rubric = yes_no_rubric()
    levels = [[n % 2] for n in range(100)]
    examples = made_examples(rubric, {"ana": levels, "ben": levels})
    graded = judged_by(rubric, levels)[:80]
    made = calibration_of(rubric, examples, graded, Rater("j", "f00d", "ratings", "j.jsonl"))
    page = " ".join(on_screen(made).split())
    assert (made.exit_status, made.use) == (5, "gate")
    assert "! Can gate." in page
    assert "But only 80 of 100 examples are graded: for the others nothing is shown." in page


def test_a_verdict_without_a_quote_is_not_counted_among_the_quotes_that_were_not_found() -> None:
    quotes = {"first": "", "second": "", "third": "The third reply", "fourth": "words of another reply"}
    labels = [{"rater": "ana", "criteria": {"polite": "MET"}}]
    examples = [{"id": name, "response": f"The {name} reply is here.", "labels": labels} for name in quotes]

    def judge(system_prompt: str, user_prompt: str) -> dict[str, object]:
        quote = next(quote for name, quote in quotes.items() if f"The {name} reply" in user_prompt)
        return {"verdicts": {"polite": {"quote": quote, "reason": "By ear.", "level": "MET"}}}

    rubric = Rubric.from_dict({"name": "reply", "criteria": [{"name": "polite", "requirement": "Polite"}]})
    calibration = calibrate(rubric, examples, FunctionJudge(judge, "ear"))
    assert (calibration.counts.quotes, calibration.counts.quotes_not_found) == (2, 1)

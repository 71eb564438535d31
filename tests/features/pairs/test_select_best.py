"""`select-best` in the real Promptfoo, answered by our provider in both languages: by pairs, in both orders."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from markscheme.calibration.comparison.comparison import rank_systems
from markscheme.errors import RatingWarning
from markscheme.features.pairs.select_best import recorded_lines
from markscheme.promptfoo.provider import call_api
from markscheme.promptfoo.questions import PROVIDER_QUESTIONS
from markscheme.readers.rated import open_rated
from tests.promptfoo import shorter_judge
from tests.promptfoo.answering import HOOKS, LANGUAGES, PROVIDER, in_language, rows
from tests.real.messages_front import Answer, MessagesFront, Request, failing, message
from tests.real.promptfoo import EvalRun, PromptfooInstall, run_eval

pytestmark = pytest.mark.proof

RUBRIC = """
compare: pairs
criteria:
- {name: shorter, prefer: The shorter one.}
"""
PROMPTS = ["{{a}}", "{{b}}", "{{c}}", "{{d}}"]
OUTPUTS = {"a": "four words are here", "b": "two words", "c": "three words here", "d": "there are five words here"}


def pairs_in(path: Path) -> int:
    """Return how many pairs in a file compare two systems."""
    rated = open_rated([path], expected="anything")
    ranked = rank_systems(rated.rubric, rated.labelled, rated.ratings)
    assert ranked is not None
    return int(ranked.to_json()["pairs"])


def shorter(request: Request) -> Answer:
    """Answer over HTTP as a judge that prefers the response with fewer words."""
    body = request.body
    try:
        answer = shorter_judge.judge("", body["messages"][0]["content"], body["output_config"]["format"]["schema"])
    except ValueError as error:
        return failing(400, why=str(error))
    return message(json.dumps(answer))


@dataclass(frozen=True)
class Selected:
    """Result of one evaluation: the outcomes of each test's four outputs, and the recorded pairs."""

    passed: dict[str, list[bool]]
    errors: dict[str, str]
    pairs: list[dict[str, Any]]
    printed: str


def select_tests(language: str, folder: Path) -> list[dict[str, Any]]:
    def test(name: str, value: str, outputs: dict[str, str] = OUTPUTS, **config: Any) -> dict[str, Any]:
        judged = {"judge": "function:shorter_judge:judge", **config}
        provider = {"id": in_language(language, PROVIDER), "config": judged}
        return {
            "description": name,
            "vars": {**outputs, "language": language},
            "assert": [{"type": "select-best", "value": value}],
            "options": {"provider": provider},
        }

    same = {"a": "two words", "b": "words two", "c": "it is longer", "d": "much longer than that"}
    return [
        test("text", "the shorter one", pairs=f"{folder}/{language}.jsonl"),
        test("rubric", "rubric: terse"),
        test("tie", "the shorter one", same),
        test("tie fails", "the shorter one", same, tie="fail"),
        test("judge fails", "the shorter one", {**OUTPUTS, "c": "it fails"}),
        test("leans", "the shorter one", {"a": "lean a", "b": "lean b", "c": "lean c", "d": "lean d"}),
    ]


@pytest.fixture(scope="module")
def in_both_languages(tmp_path_factory: pytest.TempPathFactory, promptfoo: PromptfooInstall) -> dict[str, Selected]:
    """Run all tests with the provider in both languages, in one evaluation."""
    folder = tmp_path_factory.mktemp("select")
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "terse.yaml").write_text(RUBRIC)
    tests = [test for language in LANGUAGES for test in select_tests(language, folder)]
    config = {"prompts": PROMPTS, "providers": ["echo"], "tests": tests, "extensions": HOOKS}
    (folder / "promptfooconfig.yaml").write_text(yaml.safe_dump(config))
    shutil.copy(shorter_judge.__file__, folder)
    environment = {"MARKSCHEME_CACHE": str(folder / "cache")}
    evaluated = run_eval(folder / "promptfooconfig.yaml", cwd=folder, env=environment)
    return {language: selected_by(language, folder, evaluated) for language in LANGUAGES}


def selected_by(language: str, folder: Path, evaluated: EvalRun) -> Selected:
    """Return the results that the provider in one language decided."""
    passed: dict[str, list[bool]] = {}
    errors: dict[str, str] = {}
    for row in rows(evaluated):
        if row["vars"]["language"] == language:
            name = row["testCase"]["description"]
            passed.setdefault(name, []).append(row["success"])
            errors[name] = json.dumps([row.get("error"), row.get("gradingResult")])
    recorded = [json.loads(line) for line in (folder / f"{language}.jsonl").read_text().splitlines()]
    return Selected(passed, errors, recorded, evaluated.stdout + evaluated.stderr)


@pytest.fixture(params=LANGUAGES)
def selected(request: pytest.FixtureRequest, in_both_languages: dict[str, Selected]) -> Selected:
    """Return the results of the provider in one language."""
    return in_both_languages[request.param]


def test_the_select_best_assertion_chooses_the_same_output_of_four_whether_it_is_given_a_text_or_a_rubric(
    selected: Selected,
) -> None:
    assert selected.passed["text"] == selected.passed["rubric"] == [False, True, False, False]


def test_in_a_tie_select_best_chooses_the_earlier_output_or_leaves_all_ungraded_as_configured(
    selected: Selected,
) -> None:
    assert selected.passed["tie"] == [True, False, False, False]
    assert selected.passed["tie fails"] == [False] * 4
    assert "not graded: tie between outputs 0, 1" in selected.errors["tie fails"]


def test_the_select_best_assertion_selects_nothing_if_the_judge_fails(selected: Selected) -> None:
    assert selected.passed["judge fails"] == [False] * 4
    assert "not graded:" in selected.errors["judge fails"]


def test_the_select_best_assertion_passes_the_first_output_if_the_judge_always_prefers_what_it_is_shown_first(
    selected: Selected,
) -> None:
    assert selected.passed["leans"] == [True, False, False, False]


def test_the_select_best_assertion_records_pairs_with_the_judge_s_preference_in_both_orders(
    selected: Selected, tmp_path: Path
) -> None:
    assert len(selected.pairs) == 6
    for pair in selected.pairs:
        assert [label["shown"] for label in pair["labels"]] == ["first-second", "second-first"]
        assert {label["kind"] for label in pair["labels"]} == {"model"}
        assert pair["drawn"] == "chosen"
    (tmp_path / "pairs.jsonl").write_text("".join(f"{json.dumps(pair)}\n" for pair in selected.pairs))
    assert pairs_in(tmp_path / "pairs.jsonl") == 6


def test_the_select_best_assertion_reports_ties_and_flipped_preferences_after_the_run(selected: Selected) -> None:
    assert "select-best: 6 pairs in" in selected.printed
    assert "0 ties" in selected.printed


def test_the_summary_of_pairs_recorded_by_the_select_best_assertion_is_printed_despite_malformed_lines(
    tmp_path: Path,
) -> None:
    file = tmp_path / "pairs.jsonl"
    labels = [{"criteria": {"helps": {"level": 1.0}}}, {"criteria": {"helps": {"level": -1.0}}}]
    strange = [{"labels": [{"criteria": {"helps": 1}}, {"criteria": {"helps": {"abstained": "?"}}}, 3]}, {"labels": 4}]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in [{"labels": labels}, *strange]))
    config = {"defaultTest": {"provider": {"id": "file://graders/rubric_provider.mjs", "config": {"pairs": str(file)}}}}
    (line,) = recorded_lines(config)
    assert line.startswith(f"select-best: 3 pairs in {file}; 1 tie, and in 1 the judge prefers another output")


def select(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outputs: list[str], **config: Any
) -> tuple[dict[str, Any], int]:
    """Ask the provider to select among outputs; return its answer, and how often the judge was asked."""
    with MessagesFront(shorter) as front:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-a-test")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", front.url)
        monkeypatch.setenv("MARKSCHEME_CACHE", str(tmp_path / "cache"))
        answer = call_api(
            "Which is best?",
            {"config": {"judge": "anthropic", **config}},
            {"prompt": {"label": "select-best"}, "vars": {"criteria": "the shorter one", "outputs": outputs}},
            near=tmp_path,
        )
        return answer, len(front.requests)


def test_the_select_best_assertion_compares_more_than_four_outputs_in_a_knockout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, calls = select(tmp_path, monkeypatch, [" ".join(["word"] * n) for n in (5, 3, 6, 2, 4, 7)])
    assert answer["output"] == "3"
    assert calls == 4 + 2  # four matches leave two of six, and the final is asked in both orders
    assert answer["metadata"]["pairs"] == 5


def test_the_select_best_assertion_stops_after_a_knockout_match_without_a_grade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [" ".join(["word"] * n) for n in (5, 3, 6, 2, 4)]
    answer, calls = select(tmp_path, monkeypatch, [*words, "it fails"])
    assert answer["error"].startswith("not graded:")
    assert calls == 3  # the matches of the first round that were begun with it


def test_a_second_run_of_select_best_replaces_the_judge_s_answers_on_pairs_and_keeps_annotators_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-a-test")
    monkeypatch.setenv("MARKSCHEME_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "pairs.jsonl"
    config = {"judge": "anthropic", "pairs": "pairs.jsonl"}

    def select(*outputs: str) -> None:
        with MessagesFront(shorter) as front:
            monkeypatch.setenv("ANTHROPIC_BASE_URL", front.url)
            prompt = {"prompt": {"label": "select-best"}, "vars": {"criteria": "the shorter one", "outputs": outputs}}
            call_api("Which?", {"config": config}, json.loads(json.dumps(prompt)), near=tmp_path)

    select("one two", "one", "one")
    first, *others = file.read_text().splitlines()
    assert len(others) == 2, "two outputs with the same words are two"
    pair = json.loads(first)
    by_ann = {"rater": "ann", "kind": "human", "shown": "first-second", "criteria": {"better": {"level": 0}}}
    file.write_text("\n".join([json.dumps({**pair, "labels": [by_ann, *pair["labels"]]}), "not ours", *others]) + "\n")
    select("one two", "one", "one")
    select("one two", "one", "one two three")
    lines = file.read_text().splitlines()
    assert lines[1] == "not ours"
    pairs = [json.loads(line) for line in lines if line != "not ours"]
    assert len({pair["id"] for pair in pairs}) == len(pairs) == 5
    assert pairs[0]["labels"] == [by_ann, *pair["labels"]]
    file.write_text("".join(f"{line}\n" for line in lines if line != "not ours"))
    with pytest.warns(RatingWarning, match="hold the same response"):
        assert pairs_in(file) == 5


def test_the_select_best_assertion_adds_pairs_to_a_file_with_a_broken_character_or_nan_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "pairs.jsonl"
    select(tmp_path, monkeypatch, ["one two", "one"], pairs=str(file))
    pair = file.read_text().rstrip()
    with_half = pair.replace('"labels"', '"note": "\\ud83d", "labels"', 1)
    with_nan = pair.replace('"labels"', '"weight": NaN, "labels"', 1)
    file.write_text(f"{with_half}\n{with_nan}\n")
    answer, _ = select(tmp_path, monkeypatch, ["one two", "one"], pairs=str(file))
    assert answer["output"] == "1"
    half, nan = file.read_text().splitlines()
    assert json.loads(half) == {**json.loads(pair), "note": "\N{REPLACEMENT CHARACTER}"}
    assert nan == with_nan


def test_a_file_of_pairs_that_is_not_text_is_reported_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "pairs.jsonl"
    for content in (b'{"id": "\xe9"}\n', b"\x89PNG"):
        file.write_bytes(content)
        answer, _ = select(tmp_path, monkeypatch, ["one two", "one"], pairs=str(file))
        assert f"{file}: is not UTF-8 text" in answer["error"]
        assert file.read_bytes() == content


def test_pairs_are_added_correctly_to_a_file_whose_last_line_has_no_line_break(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"id": "earlier"}')
    select(tmp_path, monkeypatch, ["one two", "one"], pairs=str(file))
    earlier, added = file.read_text().splitlines()
    assert (json.loads(earlier), json.loads(added)["first"]["response"]) == ({"id": "earlier"}, "one two")


@pytest.mark.parametrize(
    ("config", "problem"),
    [({"tie": "coin"}, "config.tie must be first or fail"), ({"pairs": 3}, "config.pairs must be")],
)
def test_the_select_best_assertion_refuses_a_wrong_option(tmp_path: Path, config: dict[str, Any], problem: str) -> None:
    context = {"prompt": {"label": "select-best"}, "vars": {"criteria": "shorter", "outputs": ["one", "two"]}}
    answer = call_api("?", {"config": {"judge": "anthropic", **config}}, context, near=tmp_path)
    assert problem in answer["error"]


def test_the_provider_recognizes_promptfoo_s_requests_of_the_type_select_best() -> None:
    assert "select-best" in {kind.label for kind in PROVIDER_QUESTIONS}

"""Code as judge: shipped scorers by their definitions, own ones by decorator, judges as scorers, runs and checks."""

import asyncio
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markscheme import Criterion, Level, Scale, ScriptedJudge, Submission
from markscheme.errors import UsageError
from markscheme.grading import Grading
from markscheme.grading.step_checks import CHECKS
from markscheme.grading.verdict import Unread, Verdict
from markscheme.rubrics.rubric import YES_NO, Rubric
from markscheme.scorers import (
    SHIPPED_CHECKS,
    Scored,
    Scorer,
    exact_match,
    find_check,
    json_valid,
    load_scorers,
    rouge_l,
    run_check,
    scorer,
    token_f1,
)

WORDS = st.lists(st.sampled_from(["the", "The", "cat", "sat", "mat"]), max_size=8).map(" ".join)


# --- shipped --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prediction", "expected", "score"),
    [("Paris", "Paris", 1), (" Paris\n", "\tParis ", 1), ("paris", "Paris", 0), ("Paris.", "Paris", 0), ("", " ", 1)],
)
def test_exact_match_compares_trimmed_texts(prediction: str, expected: str, score: float) -> None:
    assert exact_match(prediction, expected) == score


@pytest.mark.parametrize(
    ("prediction", "score"),
    [
        ('{"a": [1, null]}', 1),
        (" 3 \n", 1),
        ('"text"', 1),
        ("1" * 10_000, 1),
        ("{'a': 1}", 0),
        ("", 0),
        ("{} {}", 0),
        ("NaN", 0),
        ('{"a": Infinity}', 0),
        ("```json\n{}\n```", 0),
        ("[" * 100_000, 0),
    ],
)
def test_the_json_valid_check_distinguishes_json_from_other_text(prediction: str, score: float) -> None:
    assert json_valid(prediction) == json_valid(prediction, "whatever") == score


@pytest.mark.parametrize(
    ("prediction", "expected", "score"),
    [
        ("the capital is paris", "paris is the capital", 1),
        ("the cat extra", "the cat", 0.8),
        ("The Cat", "the cat", 1),
        ("the the the", "the cat", 0.4),
        ("dog", "cat", 0),
        ("", "cat", 0),
        ("cat", "", 0),
        ("", "", 0),
    ],
)
def test_token_f1_counts_shared_words_whatever_their_order(prediction: str, expected: str, score: float) -> None:
    assert token_f1(prediction, expected) == pytest.approx(score)


def test_token_f1_keeps_case_on_request() -> None:
    assert token_f1("Paris", "paris") == 1
    assert token_f1("Paris", "paris", case_sensitive=True) == 0


@pytest.mark.parametrize(
    ("prediction", "expected", "score"),
    [
        ("the cat sat", "the cat", 0.8),
        ("the capital is paris", "paris is the capital", 0.5),
        ("a b c d", "a x c y", 0.5),
        ("The cat", "the cat", 0.5),
        ("", "cat", 0),
        ("", "", 0),
    ],
)
def test_rouge_l_is_the_f1_of_the_longest_common_subsequence(prediction: str, expected: str, score: float) -> None:
    assert rouge_l(prediction, expected) == pytest.approx(score)


@given(prediction=WORDS, expected=WORDS)
def test_token_f1_and_rouge_l_are_harmonic_means_of_precision_and_recall(prediction: str, expected: str) -> None:
    predicted, wanted = prediction.lower().split(), expected.lower().split()
    shared = (Counter(predicted) & Counter(wanted)).total()
    precision, recall = (shared / len(side) if side else 0.0 for side in (predicted, wanted))
    f1 = 2 * precision * recall / (precision + recall) if shared else 0.0
    assert token_f1(prediction, expected) == pytest.approx(f1)
    assert token_f1(prediction, expected) == token_f1(expected, prediction)
    assert (token_f1(prediction, expected) == 1) == (bool(predicted) and Counter(predicted) == Counter(wanted))
    in_order, whatever_order = rouge_l(prediction, expected), token_f1(prediction, expected, case_sensitive=True)
    assert in_order is not None
    assert whatever_order is not None
    assert 0 <= in_order <= whatever_order + 1e-12
    assert (rouge_l(prediction, expected) == 1) == (bool(predicted) and prediction.split() == expected.split())


@pytest.mark.parametrize("check", [exact_match, rouge_l, token_f1])
def test_a_scorer_that_needs_an_expected_answer_raises_an_error_if_there_is_no_expected_answer(check: Scorer) -> None:
    with pytest.raises(ValueError, match="no expected answer"):
        check("Paris", None)


# --- the decorator --------------------------------------------------------------------------------------------------


@scorer
def mentions_refund(prediction: str, _expected: str) -> float:
    return 1.0 if "refund" in prediction.lower() else 0.0


@scorer(name="grounded")
def _grounded(prediction: str, _expected: str, *, prompt: str | None = None) -> float:
    return 1.0 if prompt and prompt.split()[0].lower() in prediction.lower() else 0.0


def test_the_scorer_decorator_works_with_and_without_a_name() -> None:
    assert (mentions_refund.name, mentions_refund("A Refund.", "")) == ("mentions_refund", 1.0)
    assert (_grounded.name, _grounded("the hat", "", prompt="Hat or cap?")) == ("grounded", 1.0)
    assert scorer(mentions_refund, name="other").name == "other"
    assert scorer(len).name == "len"


def test_a_scorer_with_a_parameter_that_no_run_provides_is_refused_as_soon_as_the_scorer_is_declared() -> None:
    with pytest.raises(TypeError, match="scorer 'f' asks for 'temperature', which no run provides"):

        @scorer
        def f(prediction: str, expected: str, *, temperature: float) -> float:
            return temperature


@pytest.mark.parametrize(("given", "score"), [(True, 1.0), (0, 0.0), (None, None), (Scored(0.25, "why"), 0.25)])
def test_the_function_of_a_scorer_may_return_a_boolean_or_a_number_or_none_or_a_score_with_a_reason(
    given: Any, score: float | None
) -> None:
    assert Scorer(lambda prediction, expected: given, "s")("x", None) == score


# --- a judge as scorer ----------------------------------------------------------------------------------------------


# --- runs -----------------------------------------------------------------------------------------------------------


# --- checks of a rubric ---------------------------------------------------------------------------------------------


def check(name: str, scale: Scale | None = None) -> Criterion:
    return Criterion(1.0, "A", "form", scale or YES_NO, check=name)


def test_a_check_s_score_of_0_8_becomes_the_level_at_four_fifths_of_the_criterion_s_scale() -> None:
    submission = Submission("the cat extra", {"reference": "the cat"})
    for scale, level in ((None, 0.8), (Scale.numbered(1, 5), 4.2), (Scale.numbered(-10, 0), -2.0)):
        outcome = run_check(check("token_f1", scale), submission, {})
        assert isinstance(outcome, Verdict)
        assert outcome.level == pytest.approx(level)
        assert outcome.reason == "2 words are in both, of 3 in the response and 2 expected"


@given(score=st.floats(0, 1), ends=st.sets(st.integers(-900, 900).map(lambda n: n / 7), min_size=2, max_size=2))
def test_the_level_that_a_check_gives_never_lies_beyond_the_criterion_s_scale(score: float, ends: set[float]) -> None:
    criterion = check("own", Scale((Level(min(ends)), Level(max(ends)))))
    outcome = run_check(criterion, Submission("x"), {"own": Scorer(lambda *_: score, "own")})
    assert isinstance(outcome, Verdict)
    assert 0 <= criterion.scale.position(outcome.level) <= 1


def test_a_registered_check_is_called_with_the_query_and_the_reference_and_the_example() -> None:
    seen: list[Any] = []

    def polite(prediction: str, expected: str | None, *, prompt: str | None, example: Any) -> bool:
        seen.append((prediction, expected, prompt, example))
        return True

    submission = Submission("Please.", {"query": "q", "reference": "r"})
    outcome = run_check(check("polite"), submission, {"polite": polite})
    assert outcome == Verdict("form", 1.0, "polite scores 1")
    assert seen == [("Please.", "r", "q", {"query": "q", "reference": "r", "response": "Please."})]


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda *_: 1 / 0, "check 'own' failed: ZeroDivisionError: division by zero"),
        (lambda *_: 1.5, "check 'own' failed: ValueError: scorer 'own' gave 1.5, expected a number from 0 to 1"),
        (lambda *_: None, "check 'own' found no score"),
        (lambda *_: Scored(None, "too long to tell"), "check 'own' found no score: too long to tell"),
    ],
)
def test_a_check_that_raises_an_error_or_finds_no_score_leaves_the_criterion_unread_and_never_gives_0(
    function: Any, why: str
) -> None:
    assert run_check(check("own"), Submission("x"), {"own": function}) == Unread("form", why)


def test_a_check_that_needs_an_expected_answer_leaves_the_criterion_unread_if_there_is_no_expected_answer() -> None:
    outcome = run_check(check("exact_match"), Submission(""), {})
    assert isinstance(outcome, Unread)
    assert "no expected answer" in outcome.why


def test_an_unknown_check_is_reported_with_the_names_of_the_known_checks() -> None:
    known = ", ".join(sorted({*SHIPPED_CHECKS, "mine"}))
    with pytest.raises(UsageError, match=f"no check 'spelling'; there are {known}; "):
        run_check(check("spelling"), Submission("x"), {"mine": mentions_refund})


# --- modules of scorers ---------------------------------------------------------------------------------------------


def module_of(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> str:
    (folder / f"{name}.py").write_text(f"from markscheme.scorers import exact_match, scorer\n{text}", encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return name


def test_a_scorers_module_in_the_working_folder_is_imported_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "@scorer\ndef a(p, e):\n    return 1.0\n\n@scorer(name='b')\ndef _b(p, e):\n    return 0.0\n\nsame = a\n"
    scorers = load_scorers(module_of(text, tmp_path, monkeypatch, "checks_one"))
    assert {name: entry("x", None) for name, entry in scorers.items()} == {"a": 1.0, "b": 0.0}
    assert run_check(check("b"), Submission("x"), scorers) == Verdict("form", 0.0, "b scores 0")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no scorers"),
        ("raise RuntimeError('boom')\n", "cannot be imported: RuntimeError: boom"),
        ("@scorer\ndef json_valid(p, e):\n    return 1.0\n", "'json_valid' is the name of a shipped check"),
        ("a = scorer(len, name='n')\nb = scorer(max, name='n')\n", "'n' is the name of two scorers"),
    ],
)
def test_a_scorers_module_without_scorers_or_with_errors_is_reported(
    text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    name = f"checks_{abs(hash(request.node.name))}"
    with pytest.raises(UsageError, match=words):
        load_scorers(module_of(text, tmp_path, monkeypatch, name))


def test_a_missing_scorers_module_is_reported() -> None:
    with pytest.raises(UsageError, match="-o scorers=no_such_module: cannot be imported: ModuleNotFoundError"):
        load_scorers("no_such_module")


def test_the_checks_shipped_with_the_package_are_four_checks_of_text_and_the_checks_of_steps() -> None:
    of_steps = {name for name, _ in CHECKS}
    assert set(SHIPPED_CHECKS) == {"exact_match", "json_valid", "rouge_l", "token_f1"} | of_steps


# --- checks that block ----------------------------------------------------------------------------------------------


def test_checks_by_code_run_at_the_same_time_so_that_a_waiting_check_delays_no_other_check() -> None:
    """Each check ends only when the other one has begun."""
    both = threading.Barrier(2, timeout=300)

    @scorer
    def waits(_prediction: str, _expected: str | None) -> float:
        return float(both.wait() >= 0)

    grading = Grading(Rubric((check("waits"),)), ScriptedJudge([]), scorers={"waits": waits})

    async def graded() -> list[float | None]:
        grades = await asyncio.gather(*(grading.grade(Submission("x", id=name)) for name in "ab"))
        return [grade.score for grade in grades]

    assert asyncio.run(graded()) == [1.0, 1.0]


def test_a_check_that_hangs_is_given_up_at_its_deadline() -> None:
    ended = threading.Event()
    hanging = Scorer(lambda *_: ended.wait(), "hanging")
    outcome = asyncio.run(find_check(check("hanging"), Submission("x"), {"hanging": hanging}, deadline=0.05))
    ended.set()
    assert outcome == Unread("form", "check 'hanging' gave no answer within 0.05 s")


# --- the page -------------------------------------------------------------------------------------------------------

"""Prompt, judge, verdict and score in a row: strategies, samples, re-asking, and many submissions at once."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from markscheme import Criterion, Judge, Reply, Rubric, Scale, ScriptedJudge, Submission, grade
from markscheme.errors import BudgetError, JudgeUnavailable, NoJudge, UsageError
from markscheme.grading import (
    DecidedBy,
    Grade,
    Grading,
    asking_fingerprint,
    grade_many,
    questions,
)
from markscheme.grading.graded_table import GradedCounts
from markscheme.grading.verdict import Abstention, Holistic, Unread, Verdict
from markscheme.judges.judge import Usage
from markscheme.judges.scripted import answer_of
from markscheme.prompts.prompt import Prompt
from markscheme.rubrics.rubric import Strategy

TWO = Rubric((Criterion(2.0, "A", "a"), Criterion(-1.0, "B", "b")))
CLEAR = Rubric((Criterion(1.0, "A", "a", Scale.numbered(1, 5)),))


def graded(rubric: Rubric, script: Any, submission: Submission | str = "x", **keys: Any) -> tuple[Grade, ScriptedJudge]:
    judge = ScriptedJudge(script)
    submission = Submission(submission) if isinstance(submission, str) else submission
    return asyncio.run(Grading(rubric, judge, **keys).grade(submission)), judge


def asked_of(judge: ScriptedJudge) -> list[tuple[str, ...]]:
    return [prompt.criteria for prompt in judge.prompts]


def by(strategy: str, rubric: Rubric = TWO) -> Rubric:
    return replace(rubric, strategy=cast(Strategy, strategy))


def level_by_name(levels: Mapping[str, str]) -> Any:
    return lambda prompt, sample: {name: levels[name] for name in prompt.criteria}


# --- strategies -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("strategy", "asked"),
    [
        ("one_shot", [("a", "b")]),
        ("per_criterion", [("a",), ("b",)]),
        ("double_pass", [("a", "b"), ("b", "a")]),
        ("holistic", [()]),
    ],
)
def test_the_strategy_decides_how_many_prompts_are_sent_and_which_criteria_each_prompt_asks_about(
    strategy: str, asked: list[tuple[str, ...]]
) -> None:
    def script(prompt: Prompt, _: int) -> Any:
        return dict.fromkeys(prompt.criteria, "MET") if prompt.criteria else '{"quote": "", "reason": "r", "score": 50}'

    done, judge = graded(by(strategy), script)
    assert asked_of(judge) == asked
    assert [prompt.criteria for prompt in questions(by(strategy), Submission("x"))] == asked
    assert done.score == 0.5
    assert done.usage.calls == len(asked)


def test_a_missing_optional_input_is_named_in_the_prompt_and_listed_in_the_grade() -> None:
    rubric = replace(TWO, inputs=("query",), optional_inputs=("context", "reference"))
    met = {"a": "MET", "b": "UNMET"}
    whole, asked_with_all = graded(rubric, [met], Submission("x", {"query": "q", "context": "c", "reference": "r"}))
    assert whole.left_out == ()
    assert "The material has no" not in asked_with_all.prompts[0].user
    done, judge = graded(rubric, [met], Submission("x", {"query": "q", "reference": "r"}))
    assert (done.score, done.left_out) == (whole.score, ("context: the submission has none",))
    assert 'The material has no "context". Rate the response on' in judge.prompts[0].user
    bare, judge_of_bare = graded(rubric, [met], Submission("x", {"query": "q"}))
    assert len(bare.left_out) == 2
    assert 'The material has no "context" and no "reference".' in judge_of_bare.prompts[0].user
    lacking, _ = graded(rubric, [met], Submission("x", {"reference": "r"}))
    assert lacking.error == "the submission lacks 'query'"


def test_a_rubric_s_fingerprint_depends_on_optional_inputs_only_if_the_rubric_has_any() -> None:
    assert replace(TWO, optional_inputs=()).fingerprint == TWO.fingerprint
    assert replace(TWO, optional_inputs=("context",)).fingerprint != TWO.fingerprint
    assert Rubric((Criterion(1.0, "A", "a", sees=("context",)),), optional_inputs=("context",)).known_inputs == (
        "query",
        "context",
    )


def test_criteria_that_see_different_inputs_are_asked_about_in_separate_prompts() -> None:
    rubric = Rubric(
        (
            Criterion(1.0, "A", "a", sees=("query",)),
            Criterion(1.0, "B", "b"),
            Criterion(1.0, "C", "c", sees=("query",)),
        ),
        inputs=("query", "reference"),
    )
    submission = Submission("x", {"query": "q", "reference": "r3f"})
    _, judge = graded(rubric, level_by_name({"a": "MET", "b": "MET", "c": "MET"}), submission)
    assert asked_of(judge) == [("a", "c"), ("b",)]
    assert ["r3f" in prompt.user for prompt in judge.prompts] == [False, True]


def test_if_a_judge_is_asked_twice_about_a_criterion_the_level_that_scores_worse_counts() -> None:
    def script(prompt: Prompt, _: int) -> Any:
        return {"a": "MET", "b": "MET"} if prompt.criteria == ("a", "b") else {"a": "UNMET", "b": "UNMET"}

    done, _ = graded(by("double_pass"), script)
    assert {name: verdict.level for name, verdict in done.verdicts.items()} == {"a": 0, "b": 1}
    assert done.verdicts["a"].votes == (1, 0)
    assert done.raw_score == -1


def test_the_double_pass_strategy_asks_again_in_reverse_order_if_there_are_several_criteria() -> None:
    criterion = Criterion(1.0, "C", "c", sees=("query",))
    alone = Rubric((criterion,), inputs=("query", "reference"), strategy="double_pass")
    beside = replace(alone, criteria=(*TWO.criteria, criterion))
    inputs = {"query": "q", "reference": "r"}
    for rubric, asked in ((alone, [("c",)]), (beside, [("a", "b"), ("c",), ("b", "a")])):
        script = level_by_name({"a": "MET", "b": "UNMET", "c": "MET"})
        done, judge = graded(rubric, script, Submission("x", inputs))
        assert sorted(asked_of(judge)) == sorted(asked)
        assert (done.score, done.verdicts["c"].votes) == (1.0, ())


def test_a_holistic_grade_keeps_the_score_that_the_judge_stated() -> None:
    done, _ = graded(by("holistic"), ['{"quote": "x", "reason": "Good.", "score": 80}'])
    assert (done.score, done.raw_score, done.llm_raw_score) == (0.8, 1.6, 80)
    assert isinstance(done.holistic, Holistic)
    assert done.outcomes == {}


def test_if_normalizing_is_switched_off_the_score_is_the_raw_weighted_sum() -> None:
    done, _ = graded(TWO, [{"a": "UNMET", "b": "MET"}], normalize=False)
    assert (done.score, done.raw_score, done.passed) == (-1, -1, False)


# --- samples --------------------------------------------------------------------------------------------------------


def test_samples_of_a_judge_are_requested_at_the_same_time() -> None:
    under_way, most, numbers = 0, 0, []

    class Slow(ScriptedJudge):
        async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            numbers.append(sample)
            await asyncio.sleep(0.01)
            under_way -= 1
            return Reply(answer_of({"a": str(sample + 2)}))

    done = asyncio.run(Grading(replace(CLEAR, samples=3), Slow([])).grade(Submission("x")))
    assert (most, sorted(numbers)) == (3, [0, 1, 2])
    assert done.verdicts["a"].level == 3
    assert sorted(done.verdicts["a"].votes) == [2, 3, 4]


def test_samples_of_a_judge_that_split_evenly_give_a_level_halfway_between() -> None:
    done, _ = graded(replace(CLEAR, samples=2), [{"a": "2"}, {"a": "3"}])
    assert (done.verdicts["a"].level, done.score) == (2.5, 0.375)


def test_the_other_samples_of_a_judge_decide_the_level_if_one_sample_fails() -> None:
    done, _ = graded(replace(CLEAR, samples=3), [{"a": "2"}, JudgeUnavailable("down"), {"a": "4"}])
    assert done.verdicts["a"].votes == (2, 4)
    done, _ = graded(replace(CLEAR, samples=3), [JudgeUnavailable("down")] * 3)
    assert (done.score, done.error) == (None, "down")


@pytest.mark.parametrize("strategy", ["one_shot", "per_criterion", "double_pass", "holistic"])
def test_with_three_samples_a_judge_is_sent_every_prompt_of_the_strategy_three_times(strategy: str) -> None:
    def script(prompt: Prompt, _: int) -> Any:
        return dict.fromkeys(prompt.criteria, "MET") if prompt.criteria else '{"quote": "", "reason": "r", "score": 50}'

    once, _ = graded(by(strategy), script)
    thrice, _ = graded(replace(by(strategy), samples=3), script)
    assert thrice.usage.calls == 3 * once.usage.calls
    assert thrice.score == once.score


# --- asking again ---------------------------------------------------------------------------------------------------


def test_only_criteria_whose_answers_could_not_be_read_are_asked_about_once_more() -> None:
    done, judge = graded(TWO, [answer_of({"a": "MET", "b": "maybe"}), {"b": "UNMET"}])
    assert asked_of(judge) == [("a", "b"), ("b",)]
    assert (done.score, done.usage.calls) == (1.0, 2)


def test_a_response_with_two_unreadable_replies_is_ungraded_with_the_reason_and_the_second_reply() -> None:
    done, judge = graded(TWO, [answer_of({"a": "MET"}), "still nothing"])
    assert len(judge.prompts) == 2
    assert (done.score, done.raw_score, done.passed) == (None, None, None)
    assert done.error == "b: the reply isn't one JSON object alone"
    assert done.outcomes["a"] == Verdict("a", 1.0, "scripted")
    assert done.outcomes["b"] == Unread("b", "the reply isn't one JSON object alone", "still nothing")


def test_if_a_judge_fails_when_asked_a_second_time_the_reason_for_asking_again_is_also_reported() -> None:
    done, _ = graded(TWO, ["garbage", JudgeUnavailable("gone")])
    assert done.error is not None
    assert done.error.startswith("a: the reply isn't one JSON object alone; asked again: gone")


def test_an_abstention_is_an_answer_and_is_not_asked_again() -> None:
    done, judge = graded(TWO, [{"a": "MET", "b": "cannot judge"}])
    assert len(judge.prompts) == 1
    assert (done.score, done.error) == (None, "b: the judge abstained: scripted")
    assert isinstance(done.outcomes["b"], Abstention)
    done, _ = graded(TWO, [{"a": "MET", "b": "cannot judge"}], renormalize=True)
    assert done.score == 1.0


def test_criteria_whose_answers_to_separate_prompts_cannot_be_read_are_asked_about_again_in_one_prompt() -> None:
    def script(prompt: Prompt, _: int) -> Any:
        return "?" if len(prompt.criteria) == 1 else {"a": "MET", "b": "UNMET"}

    done, judge = graded(by("per_criterion"), script)
    assert asked_of(judge) == [("a",), ("b",), ("a", "b")]
    assert done.score == 1.0


def test_a_judge_that_gives_no_answer_leaves_the_response_ungraded_with_the_reason() -> None:
    done, _ = graded(TWO, [JudgeUnavailable("no answer in 120 s")])
    assert (done.score, done.error, done.outcomes) == (None, "no answer in 120 s", {})


def test_an_exception_in_a_judge_s_own_code_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        graded(TWO, [ZeroDivisionError()])


# --- inputs and checks ----------------------------------------------------------------------------------------------


def test_a_missing_declared_input_leaves_the_response_ungraded_and_no_judge_is_asked() -> None:
    rubric = replace(TWO, inputs=("query", "reference"))
    done, judge = graded(rubric, [], Submission("x", {"query": "q"}))
    assert (done.score, done.error, judge.prompts) == (None, "the submission lacks 'reference'", [])


def test_a_rubric_may_have_criteria_checked_by_code_next_to_criteria_for_a_judge() -> None:
    rubric = Rubric((Criterion(1.0, "Is JSON", "json", check="json_valid"), Criterion(1.0, "A", "a")))
    done, judge = graded(rubric, [{"a": "UNMET"}], Submission("[1]"))
    assert asked_of(judge) == [("a",)]
    assert list(done.outcomes) == ["json", "a"]
    assert done.score == 0.5


def test_a_rubric_with_only_checks_by_code_asks_no_judge() -> None:
    rubric = Rubric((Criterion(1.0, "Is JSON", "json", check="json_valid"),))
    done, judge = graded(rubric, [], Submission("[1"))
    assert (done.score, judge.prompts, done.usage) == (0.0, [], Usage())


def test_a_criterion_that_names_an_unknown_check_by_code_is_refused_before_a_judge_is_asked() -> None:
    rubric = Rubric((Criterion(1.0, "A", "a"), Criterion(1.0, "B", "b", check="spelling")))
    judge = ScriptedJudge([{"a": "MET"}])
    with pytest.raises(UsageError, match="there is no check 'spelling'"):
        asyncio.run(Grading(rubric, judge).grade(Submission("x")))
    assert judge.prompts == []


# --- what a grade carries -------------------------------------------------------------------------------------------


def test_a_grade_has_the_fingerprints_of_its_rubric_and_prompt_and_judge() -> None:
    done, judge = graded(TWO, [{"a": "MET", "b": "MET"}])
    assert done.fingerprints is not None
    assert done.fingerprints.rubric == TWO.fingerprint
    assert done.fingerprints.prompt == asking_fingerprint(TWO)
    assert done.fingerprints.judge == judge.identity.fingerprint
    assert done.replies == {"live": 1}


def test_the_fingerprint_of_how_a_judge_is_asked_changes_with_strategy_and_guidelines_but_not_with_weights() -> None:
    heavier = Rubric(tuple(replace(c, weight=c.weight * 3) for c in TWO.criteria))
    assert asking_fingerprint(heavier) == asking_fingerprint(TWO)
    for changed in (by("per_criterion"), replace(TWO, samples=2), replace(TWO, guidelines="Be fair.")):
        assert asking_fingerprint(changed) != asking_fingerprint(TWO)


def test_tokens_and_costs_that_are_unknown_for_one_reply_are_unknown_for_the_grade() -> None:
    replies = [
        Reply(answer_of({"a": "MET"}), usage=Usage(1, 10, 5, 0.1)),
        Reply(answer_of({"b": "MET"}), usage=Usage(1, 10, 5, None)),
    ]
    done, _ = graded(by("per_criterion"), replies)
    assert done.usage == Usage(2, 20, 10, None)
    uncounted = [replies[0], Reply(answer_of({"b": "MET"}), usage=Usage(1, None, None, 0.2))]
    done, _ = graded(by("per_criterion"), uncounted)
    assert (done.usage.input_tokens, done.usage.output_tokens) == (None, None)
    assert done.usage.usd == pytest.approx(0.3)


def test_grade_in_python_sends_the_same_prompts_for_a_submission_as_for_its_text_and_inputs() -> None:
    def judge_asked(submission: Any, **inputs: Any) -> ScriptedJudge:
        judge = ScriptedJudge([{"a": "MET", "b": "MET"}])
        asyncio.run(grade(TWO, submission, judge, **inputs))
        return judge

    assert judge_asked("x", query="q").prompts == judge_asked(Submission("x", {"query": "q"})).prompts
    with pytest.raises(ValueError, match="not both"):
        judge_asked(Submission("x"), query="q")


def test_grade_takes_the_name_or_the_file_of_a_rubric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rubrics").mkdir()
    file = tmp_path / "rubrics" / "desk.yaml"
    file.write_text("criteria: [{name: a, requirement: It is right.}]\n")
    monkeypatch.chdir(tmp_path)
    for rubric in ("desk", file):
        assert asyncio.run(grade(rubric, "x", ScriptedJudge([{"a": "MET"}]))).score == 1
    with pytest.raises(UsageError, match=r"there is no rubric named 'dask'; did you mean 'desk'\?"):
        asyncio.run(grade("dask", "x", ScriptedJudge([{"a": "MET"}])))


# --- many -----------------------------------------------------------------------------------------------------------


async def all_of(grading: Grading, submissions: Iterator[Submission], concurrency: int) -> list[tuple[int, Grade]]:
    return [placed async for placed in grade_many(grading, submissions, concurrency=concurrency)]


class Counting(ScriptedJudge):
    """A scripted judge that counts the requests under way, and answers later ones sooner."""

    most = 0
    under_way = 0

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0.002 * (5 - self.under_way))
        self.under_way -= 1
        return await super().reply(prompt, sample)


def test_submissions_are_taken_from_an_iterator_only_as_needed_and_each_is_graded_once() -> None:
    taken = 0

    def submissions() -> Iterator[Submission]:
        nonlocal taken
        for number in range(20):
            taken += 1
            assert taken - len(seen) <= 9  # four under way, four that wait, and the one asked for
            yield Submission("x", id=str(number))

    seen: dict[int, Grade] = {}
    judge = Counting(lambda prompt, sample: {"a": "MET", "b": "UNMET"})

    async def collect() -> None:
        async for place, done in grade_many(Grading(TWO, judge), submissions(), concurrency=4):
            assert place not in seen
            seen[place] = done

    asyncio.run(collect())
    assert {place: done.id for place, done in seen.items()} == {place: str(place) for place in range(20)}
    assert judge.most == 4


def test_if_the_budget_is_spent_the_grades_so_far_are_kept() -> None:
    def script(prompt: Prompt, _: int) -> Any:
        return BudgetError("spent") if "three" in prompt.user else {"a": "MET", "b": "UNMET"}

    kept: list[int] = []

    async def collect() -> None:
        texts = ["one", "two", "three", "four", "five"]
        grading = Grading(TWO, ScriptedJudge(script))
        async for place, _ in grade_many(grading, map(Submission, texts), concurrency=2):
            kept.append(place)

    with pytest.raises(BudgetError, match="spent"):
        asyncio.run(collect())
    assert set(kept) >= {0, 1}
    assert 2 not in kept


@pytest.mark.parametrize("strategy", ["one_shot", "per_criterion", "double_pass", "holistic"])
def test_a_judge_that_cannot_be_asked_at_all_raises_an_error_instead_of_leaving_a_submission_ungraded(
    strategy: str,
) -> None:
    for rubric in (by(strategy), replace(by(strategy), samples=3)):
        with pytest.raises(NoJudge, match="no key"):
            graded(rubric, lambda prompt, sample: NoJudge("no key"))


def test_tokens_and_costs_of_replies_before_a_failed_call_are_counted() -> None:
    def script(prompt: Prompt, _: int) -> Any:
        if prompt.criteria == ("b",):
            return JudgeUnavailable("the server is down")
        return Reply(answer_of({"a": "MET"}), usage=Usage(1, 10, 5, 0.1))

    done, _ = graded(by("per_criterion"), script)
    assert (done.error, done.score, done.usage) == ("the server is down", None, Usage(1, 10, 5, 0.1))


def test_an_answer_read_at_the_second_attempt_counts_even_if_another_prompt_fails() -> None:
    rubric = Rubric(
        (Criterion(1.0, "A", "a", sees=("query",)), Criterion(1.0, "B", "b")), inputs=("query", "reference")
    )

    def script(prompt: Prompt, _: int) -> Any:
        if not prompt.again:
            return "no JSON"
        return {"a": "MET"} if "a" in prompt.criteria else JudgeUnavailable("the server is down")

    done, _ = graded(rubric, script, Submission("x", {"query": "q", "reference": "r"}))
    assert isinstance(done.outcomes["a"], Verdict)
    unread = done.outcomes["b"]
    assert isinstance(unread, Unread)
    assert unread.why.endswith("; asked again: the server is down")


def test_concurrency_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="concurrency must be a whole number from 1, got 0"):
        asyncio.run(all_of(Grading(TWO, ScriptedJudge([])), iter([]), 0))


def test_a_response_with_too_few_readable_samples_is_ungraded_with_the_reason_of_a_failed_sample() -> None:
    def script(prompt: Prompt, sample: int) -> Any:
        return JudgeUnavailable("asks to wait (429)") if sample else {"a": "3"}

    done, _ = graded(replace(CLEAR, samples=3), script)
    assert done.error == "a: asks to wait (429)"


def test_a_scripted_judge_has_the_methods_of_a_judge() -> None:
    assert isinstance(ScriptedJudge([]), Judge)


def test_the_shares_of_responses_decided_by_each_judge_are_printed_in_one_order_whichever_judge_decided_first() -> None:
    outcomes = [DecidedBy(1, "quick", 0.9), DecidedBy(2, "slow", 0.9), DecidedBy(2, "slow", 0.8)]
    sentences = set()
    for in_order in (outcomes, outcomes[::-1]):
        shares = GradedCounts()
        for outcome in in_order:
            shares.add(replace(graded(TWO, level_by_name({"a": "MET", "b": "UNMET"}))[0], decided_by=outcome))
        sentences.add(shares.sentence.partition(" ·")[0])
    assert sentences == {"67% decided by slow, 33% by quick, 0% to people"}


def test_where_no_judge_of_a_cascade_decides_anything_the_reason_is_printed() -> None:
    shares = GradedCounts()
    for _ in range(2):
        to_person = DecidedBy(None, "", None, "the rubric changed; certify it again")
        shares.add(replace(graded(TWO, level_by_name({"a": "MET", "b": "UNMET"}))[0], decided_by=to_person))
    assert shares.sentence.endswith("\nA person decides: 2 × the rubric changed; certify it again")

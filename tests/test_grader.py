"""One grader called from threads, from event loops and after it is closed."""

import asyncio
import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from markscheme import Criterion, Grader, Rubric, ScriptedJudge, Submission
from markscheme.errors import BudgetError, JudgeUnavailable, NoJudge, UsageError
from markscheme.judges.limited import Limited, Limiter
from markscheme.prompts.prompt import Prompt

RUBRIC = Rubric((Criterion(2.0, "Names a town", "place"), Criterion(-1.0, "Promises", "promise")), name="parcel")


def by_words(prompt: Prompt, _: int) -> Any:
    if "down" in prompt.user:
        return JudgeUnavailable("the server is down")
    return {"place": "MET" if "Leeds" in prompt.user else "UNMET", "promise": "UNMET"}


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "markscheme"]


class Counting(ScriptedJudge):
    """A scripted judge that notes how many requests are under way at once."""

    highest = under_way = 0

    async def reply(self, prompt: Prompt, sample: int = 0) -> Any:
        self.under_way += 1
        self.highest = max(self.highest, self.under_way)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        self.under_way -= 1
        return await super().reply(prompt, sample)


def test_eight_threads_share_one_grader_and_its_limit_on_simultaneous_calls() -> None:
    judge = Counting(by_words)
    with Grader(RUBRIC, judge, concurrency=3) as grader, ThreadPoolExecutor(8) as pool:
        texts = ["Leeds", "Soon"] * 40
        grades = list(pool.map(grader.grade_sync, texts))
        assert threads() == ["markscheme"]
    assert [grade.score for grade in grades] == [1.0, 0.0] * 40
    assert judge.highest == 3
    assert threads() == []


def test_a_grader_works_with_await_and_by_a_plain_call_inside_a_running_event_loop() -> None:
    async def main(grader: Grader) -> list[float | None]:
        first, second = await asyncio.gather(grader.grade("Leeds"), grader.grade("Soon"))
        return [first.score, second.score, grader.grade_sync("Leeds").score]

    with Grader(RUBRIC, ScriptedJudge(by_words)) as grader:
        assert asyncio.run(main(grader)) == [1.0, 0.0, 1.0]
        assert asyncio.run(main(grader)) == [1.0, 0.0, 1.0]


def test_a_grade_s_reason_has_each_criterion_s_result_and_reason_on_one_line() -> None:
    with Grader(RUBRIC, ScriptedJudge(by_words)) as grader:
        good, lost = grader.grade_sync("Leeds"), grader.grade_sync("down")
    assert good.by_criterion == {"place": 1.0, "promise": 1.0}
    assert good.reason == "1.00, pass: place 1 (scripted); promise 1 (scripted)"
    assert lost.by_criterion == {"place": None, "promise": None}
    assert lost.reason == "not graded: the server is down"


def test_grades_of_rows_are_plain_data_in_the_order_of_the_rows() -> None:
    rows: list[dict[str, Any]] = [
        {"id": "a", "response": "Leeds"},
        {"output": [{"type": "function", "function": {"name": "find", "arguments": "Leeds"}}], "query": "Where?"},
        {"response": "down"},
        {"id": "d", "response": None},
    ]
    with Grader(RUBRIC, ScriptedJudge(by_words)) as grader:
        grades = grader.grade_rows(iter(rows))
        with pytest.raises(ValueError, match="a submission has a response"):
            grader.grade_rows([{"answer": "Leeds"}])
    assert [(row["id"], row["score"], row["error"]) for row in grades] == [
        ("a", 1.0, None),
        ("2", 1.0, None),
        ("3", None, "the server is down"),
        ("d", None, "the row has no response"),
    ]
    assert grades[0]["criteria"]["place"]["position"] == 1.0


def test_a_judge_without_a_limit_is_asked_as_many_times_at_once_as_the_concurrency_allows() -> None:
    judge = Counting(by_words)
    with Grader(RUBRIC, Limited(judge, Limiter()), concurrency=20) as grader:
        grader.grade_rows([{"response": str(number)} for number in range(40)])
    assert judge.highest == 20


def test_rows_after_the_budget_is_spent_get_an_error_instead_of_raising_an_exception() -> None:
    with Grader(RUBRIC, ScriptedJudge([{"place": "MET", "promise": "UNMET"}, BudgetError("spent")])) as grader:
        grades = grader.grade_rows([{"response": "one"}, {"response": "two"}])
    assert [row["error"] for row in grades] == [None, "spent"]
    with Grader(RUBRIC, ScriptedJudge([NoJudge("no key")])) as grader, pytest.raises(NoJudge, match="no key"):
        grader.grade_sync("x")


def test_closing_a_grader_waits_for_its_grades_and_closing_the_last_grader_ends_the_background_thread() -> None:
    started, go_on = threading.Event(), threading.Event()

    def slow(prompt: Prompt, sample: int) -> Any:
        started.set()
        go_on.wait(300)
        return by_words(prompt, sample)

    one, other = Grader(RUBRIC, ScriptedJudge(slow)), Grader(RUBRIC, ScriptedJudge(by_words))
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(one.grade_sync, "Leeds")
        assert started.wait(300)
        threading.Timer(0.02, go_on.set).start()
        one.close()
        one.close()
        assert running.result().score == 1.0
    with pytest.raises(RuntimeError, match="closed"):
        one.grade_sync("Leeds")
    assert other.grade_sync("Leeds").score == 1.0
    other.close()
    assert threads() == []


def test_a_grader_closes_a_judge_that_it_opened_by_name_and_leaves_open_a_judge_that_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "rubric.yaml"
    file.write_text("criteria: [{name: form, requirement: It is JSON., check: json_valid}]\n")
    (tmp_path / "marker.py").write_text("def judge(system_prompt, user_prompt):\n    raise AssertionError\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with Grader(str(file), "function:marker:judge") as grader:
        assert grader.grade_sync('{"a": 1}').score == 1.0
        assert "function" in repr(grader)
    closed: list[bool] = []

    class Closing(ScriptedJudge):
        async def aclose(self) -> None:
            closed.append(True)

    Grader(RUBRIC, Closing(by_words)).close()
    assert closed == []


def test_a_grader_takes_a_submission_and_keeps_its_id() -> None:
    with Grader(RUBRIC, ScriptedJudge(by_words)) as grader:
        assert grader.grade_sync(Submission("Leeds", {}, "p1")).id == "p1"


JUDGE_BY_TOWN = """
def judge(system_prompt, user_prompt):
    level = "MET" if "Leeds" in user_prompt else "UNMET"
    return {"verdicts": {"place": {"quote": "nothing to quote", "reason": "So.", "level": level}}}
"""


def test_a_pickled_grader_with_a_judge_named_by_text_opens_the_judge_in_the_other_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "judge_that_travels.py").write_text(JUDGE_BY_TOWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "markscheme.toml").write_text("samples = 3\n")
    rubric = Rubric((Criterion(2.0, "Names a town", "place"),), name="parcel")
    with Grader(rubric, "function:judge_that_travels:judge", concurrency=5) as grader:
        sent = pickle.dumps(grader)
    assert len(sent) < 2000
    (tmp_path / "markscheme.toml").unlink()
    with pickle.loads(sent) as arrived, pickle.loads(pickle.dumps(arrived)) as twice:
        assert [arrived.grade_sync(text).score for text in ("Leeds", "Soon")] == [1.0, 0.0]
        assert twice.grade_sync("Leeds").score == 1.0
        assert (arrived.concurrency, arrived.rubric.samples) == (5, 3)
        assert arrived.judge.identity == grader.judge.identity


def test_a_grader_with_a_judge_object_refuses_to_be_pickled() -> None:
    with Grader(RUBRIC, ScriptedJudge(())) as grader, pytest.raises(TypeError, match="judge is an object: give the"):
        pickle.dumps(grader)


def test_a_grader_with_impossible_options_is_refused() -> None:
    with pytest.raises(ValueError, match="concurrency"):
        Grader(RUBRIC, ScriptedJudge(()), concurrency=0)
    with pytest.raises(UsageError, match="unknown judge"):
        Grader(RUBRIC, "nobody")


def test_a_function_in_place_of_a_judge_is_refused_with_the_name_of_the_class_that_wraps_it() -> None:
    def judge(system_prompt: str, user_prompt: str) -> str:
        return ""

    with pytest.raises(UsageError, match=r"got a function: .*FunctionJudge\(fn, NAME\)"):
        Grader(Rubric.from_dict([{"weight": 1, "requirement": "A"}]), judge)  # type: ignore[arg-type]


def test_the_class_of_a_judge_in_place_of_a_judge_is_refused_when_the_grader_is_made() -> None:
    with pytest.raises(
        UsageError, match=r"a judge must have a method `reply`, got a type: open_judge\(NAME\) opens one"
    ):
        Grader(RUBRIC, ScriptedJudge)  # type: ignore[arg-type]


@pytest.mark.parametrize("rubric", [None, RUBRIC])
def test_the_error_of_a_grader_without_a_judge_to_ask_names_the_judge_argument(
    rubric: Rubric | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(NoJudge, match=r"Name a judge with judge=…: openai:MODEL") as refused:
        Grader(rubric)
    assert "--judge" not in str(refused.value)


def test_a_judge_that_itself_waits_for_a_grade_of_the_same_grader_is_refused() -> None:
    def asks_itself(prompt: Prompt, sample: int) -> Any:
        return by_words(prompt, sample) if grader.grade_sync("Leeds") else None

    with Grader(RUBRIC, ScriptedJudge(asks_itself)) as grader, pytest.raises(RuntimeError, match="await"):
        grader.grade_sync("x")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="runs on systems that fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_process_must_make_a_new_grader() -> None:
    with Grader(RUBRIC, ScriptedJudge(by_words)) as grader:
        child = os.fork()
        if not child:
            try:
                grader.grade_sync("Leeds")
            except RuntimeError:
                with Grader(RUBRIC, ScriptedJudge(by_words)) as own:
                    os._exit(0 if own.grade_sync("Leeds").score == 1.0 else 2)
            os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        assert grader.grade_sync("Leeds").score == 1.0

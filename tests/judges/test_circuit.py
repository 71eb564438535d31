"""Judges that only fail: a refused key ends the run, a judge that is down is paused, tried again and given up."""

import asyncio
import warnings
from pathlib import Path

import pytest

from markscheme import Reply, Rubric, Submission
from markscheme.errors import JudgeBusy, JudgeError, JudgeSilent, JudgeUnavailable, NoJudge
from markscheme.grading import Grade, Grading, grade_many
from markscheme.judges.circuit import FAILURES, REST, SHORTEST_TRY
from markscheme.judges.limited import PATIENCE, Limited, Limiter
from tests.commands import scripted_setting as setting
from tests.commands.console import run as run_command
from tests.judges.asking import PROMPT
from tests.judges.test_limited import Answers, Provider, all_of, always, first
from tests.judges.virtual_time import run
from tests.real import messages_front as front
from tests.real.messages_front import MessagesFront

pytestmark = pytest.mark.usefixtures("no_authorities")

RUBRIC = Rubric.from_dict([{"weight": 1, "requirement": "Mentions Paris"}])
DOWN = JudgeUnavailable("failed (500)", transient=True, status=500)


def refused(status: int) -> JudgeUnavailable:
    return JudgeUnavailable(f"refused ({status})", status=status)


async def graded(judge: Limited, n: int, concurrency: int = 8) -> list[Grade]:
    submissions = [Submission(f"Paris {number}.") for number in range(n)]
    return [grade async for _, grade in grade_many(Grading(RUBRIC, judge), submissions, concurrency=concurrency)]


@pytest.mark.parametrize(
    ("status", "check"), [(401, "the key"), (402, "the account"), (403, "what"), (404, "the model")]
)
def test_a_run_with_a_refused_api_key_or_model_ends_early(status: int, check: str) -> None:
    provider = Provider(always(refused(status)))
    with pytest.raises(NoJudge, match=rf"refused \({status}\); nothing was graded: check {check}"):
        run(graded(Limited(provider, Limiter()), 2_000))
    assert len(provider.asked_at) == 8


def test_a_run_ends_after_a_few_calls_if_the_provider_refuses_every_call_as_a_bad_request() -> None:
    provider = Provider(always(refused(400)))
    with pytest.raises(NoJudge):
        run(graded(Limited(provider, Limiter()), 2_000))
    assert len(provider.asked_at) <= FAILURES + 8


def test_refusals_of_some_prompts_leave_their_responses_ungraded_and_do_not_end_the_run() -> None:
    provider = Provider(lambda number: refused(400) if 20 <= number < 50 else None)
    grades = run(graded(Limited(provider, Limiter()), 100))
    assert sum(grade.score is None for grade in grades) == 30


def test_after_an_api_key_is_revoked_the_remaining_submissions_are_ungraded_without_being_sent() -> None:
    provider = Provider(lambda number: refused(401) if number >= 50 else None)
    grades = run(graded(Limited(provider, Limiter()), 2_000))
    assert sum(grade.score is not None for grade in grades) == 50
    assert len(provider.asked_at) <= 50 + FAILURES + 8
    assert sum("refused (401); not asked again for now" in str(grade.error) for grade in grades) >= 1_950 - FAILURES - 8


def test_a_judge_that_is_down_is_called_rarely_and_given_up_within_the_stated_time() -> None:
    async def main() -> tuple[list[Grade], float]:
        loop = asyncio.get_running_loop()
        began = loop.time()
        return await graded(Limited(provider, Limiter(concurrency=32)), 2_000, 64), loop.time() - began

    provider = Provider(always(DOWN))
    with pytest.warns(
        RuntimeWarning, match="; calls failed in a row: paused, trying one call at a time for up to 60 s"
    ):
        grades, seconds = run(main())
    assert [grade.score for grade in grades] == [None] * 2_000
    assert sum(at <= provider.asked_at[0] + 1.5 for at in provider.asked_at) <= 32 + FAILURES, "before the pause"
    tries = provider.asked_at[-1] - provider.asked_at[0]
    assert len(provider.asked_at) <= 32 + FAILURES + 8
    assert PATIENCE / 2 < tries <= PATIENCE < seconds + 10 < 2 * PATIENCE


def test_a_judge_that_is_down_for_20_seconds_is_asked_again_and_every_response_is_graded() -> None:
    async def main() -> list[Grade]:
        loop = asyncio.get_running_loop()
        began = loop.time()

        class Recovering(Provider):
            async def reply(self, prompt: object, sample: int = 0) -> Reply:
                self.faults = always(DOWN) if loop.time() < began + 20 else first()
                return await super().reply(prompt, sample)  # type: ignore[arg-type]

        return await graded(Limited(Recovering(), Limiter()), 500)

    with pytest.warns(RuntimeWarning, match="paused"):
        grades = run(main())
    assert all(grade.score is not None for grade in grades)


def test_a_judge_that_answers_no_call_for_half_a_minute_and_asks_to_wait_causes_a_single_warning() -> None:
    judge = Limited(Provider(always(JudgeBusy("busy (429)", status=429))), Limiter())
    with pytest.warns(RuntimeWarning) as caught:
        grades = run(graded(judge, 40))
    assert [grade.score for grade in grades] == [None] * 40
    assert [str(warning.message).partition(";")[0] for warning in caught] == ["busy (429)"]
    assert "no call was answered for 30 s" in str(caught[0].message)


def test_no_warning_is_given_about_a_judge_that_asks_to_wait_as_long_as_it_answers_some_calls() -> None:
    judge = Limited(Provider(lambda number: JudgeBusy("busy", status=429) if number % 3 == 0 else None), Limiter())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        grades = run(graded(judge, 200))
    assert sum(grade.score is not None for grade in grades) >= 190


def test_a_server_that_never_finishes_an_answer_is_cut_off_at_the_deadline_and_counts_as_down() -> None:
    async def main() -> tuple[list[Grade], float]:
        began = asyncio.get_running_loop().time()
        return await graded(Limited(provider, Limiter()), 2_000), asyncio.get_running_loop().time() - began

    provider = Provider(seconds=1e9)
    with pytest.warns(RuntimeWarning, match="paused"):
        grades, seconds = run(main())
    assert [grade.score for grade in grades] == [None] * 2_000
    assert len(provider.asked_at) <= 8 + FAILURES
    assert seconds <= 120 + PATIENCE + SHORTEST_TRY


def test_a_judge_that_was_given_up_is_tried_again_after_a_pause() -> None:
    async def main() -> None:
        provider = Provider(always(DOWN))
        judge = Limited(provider, Limiter())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            await all_of(judge, 50)
        calls = len(provider.asked_at)
        with pytest.raises(JudgeUnavailable, match="not asked again for now"):
            await judge.reply(PROMPT)
        assert len(provider.asked_at) == calls
        await asyncio.sleep(REST)
        provider.faults = first()
        results = await all_of(judge, 50)
        assert all(isinstance(result, Reply) for result in results)

    run(main())


@pytest.mark.parametrize(
    "faults",
    [
        lambda number: DOWN if number % 2 else None,
        lambda number: JudgeSilent("gone") if number % 10 else None,
        lambda number: refused(400) if number % 4 else None,
    ],
)
def test_a_judge_that_answers_only_some_calls_is_neither_paused_nor_given_up(faults: Answers) -> None:
    provider = Provider(faults)
    results = run(all_of(Limited(provider, Limiter(concurrency=1), attempts=3), 40))
    assert all(isinstance(result, Reply | JudgeError) for result in results)
    assert len(provider.asked_at) >= 40


def test_if_the_call_that_tests_a_paused_judge_is_cancelled_another_caller_may_test_the_judge() -> None:
    async def main() -> None:
        provider = Provider(always(DOWN), seconds=0.1)
        judge = Limited(provider, Limiter())
        tasks = [asyncio.create_task(judge.reply(PROMPT, n)) for n in range(30)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            await asyncio.sleep(3)
            for task in tasks[:20]:
                task.cancel()
            provider.faults = first()
            results = await asyncio.gather(*tasks, return_exceptions=True)
        assert sum(isinstance(result, Reply) for result in results) >= 10

    run(main())


@pytest.mark.parametrize("concurrency", [3, 40])
def test_without_a_limit_on_calls_as_many_run_at_once_as_the_caller_starts(
    concurrency: int,
) -> None:
    provider = Provider()
    run(graded(Limited(provider, Limiter()), 100, concurrency))
    assert provider.most == concurrency


def calibrated(here: Path, url: str, *more: str) -> tuple[int, str]:
    """Run `calibrate` with Anthropic at an address; return exit status and standard error."""
    env = {**setting.environment(here), "ANTHROPIC_API_KEY": "key", "ANTHROPIC_BASE_URL": url}
    done = run_command("markscheme", "calibrate", "clear", "--judge", "anthropic", *more, cwd=here, env=env)
    return done.returncode, done.stderr


@pytest.mark.parametrize("status", [401, 404])
def test_calibrate_reports_in_one_sentence_that_the_judge_refuses_every_call(tmp_path: Path, status: int) -> None:
    here = setting.make_setting(tmp_path / "here")
    with MessagesFront(lambda _: front.failing(status)) as server:
        exit_status, printed = calibrated(here, server.url)
        assert len(server.requests) <= 16
    assert exit_status == 3
    (line,) = [line for line in printed.splitlines() if str(status) in line]
    assert "nothing was graded" in line

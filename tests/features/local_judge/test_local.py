"""A model file as judge: the real llama.cpp in this process, and every file that is none."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from markscheme import Rubric, Submission, grade
from markscheme.errors import JudgeUnavailable, UsageError
from markscheme.features.local_judge.judge import LocalJudge, digest
from markscheme.grading import questions
from markscheme.judges.judge import Reply
from markscheme.judges.judge_context import JudgeContext
from markscheme.judges.kinds import known_kind
from markscheme.judges.registry import open_judge
from markscheme.prompts.prompt import Prompt
from tests.judges.asking import PROMPT, RUBRIC, Briefly, asked, asked_often, brief

ODDLY_NAMED = Rubric.from_dict({"criteria": [{"name": 'clear "ü"', "description": "Clear", "weight": 1}]})

BRIEF = brief(PROMPT)
LENGTH = 24
"""Tokens of an answer; the model needs twice as many for a whole one to `BRIEF`."""


@pytest.fixture(scope="module")
def loaded(local_model: Path) -> Iterator[LocalJudge]:
    """Return a judge whose model is loaded once for all tests that only ask it."""
    judge = LocalJudge(local_model, context=1024)
    yield judge
    asyncio.run(judge.aclose())


@pytest.fixture(scope="module")
def cut_off(local_model: Path) -> Reply:
    """Return the model's reply to `BRIEF`, cut off after `LENGTH` tokens."""
    return asked(LocalJudge(local_model, context=1024, max_tokens=LENGTH), BRIEF)


@pytest.mark.proof  # a whole question, which the next test asks in few words
def test_a_real_local_model_gives_a_verdict_in_the_required_json_schema(local_model: Path) -> None:
    async def run() -> None:
        judge = LocalJudge(local_model, max_tokens=300)
        graded = await grade(RUBRIC, "Paris is the capital of France.", judge)
        await judge.aclose()
        assert graded.error is None
        assert graded.score in (0.0, 1.0)
        assert graded.usage.calls == 1
        assert (graded.usage.input_tokens or 0) > 100

    asyncio.run(run())


@pytest.mark.proof
def test_a_local_model_asked_the_same_prompt_twice_at_once_gives_the_same_verdict_both_times(
    loaded: LocalJudge,
) -> None:
    async def run() -> None:
        context = (grade(RUBRIC, "Paris is the capital of France.", Briefly(loaded)) for _ in range(2))
        first, second = await asyncio.gather(*context)
        assert first.error is None
        assert first.verdicts == second.verdicts
        assert first.score in (0.0, 1.0)
        assert first.usage.calls == 1
        assert (first.usage.input_tokens or 0) > 20

    asyncio.run(run())


@pytest.mark.proof  # a second whole verdict of the real model
def test_criteria_with_quotes_and_umlauts_in_their_names_can_be_graded_by_a_local_model(local_model: Path) -> None:
    prompt = brief(questions(ODDLY_NAMED, Submission("x"))[0])
    reply = asked(LocalJudge(local_model, context=1024, max_tokens=100), prompt)
    assert list(json.loads(reply.text)["verdicts"]) == ['clear "ü"']


@pytest.mark.proof
def test_token_probabilities_match_the_reply_s_text_and_are_returned_only_on_request(
    local_model: Path, cut_off: Reply
) -> None:
    reply = asked(LocalJudge(local_model, context=1024, max_tokens=LENGTH, expected=True), BRIEF)
    assert len(reply.tokens) > 20
    assert "".join(token.text for token in reply.tokens).startswith(reply.text)
    for token in reply.tokens:
        assert len(token.alternatives) >= 90
        assert all(0 <= probability <= 1 for probability in token.alternatives.values())
    assert cut_off.tokens == ()


@pytest.mark.proof
def test_the_event_loop_keeps_running_while_a_local_model_works_even_after_the_model_is_reopened(
    local_model: Path,
) -> None:
    async def run(judge: LocalJudge) -> int:
        context = asyncio.ensure_future(judge.reply(BRIEF))
        beats = 0
        while not context.done():
            await asyncio.sleep(0.005)
            beats += 1
        assert (await context).model == local_model.name
        await judge.aclose()
        return beats

    judge = LocalJudge(local_model, context=512, max_tokens=8)
    for _ in range(2):
        assert asyncio.run(run(judge)) > 20


@pytest.mark.proof
def test_keeping_the_shared_beginning_of_prompts_in_memory_does_not_change_an_answer(
    local_model: Path, cut_off: Reply
) -> None:
    keeping = LocalJudge(local_model, context=1024, max_tokens=LENGTH, keep_prefix=True)
    first, again = asked_often(keeping, 2, BRIEF)
    assert first.text == again.text == cut_off.text


@pytest.mark.proof
def test_a_prompt_too_long_for_the_model_s_context_is_reported_in_tokens(loaded: LocalJudge) -> None:
    prompt = Prompt(PROMPT.system, "word " * 3_000, PROMPT.schema, PROMPT.criteria)
    with pytest.raises(
        JudgeUnavailable, match=r"the prompt has 3,\d+ tokens and local:.+ reads at most 1,024"
    ) as caught:
        asyncio.run(loaded.reply(prompt))
    assert not caught.value.transient


def test_an_answer_that_reaches_the_length_limit_is_called_cut_off(cut_off: Reply) -> None:
    assert cut_off.stop == "length"
    assert cut_off.usage.output_tokens == LENGTH


def test_a_local_judge_refuses_a_json_schema_that_llama_cpp_cannot_use(
    loaded: LocalJudge,
) -> None:
    with pytest.raises(JudgeUnavailable, match="cannot be asked this"):
        asyncio.run(loaded.reply(Prompt("", "x", {"type": "bogus"}, ())))


def test_a_file_that_is_not_gguf_is_refused_when_the_judge_is_opened(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.gguf cannot be read"):
        LocalJudge(tmp_path / "none.gguf")
    with pytest.raises(UsageError, match="cannot be read"):
        LocalJudge(tmp_path)
    (tmp_path / "text.gguf").write_text("hello")
    with pytest.raises(UsageError, match=r"isn't a GGUF model"):
        LocalJudge(tmp_path / "text.gguf")


def test_a_broken_model_file_is_refused_when_it_is_loaded(tmp_path: Path, local_model: Path) -> None:
    broken = tmp_path / "broken.gguf"
    with local_model.open("rb") as whole:
        broken.write_bytes(whole.read(1_000_000))
    with pytest.raises(UsageError, match=r"broken\.gguf cannot be loaded"):
        asked(LocalJudge(broken))


@pytest.mark.parametrize("option", ["context", "slots", "threads", "max_tokens"])
def test_numbers_of_slots_or_threads_or_tokens_below_one_are_refused(option: str, local_model: Path) -> None:
    with pytest.raises(ValueError, match="from 1"):
        LocalJudge(local_model, **{option: 0})  # type: ignore[arg-type]


@pytest.mark.proof
def test_the_identity_of_a_local_judge_depends_on_the_file_s_content_and_settings(
    tmp_path: Path, local_model: Path
) -> None:
    local = LocalJudge(local_model)
    assert local.identity.name == f"local:{local_model.name}"
    copied = tmp_path / local_model.name
    copied.symlink_to(local_model)
    assert LocalJudge(copied).identity == local.identity
    others = [
        LocalJudge(local_model, context=1024),
        LocalJudge(local_model, slots=2),
        LocalJudge(local_model, expected=True),
        LocalJudge(local_model, temperature=0.7),
        LocalJudge(local_model, seed=1),
        LocalJudge(local_model, max_tokens=9),
        LocalJudge(local_model, keep_prefix=True),
    ]
    assert len({judge.identity.fingerprint for judge in (local, *others)}) == 8


def test_a_digest_of_a_model_file_depends_on_its_size_and_its_beginning_and_its_middle_and_its_end(
    tmp_path: Path,
) -> None:
    whole = bytearray(5_000_000)
    digests = set()
    for place in (None, 0, 2_000_000, 4_999_999):
        changed = bytearray(whole)
        if place is not None:
            changed[place] = 1
        (tmp_path / "f").write_bytes(changed)
        digests.add(digest(tmp_path / "f"))
    (tmp_path / "f").write_bytes(whole + b"\0")
    digests.add(digest(tmp_path / "f"))
    (tmp_path / "f").write_bytes(b"")
    digests.add(digest(tmp_path / "f"))
    assert len(digests) == 6


def test_a_missing_package_of_the_local_judge_is_named_with_the_command_to_install_it(local_model: Path) -> None:
    code = (
        "import sys, asyncio; sys.modules['xllamacpp'] = None; "
        "from markscheme.features.local_judge.judge import LocalJudge; from markscheme.prompts.prompt import Prompt; "
        f"asyncio.run(LocalJudge({str(local_model)!r}).reply(Prompt('', 'x', {{}}, ())))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "NoJudge" in done.stderr
    assert "[local]'" in done.stderr


def test_the_local_judge_can_be_imported_without_llama_cpp(local_model: Path) -> None:
    code = (
        "import sys; from markscheme.features.local_judge.judge import LocalJudge; "
        f"LocalJudge({str(local_model)!r}).identity; print('xllamacpp' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_model_file_named_as_judge_is_refused_with_the_suggestion_to_put_local_before_its_name() -> None:
    with pytest.raises(UsageError, match=r"unknown judge 'small\.gguf'; did you mean 'local:small\.gguf'\?"):
        known_kind("small.gguf")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("local", "doesn't name the file; expected local:PATH.gguf"),
        ("local:/no/such/model.gguf", "/no/such/model.gguf"),
    ],
)
def test_an_unknown_judge_s_name_is_refused(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        open_judge(name, context=JudgeContext(memory=None))

"""A user's function as judge: signatures as in other packages, whatever it returns or raises."""

import asyncio
import functools
import json
import os
import sys
import threading
from collections.abc import Mapping
from copy import deepcopy
from enum import StrEnum
from pathlib import Path
from typing import Any

import pydantic
import pytest

from markscheme import Rubric, grade
from markscheme.errors import JudgeBusy, JudgeUnavailable, NoJudge, UnreadableReply, UsageError
from markscheme.judges.function import FunctionJudge
from markscheme.judges.judge import Reply, Usage
from markscheme.judges.judge_context import JudgeContext
from markscheme.judges.remembering import Memory, Remembering
from markscheme.rubrics.rubric import Criterion, Scale
from tests.commands.console import run
from tests.judges.asking import PROMPT, RUBRIC, VERDICT, asked, refusal


class Model(pydantic.BaseModel):
    verdicts: dict[str, dict[str, str]]


def answering(answer: Any) -> FunctionJudge:
    async def fn(system_prompt: str, user_prompt: str) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    return FunctionJudge(fn, "function:mine")


def test_a_judge_function_is_called_with_both_prompts_as_keywords() -> None:
    asked_with: dict[str, str] = {}

    async def fn(user_prompt: str, system_prompt: str) -> str:
        asked_with.update(system=system_prompt, user=user_prompt)
        return VERDICT

    reply = asked(FunctionJudge(fn, "mine"))
    assert asked_with == {"system": PROMPT.system, "user": PROMPT.user}
    assert (reply.text, reply.usage) == (VERDICT, Usage(calls=1))


def test_a_judge_function_that_is_not_async_runs_in_a_thread() -> None:
    def fn(system_prompt: str, user_prompt: str) -> str:
        return threading.current_thread().name

    assert asked(FunctionJudge(fn, "mine")).text != threading.current_thread().name


def test_partials_and_callable_objects_and_bound_methods_can_be_judges() -> None:
    async def fn(prefix: str, *, system_prompt: str, user_prompt: str) -> str:
        return prefix

    class Callable:
        async def __call__(self, system_prompt: str, user_prompt: str) -> str:
            return "object"

        def later(self, system_prompt: str, user_prompt: str) -> Any:
            return self(system_prompt, user_prompt)

    assert asked(FunctionJudge(functools.partial(fn, "partial"), "a")).text == "partial"
    assert asked(FunctionJudge(Callable(), "b")).text == "object"
    assert asked(FunctionJudge(Callable().later, "c")).text == "object"
    assert asked(FunctionJudge(lambda **prompts: sorted(prompts)[0], "d")).text == "schema"


def test_the_answer_s_schema_is_passed_to_judge_functions_that_have_a_parameter_named_schema() -> None:
    seen: list[Mapping[str, Any]] = []

    async def fn(system_prompt: str, user_prompt: str, schema: Mapping[str, Any]) -> str:
        seen.append(schema)
        return VERDICT

    asked(FunctionJudge(fn, "mine"))
    assert seen == [PROMPT.schema]


def test_a_judge_function_that_modifies_the_schema_it_gets_does_not_change_the_prompt() -> None:
    def fn(system_prompt: str, user_prompt: str, schema: dict[str, Any]) -> str:
        schema["properties"].clear()
        return f"{system_prompt}{user_prompt}"

    before = deepcopy(PROMPT.schema)
    asked(FunctionJudge(fn, "f"))
    assert PROMPT.schema == before


def test_a_schema_with_labels_from_an_enumeration_is_passed_to_judge_functions() -> None:
    class Route(StrEnum):
        REFUND = "refund"
        DELAY = "delay"

    def fn(system_prompt: str, user_prompt: str, schema: Mapping[str, Any]) -> Any:
        levels = schema["properties"]["verdicts"]["properties"]["c1"]["properties"]["level"]["enum"]
        return {"verdicts": {"c1": {"quote": "nothing to quote", "reason": "It asks for money.", "level": levels[0]}}}

    rubric = Rubric((Criterion(1.0, "What it is about", "c1", scale=Scale.of_categories(list(Route))),))
    verdict = asyncio.run(grade(rubric, "My money, please.", FunctionJudge(fn, "f"))).verdicts["c1"]
    assert (verdict.level, verdict.reason) == (0.0, "It asks for money.")


def test_a_judge_function_that_edits_one_field_of_the_schema_changes_no_other_field() -> None:
    limited: list[str] = []

    def fn(system_prompt: str, user_prompt: str, schema: dict[str, Any]) -> str:
        parts = schema["properties"]["verdicts"]["properties"]["c1"]["properties"]
        parts["reason"]["maxLength"] = 100
        limited.extend(name for name, part in parts.items() if "maxLength" in part)
        return f"{system_prompt}{user_prompt}"

    asked(FunctionJudge(fn, "f"))
    assert limited == ["reason"]


@pytest.mark.parametrize(
    "answer",
    [
        VERDICT,
        {"verdicts": {"c1": {"quote": "Paris", "reason": "It does.", "level": "MET"}}},
        Model(verdicts={"c1": {"quote": "Paris", "reason": "It does.", "level": "MET"}}),
        Reply(VERDICT, usage=Usage(1, 10, 5)),
    ],
)
def test_a_judge_function_may_return_a_text_or_a_mapping_or_a_pydantic_model_or_a_reply(answer: Any) -> None:
    graded = asyncio.run(grade(RUBRIC, "Paris.", answering(answer)))
    assert graded.score == 1.0
    assert graded.usage.calls == 1


@pytest.mark.parametrize("answer", [None, 1.0, ["MET"], object(), {"at": object()}, {1: {2: {3}}}])
def test_a_judge_function_s_return_value_of_an_unsupported_type_is_an_unreadable_reply(answer: Any) -> None:
    assert isinstance(refusal(answering(answer)), UnreadableReply)


def test_a_pydantic_validation_error_in_a_judge_function_is_an_unreadable_reply() -> None:
    async def fn(system_prompt: str, user_prompt: str) -> Model:
        return Model.model_validate_json('{"verdicts": 3}')

    error = refusal(FunctionJudge(fn, "mine"))
    assert isinstance(error, UnreadableReply)
    assert isinstance(error.__cause__, pydantic.ValidationError)


def test_an_exception_in_a_judge_function_is_reported_without_api_keys_and_does_not_end_the_run() -> None:
    error = refusal(answering(RuntimeError("401: Bearer abcdefghijkl and sk-abcdefghijkl are \x1b[1mwrong")))
    assert isinstance(error, JudgeUnavailable)
    assert not error.transient
    assert str(error) == "function:mine failed: RuntimeError: 401: … and … are �[1mwrong"


def test_a_judge_function_that_calls_sys_exit_causes_an_error_and_does_not_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(system_prompt: str, user_prompt: str) -> str:
        sys.exit(0)

    async def ends_too(system_prompt: str, user_prompt: str) -> str:
        sys.exit(0)

    for judge in (ends, ends_too):
        assert str(refusal(FunctionJudge(judge, "mine"))) == "mine failed: SystemExit: 0"
    (tmp_path / "its_end.py").write_text("import sys\nsys.exit(0)\n")
    (tmp_path / "its_fault.py").write_text("def judge(:\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, why in (("its_end", "SystemExit: 0"), ("its_fault", "SyntaxError: ")):
        with pytest.raises(UsageError, match=f"cannot import function 'judge' of module '{name}': {why}"):
            FunctionJudge.load(f"{name}:judge")


@pytest.mark.parametrize("error", [JudgeBusy("later", retry_after=3.0), NoJudge("no key")])
def test_markscheme_s_own_errors_raised_by_a_judge_function_are_passed_on_unchanged(error: Exception) -> None:
    assert refusal(answering(error)) is error


def test_a_judge_function_that_cannot_take_system_prompt_and_user_prompt_is_refused_when_the_judge_is_created() -> None:
    with pytest.raises(UsageError, match="`system_prompt` and `user_prompt`"):
        FunctionJudge(lambda prompt: prompt, "mine")


def test_the_identity_of_a_judge_function_is_its_name_and_source() -> None:
    async def renamed(system_prompt: str, user_prompt: str) -> str:
        return "other"

    first = answering("a")
    assert first.identity == answering("b").identity, "a closure's values are not seen, the name must tell"
    assert first.identity.name == "function:mine"
    assert first.identity.fingerprint != FunctionJudge(renamed, "function:mine").identity.fingerprint
    assert first.identity.fingerprint != FunctionJudge(first.fn, "function:yours").identity.fingerprint


def test_cached_replies_are_not_used_for_a_judge_function_whose_project_files_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "its_judge.py": (
            "from functools import partial\nimport importlib, its_parts.wording\nfrom its_caller import Caller\n"
            "def judge(system_prompt, user_prompt, end=''):\n    import its_tools.late\n"
            "    importlib.import_module('its_plugin')\n    return its_parts.say()\n"
            "half, made = partial(judge, end='.'), Caller('Be strict.')\n"
        ),
        "its_caller.py": (
            "class Caller:\n    def __init__(self, wording): ...\n"
            "    def __call__(self, system_prompt, user_prompt): ...\n"
        ),
        "its_plugin.py": "y = 1\n",
        "its_tools/__init__.py": "",
        "its_tools/late.py": "z = 1\n",
        "its_parts/__init__.py": "from .wording import say\ndef late():\n    from its_parts import limits\n",
        "its_parts/wording.py": "def say(): return ''\n",
        "its_parts/limits.py": "LIMIT = 1\n",
        "unrelated.py": "x = 1\n",
    }
    for package in ("its_parts", "its_tools"):
        (tmp_path / package).mkdir()
    for name, code in files.items():
        (tmp_path / name).write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))

    def identity() -> tuple[str, ...]:
        loaded = (FunctionJudge.load(f"its_judge:{name}") for name in ("judge", "half", "made"))
        return tuple(judge.identity.fingerprint for judge in loaded)

    seen = [identity()]
    for name in files:
        (tmp_path / name).write_text(f"{files[name]}# edited\n")
        seen.append(identity())
    for of_one in zip(*seen, strict=True):
        assert len(set(of_one)) == len(files), "each file but the unrelated one counts"
    assert seen[-1] == seen[-2]
    for name in [name for name in sys.modules if name.startswith("its_")]:
        del sys.modules[name]


# --- what a function declares ----------------------------------------------------------------------------------------

DEPENDS = """
import os, pathlib
def judge(system_prompt, user_prompt):
    asked = pathlib.Path(__file__).with_name("asked.txt")
    asked.write_text(asked.read_text() + "." if asked.exists() else ".")
    return {"verdicts": {"c1": {"quote": "nothing to quote", "reason": os.environ["MODEL"], "level": "MET"}}}
"""


def times_asked(folder: Path, declared: str, *models: str) -> list[int]:
    """Grade the same response in a process per model; return how often the judge was asked in total after each."""
    (folder / "depends.py").write_text(DEPENDS + declared)
    (folder / "rubric.yaml").write_text("criteria: [{requirement: Is kind, name: c1}]\n")
    (folder / "reply.txt").write_text("Of course.")
    counts = []
    for model in models:
        env = {"MARKSCHEME_CACHE": str(folder / "cache"), "MODEL": model}
        command = ("markscheme", "grade", "rubric.yaml", "reply.txt", "--judge", "function:depends:judge", "--json")
        done = run(*command, cwd=folder, env=env)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["criteria"]["c1"]["reason"] == model
        counts.append(len((folder / "asked.txt").read_text()))
    return counts


def test_replies_of_a_judge_function_that_declares_no_files_or_variables_are_not_cached_for_other_processes(
    tmp_path: Path,
) -> None:
    assert times_asked(tmp_path, "", "one", "two", "one") == [1, 2, 3]


def test_cached_replies_of_a_judge_function_depend_on_the_environment_variables_that_it_declares(
    tmp_path: Path,
) -> None:
    assert times_asked(tmp_path, "judge.environment = ('MODEL',)\n", "one", "two", "one", "two") == [1, 2, 2, 2]


def test_cached_replies_of_a_judge_function_depend_on_the_content_of_the_files_that_it_declares(tmp_path: Path) -> None:
    declared = "judge.reads = ('prompt.txt',)\n"
    (tmp_path / "prompt.txt").write_text("Be strict.")
    assert times_asked(tmp_path, declared, "one", "one") == [1, 1]
    (tmp_path / "prompt.txt").write_text("Be lenient.")
    assert times_asked(tmp_path, declared, "one", "one") == [2, 2]


def test_a_cached_reply_of_a_judge_function_is_not_used_after_a_declared_environment_variable_or_file_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program may change a variable or a file while it uses the judge; replies then aren't mixed."""
    monkeypatch.chdir(tmp_path)
    words = tmp_path / "words.txt"

    def fn(system_prompt: str, user_prompt: str) -> str:
        return f"{os.environ['MODEL']} {words.read_text()}"

    fn.environment, fn.reads = ("MODEL",), ("words.txt",)  # type: ignore[attr-defined]
    judge = Remembering(FunctionJudge(fn, "mine"), Memory(tmp_path / "kept"))

    async def replies() -> list[str]:
        texts = []
        for model, text in (("one", "kind"), ("two", "kind"), ("two", "strict"), ("one", "kind")):
            monkeypatch.setenv("MODEL", model)
            words.write_text(text)
            texts.append((await judge.reply(PROMPT)).text)
        await judge.aclose()
        return texts

    assert asyncio.run(replies()) == ["one kind", "two kind", "two strict", "one kind"]


def test_replies_of_a_judge_function_that_declares_no_files_or_variables_are_cached_within_a_process(
    tmp_path: Path,
) -> None:
    calls: list[str] = []

    def fn(system_prompt: str, user_prompt: str) -> str:
        calls.append(user_prompt)
        return VERDICT

    memory = JudgeContext(memory=Memory(tmp_path)).memory_for(FunctionJudge(fn, "mine").identity)
    assert memory is not None
    judge = Remembering(FunctionJudge(fn, "mine"), memory)

    async def twice() -> list[str]:
        return [(await judge.reply(PROMPT)).text for _ in range(2)]

    assert asyncio.run(twice()) == [VERDICT, VERDICT]
    assert len(calls) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("declared", ["MODEL", {"MODEL": "a"}, (1,), True])
def test_a_judge_function_is_refused_if_its_environment_attribute_is_not_a_list_of_names(declared: Any) -> None:
    def fn(system_prompt: str, user_prompt: str) -> str:
        return VERDICT

    fn.environment = declared  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match=r'`environment` must be names such as \("MODEL",\)'):
        FunctionJudge(fn, "mine")

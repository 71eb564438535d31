"""Promptfoo's grading provider: grades `llm-rubric` by one of our rubrics, or by its own text as a single criterion."""

import difflib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markscheme.errors import MarkschemeError, UsageError
from markscheme.grading import Grade
from markscheme.judges.judge import Judge
from markscheme.prompt import Prompt, closed_object
from markscheme.promptfoo.assertion import (
    NOT_GRADED,
    OFF,
    Call,
    by_itself,
    call_by,
    check_config,
    graded,
    mapping_of,
    metadata_of,
    tokens_used,
    told_reason,
    way_out,
)
from markscheme.promptfoo.engine import Engine, make_importable
from markscheme.rubrics.file import rubric_from_data
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.rubrics.search import SUFFIXES, find_rubric, known_rubrics
from markscheme.verdict import NotApplicable, Verdict

OWN_KEYS = ("basePath", "pythonExecutable", "workers", "timeout", "env")
"""Keys of a provider's configuration that Promptfoo itself reads or adds."""
LABEL = "llm-rubric"
_NAME = re.compile(r"[\w.@-]+(/[\w.@-]+)*")
_LONGEST_NAME = 200

ANSWER_SCHEMA = closed_object({"answer": {"type": "string"}})
ANSWER_SYSTEM = (
    "Answer the message below. Put the whole answer, exactly as the message wants it written, into `answer`: where it "
    "asks for JSON, `answer` is a string that holds that JSON on a single line and nothing else."
)


def call_api(prompt: str, options: Mapping[str, Any], context: Mapping[str, Any], *, near: Path) -> dict[str, Any]:
    """The grading provider's answer to one prompt from Promptfoo.

    Args:
        prompt: The prompt as Promptfoo would send it to a model.
        options: With `config`: the keys of our assertion's configuration, except those that name a rubric.
        context: With `vars`: for `llm-rubric` the output, the rubric and the test's own.
        near: The folder of the file that Promptfoo called; rubrics are looked for there too.

    Returns:
        `output`, `tokenUsage`, `cost` and `metadata`, or an `error` that opens with "not graded:".
    """
    return by_itself(lambda engine: respond(prompt, options, context, near=near, engine=engine), _failed)


async def respond(
    prompt: str, options: Mapping[str, Any], context: Mapping[str, Any], *, near: Path, engine: Engine
) -> dict[str, Any]:
    """Same as `call_api`, with the judges that `engine` keeps open."""
    make_importable(Path.cwd(), near, near.parent)
    try:
        config = _config(options)
        context = mapping_of(context, "context")
        variables = mapping_of(context.get("vars"), "vars")
        if not _asks_for_rubric(context, variables):
            return await _plain_answer(prompt, config, engine)
        call = _call(config, variables, near, engine)
        grade = await graded(call, engine)
    except MarkschemeError as error:
        return _failed(error)
    if grade.error is not None:
        return {"error": f"{NOT_GRADED}{grade.error}", "tokenUsage": tokens_used(grade.usage)}
    return _answer(grade, call)


# --- reading --------------------------------------------------------------------------------------------------------


def _config(options: Mapping[str, Any]) -> dict[str, Any]:
    given = mapping_of(mapping_of(options, "options").get("config"), "config")
    config = {key: value for key, value in given.items() if key not in OWN_KEYS}
    for key in ("rubric", "rubric_var"):
        if key in config:
            raise UsageError(
                f"config.{key} belongs to the python assertion; here the assertion's `value` is the rubric"
            )
    check_config(config)
    return config


def _asks_for_rubric(context: Mapping[str, Any], variables: Mapping[str, Any]) -> bool:
    """Whether the prompt comes from `llm-rubric`; other assertions use the same provider for other questions."""
    asked = context.get("prompt")
    label = asked.get("label") if isinstance(asked, Mapping) else None
    return label in (LABEL, None) and "rubric" in variables and "output" in variables


def _call(config: Mapping[str, Any], variables: Mapping[str, Any], near: Path, engine: Engine) -> Call:
    said = variables["rubric"]
    own = {name: value for name, value in variables.items() if name not in ("output", "rubric")}
    file = _file(said, near)
    rubric = _rubric_of(said) if file is None else engine.rubric(file)
    return call_by(rubric, file, variables["output"], config, own)


def _file(said: Any, near: Path) -> Path | None:
    """The rubric file that a value names; None if the value is itself the requirement.

    Raises:
        UsageError: It looks like a rubric's name, but no such rubric exists.
    """
    if not isinstance(said, str) or len(said) > _LONGEST_NAME or not _NAME.fullmatch(said.strip()):
        return None
    name = said.strip()
    known = known_rubrics(near=near)
    if name in known or name.endswith(SUFFIXES) or difflib.get_close_matches(name, known, n=1, cutoff=0.8):
        return find_rubric(name, near=near)
    return None


def _rubric_of(said: Any) -> Rubric:
    """A rubric written in the assertion itself: criteria as data, or one requirement as text."""
    data = _as_data(said)
    if data is not None:
        return rubric_from_data(data)
    text = str(said).strip()
    if not text:
        raise UsageError("the assertion's value is empty; it is a rubric's name, or says what is required")
    return Rubric((Criterion(1.0, text, "requirement"),), name=LABEL)


def _as_data(said: Any) -> Any:
    """Criteria as plain data, if the value holds them; Promptfoo passes an object as JSON text."""
    if isinstance(said, str) and said.lstrip().startswith("{"):
        try:
            said = json.loads(said)
        except (ValueError, RecursionError):
            return None
    return said if isinstance(said, Mapping) and ({"criteria", "sections"} & said.keys()) else None


# --- answering ------------------------------------------------------------------------------------------------------


def _answer(grade: Grade, call: Call) -> dict[str, Any]:
    verdict = {"pass": grade.passed is True, "score": grade.score, "reason": told_reason(grade, call)}
    answer = {
        "output": json.dumps(verdict),
        "tokenUsage": tokens_used(grade.usage),
        "metadata": {**metadata_of(grade, call), "criteria": _criteria(grade, call)},
    }
    return answer if grade.usage.usd is None else {**answer, "cost": grade.usage.usd}


def _criteria(grade: Grade, call: Call) -> dict[str, Any]:
    """The result of each criterion, since an `llm-rubric` result has room for only one score."""
    found: dict[str, Any] = {}
    for criterion in call.rubric.criteria:
        match grade.outcomes.get(criterion.name):
            case Verdict() as verdict:
                position = criterion.scale.position(verdict.level)
                found[criterion.name] = {
                    "level": verdict.level,
                    "position": position,
                    "score": criterion.merit(position),
                    "pass": criterion.passes(position),
                    "reason": verdict.reason,
                }
            case NotApplicable() as outcome:
                found[criterion.name] = {"notApplicable": outcome.reason}
    return found


async def _plain_answer(prompt: str, config: Mapping[str, Any], engine: Engine) -> dict[str, Any]:
    """The judge's answer to another assertion's question."""
    if not isinstance(prompt, str):
        raise UsageError(f"a grading provider is asked in text, found {type(prompt).__name__}")
    kept = config.get("cache", "auto") not in OFF
    question = Prompt(ANSWER_SYSTEM, prompt, ANSWER_SCHEMA, ())
    reply = await _judge(config, question, kept, engine).reply(question)
    answer: dict[str, Any] = {"output": _text(reply.text), "tokenUsage": tokens_used(reply.usage)}
    return answer if reply.usage.usd is None else {**answer, "cost": reply.usage.usd}


def _judge(config: Mapping[str, Any], question: Prompt, kept: bool, engine: Engine) -> Judge:
    if config.get("judge") is not None:
        return engine.named(config["judge"], config.get("model"), kept=kept)
    nobody = Rubric((Criterion(1.0, "answers", "answers"),), name=LABEL)
    return engine.at_hand(nobody, [question], None, kept=kept)


def _text(reply: str) -> str:
    try:
        answer = json.loads(reply)["answer"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return reply
    return answer if isinstance(answer, str) else reply


def _failed(error: MarkschemeError) -> dict[str, Any]:
    return {"error": NOT_GRADED + way_out(error)}

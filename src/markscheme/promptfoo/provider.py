"""Promptfoo's grading provider, which grades an `llm-rubric` by the rubric it names or by its text as a criterion."""

import difflib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from markscheme.errors import MarkschemeError, UsageError
from markscheme.grading import Grade
from markscheme.grading.verdict import NotApplicable, Verdict
from markscheme.json_text import json_or
from markscheme.judges.judge import replying
from markscheme.options.in_force import hold
from markscheme.plain_data import mapping
from markscheme.promptfoo.assertion import (
    CONFIG_KEYS,
    Call,
    asking_options,
    by_itself,
    call_by,
    check_config,
    graded,
    mapping_of,
    metadata_of,
    reading_of,
    tokens_used,
    told_reason,
    way_out,
)
from markscheme.promptfoo.engine import Engine
from markscheme.promptfoo.keys import NOT_GRADED
from markscheme.promptfoo.questions import PROVIDER_QUESTIONS, TEXT_READERS, QuestionKind, TextRubric
from markscheme.prompts.parts import PartedText, loaded_part
from markscheme.prompts.prompt import Prompt, closed_object
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.rubrics.search import RUBRIC_SUFFIXES, find_rubric, known_rubrics
from markscheme.user_code import search_for_code

PROVIDER_KEYS = ("basePath", "pythonExecutable", "workers", "timeout", "env")
"""Keys of a provider's configuration that Promptfoo itself reads or adds."""
RUBRIC_LABEL = "llm-rubric"
_NAME = re.compile(r"[\w.@-]+(/[\w.@-]+)*")
_LONGEST_NAME = 200
"""Number of characters from which on a text can't be a rubric's name and must be a prompt."""

ANSWER_SCHEMA = closed_object({"answer": {"type": "string"}})
ANSWER_SYSTEM = (
    "Answer the message below. Put the whole answer, exactly as the message wants it written, into `answer`: where it "
    "asks for JSON, `answer` is a string that holds that JSON on a single line and nothing else."
)


def call_api(prompt: str, options: Mapping[str, Any], context: Mapping[str, Any], *, near: Path) -> dict[str, Any]:
    """Return the grading provider's answer to one prompt from Promptfoo.

    Args:
        prompt: The prompt that Promptfoo would send to a model.
        options: Promptfoo's options with `config`, which has the keys of an assertion's configuration, except those
            that name a rubric.
        context: Promptfoo's context with `vars`: for `llm-rubric` the output, the rubric and the test's own variables.
        near: The folder of the file that Promptfoo called, where rubrics are looked for too.

    Returns:
        `output`, `tokenUsage`, `cost` and `metadata`, or an `error` that begins with "not graded:".
    """
    return by_itself(lambda engine: respond(prompt, options, context, near=near, engine=engine), _failed)


async def respond(
    prompt: str, options: Mapping[str, Any], context: Mapping[str, Any], *, near: Path, engine: Engine
) -> dict[str, Any]:
    """Return the grading provider's answer to one prompt from Promptfoo, by the judges that `engine` keeps open.

    Args:
        prompt: The prompt that Promptfoo made.
        options: The provider's options, with its `config`.
        context: Promptfoo's context of the call, with its vars.
        near: The folder from which rubrics and code are searched.
        engine: The rubrics and judges that are open.
    """
    search_for_code(Path.cwd(), near, near.parent)
    try:
        config = _config(options)
        context = mapping_of(context, "context")
        variables = mapping_of(context.get("vars"), "vars")
        question = _question_of(context, variables)
        with hold(reading_of(config)):
            if question is not None:
                _, answer = question.load()
                return await answer(config, variables, near, engine)
            if not _asks_for_rubric(context, variables):
                return await _plain_answer(prompt, config, engine)
            call = _call(config, variables, near, engine)
            grade = await graded(call, engine)
    except MarkschemeError as error:
        return _failed(error)
    why = grade.why_no_decision
    if why is not None:
        return {"error": f"{NOT_GRADED}{why}", "tokenUsage": tokens_used(grade.usage, grade.spared_tokens)}
    return _answer(grade, call)


# --- reading --------------------------------------------------------------------------------------------------------


def _config(options: Mapping[str, Any]) -> dict[str, Any]:
    written = mapping_of(mapping_of(options, "options").get("config"), "config")
    config = {key: value for key, value in written.items() if key not in PROVIDER_KEYS}
    for key in ("rubric", "rubric_var"):
        if key in config:
            raise UsageError(
                f"config.{key} belongs to the python assertion; here the assertion's `value` is the rubric"
            )
    further = config.keys() - CONFIG_KEYS
    questions = [question for question in PROVIDER_QUESTIONS if question.keys & further] if further else []
    read_elsewhere = frozenset[str]().union(*(question.keys for question in questions))
    check_config({key: value for key, value in config.items() if key not in read_elsewhere})
    for question in questions:
        check, _ = question.load()
        check(config)
    return config


def _question_of(context: Mapping[str, Any], variables: Mapping[str, Any]) -> QuestionKind | None:
    """Return the kind of question that an assertion asks the provider; None for `llm-rubric` and unknown kinds."""
    label = _label(context)
    if label in (RUBRIC_LABEL, None):
        return None
    return next(
        (kind for kind in PROVIDER_QUESTIONS if kind.label == label and kind.variables <= variables.keys()), None
    )


def _asks_for_rubric(context: Mapping[str, Any], variables: Mapping[str, Any]) -> bool:
    """Return True if the prompt comes from `llm-rubric`; other assertions use the same provider for other questions.

    Args:
        context: Promptfoo's context of the call.
        variables: The vars of the call; those of `llm-rubric` have `rubric` and `output`.
    """
    return _label(context) in (RUBRIC_LABEL, None) and "rubric" in variables and "output" in variables


def _label(context: Mapping[str, Any]) -> Any:
    prompt = context.get("prompt")
    return prompt.get("label") if isinstance(prompt, Mapping) else None


def _call(config: Mapping[str, Any], variables: Mapping[str, Any], near: Path, engine: Engine) -> Call:
    value = variables["rubric"]
    inputs = {name: value for name, value in variables.items() if name not in ("output", "rubric")}
    file = rubric_named(value, near)
    rubric, reading = _of_text(value, inputs) if file is None else (engine.rubric(file), None)
    call = call_by(rubric, file, variables["output"], config, inputs, asking_options(config, engine))
    return replace(call, reading=reading)


def _of_text(value: Any, variables: Mapping[str, Any]) -> TextRubric:
    """Return the rubric written in an `llm-rubric`, with vars that hold images or documents added to its inputs."""
    rubric, reading = _rubric_of(value)
    shown = [name for name, var in variables.items() if isinstance(loaded_part(var, f"var {name!r}"), PartedText)]
    more = tuple(name for name in shown if name not in rubric.known_inputs)
    if more:
        rubric = replace(rubric, inputs=(*(rubric.inputs or ()), *more))
    return rubric, reading


def rubric_named(value: Any, near: Path) -> Path | None:
    """Return the rubric file that an `llm-rubric` names; None if its value is the requirement itself.

    Args:
        value: The value of the `llm-rubric` assertion.
        near: A folder; its own and its parent's `rubrics/` are searched too.

    Raises:
        UsageError: The value looks like a rubric's name, but no such rubric exists.
    """
    if not isinstance(value, str) or len(value) > _LONGEST_NAME or not _NAME.fullmatch(value.strip()):
        return None
    name = value.strip()
    rubrics = known_rubrics(near=near)
    if name in rubrics or name.endswith(RUBRIC_SUFFIXES) or difflib.get_close_matches(name, rubrics, n=1, cutoff=0.8):
        return find_rubric(name, near=near)
    return None


def _rubric_of(value: Any) -> TextRubric:
    """Read a rubric written in the assertion itself: criteria as data, or one requirement as text."""
    data = _as_data(value)
    if data is not None:
        return Rubric.from_dict(data), None
    is_list = isinstance(value, list) and all(isinstance(point, str) for point in value)
    text = ("; ".join(value) if is_list else str(value)).strip()
    if not text:
        raise UsageError("the assertion's value is empty; it is a rubric's name, or says what is required")
    return next((read(text) for read in TEXT_READERS), _of_one_question(text))


def _of_one_question(text: str) -> TextRubric:
    """Make a rubric with a text as its only criterion, which is met or not."""
    return Rubric((Criterion(1.0, text, "requirement"),), name=RUBRIC_LABEL), None


def _as_data(value: Any) -> Any:
    """Return criteria as a mapping if they are one, or the JSON text of one; None for any other value."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = json_or(value, None)
    return value if isinstance(value, Mapping) and ({"criteria", "sections"} & value.keys()) else None


# --- answering ------------------------------------------------------------------------------------------------------


def _answer(grade: Grade, call: Call) -> dict[str, Any]:
    verdict = {"pass": grade.passed is True, "score": grade.score, "reason": told_reason(grade, call)}
    reading = {} if call.reading is None else {"reading": call.reading}
    answer = {
        "output": json.dumps(verdict),
        "tokenUsage": tokens_used(grade.usage, grade.spared_tokens),
        "metadata": {**metadata_of(grade, call), **reading, "criteria": _criteria(grade, call)},
    }
    return answer if grade.usage.usd is None else {**answer, "cost": grade.usage.usd}


def _criteria(grade: Grade, call: Call) -> dict[str, Any]:
    """Return the result on each criterion by name, for the metadata, since an `llm-rubric` gets only one score.

    Args:
        grade: The grade of the output.
        call: The call of the provider, with the rubric.
    """
    results: dict[str, Any] = {}
    for criterion in call.rubric.criteria:
        match grade.outcomes.get(criterion.name):
            case Verdict() as verdict:
                position = criterion.scale.position(verdict.level)
                results[criterion.name] = {
                    "level": criterion.scale.written(verdict.level),
                    "position": position if criterion.has_worth else None,
                    "score": criterion.worth(position),
                    "pass": criterion.passes(position) if criterion.is_decisive else None,
                    "reason": verdict.reason or "",
                }
            case NotApplicable() as outcome:
                results[criterion.name] = {"notApplicable": outcome.reason or ""}
    return results


async def _plain_answer(prompt: str, config: Mapping[str, Any], engine: Engine) -> dict[str, Any]:
    """Return the judge's free-text answer to a prompt of an assertion other than `llm-rubric`."""
    if not isinstance(prompt, str):
        raise UsageError(f"a grading provider must be asked in text, got {type(prompt).__name__}")
    question = Prompt(ANSWER_SYSTEM, prompt, ANSWER_SCHEMA, ())
    nobody = Rubric((Criterion(1.0, "answers", "answers"),), name=RUBRIC_LABEL)
    judge = engine.judge_for(nobody, [question], (), asking_options(config, engine))
    reply = await replying(judge).reply(question)
    answer: dict[str, Any] = {"output": _text(reply.text), "tokenUsage": tokens_used(reply.usage, reply.spared)}
    return answer if reply.usage.usd is None else {**answer, "cost": reply.usage.usd}


def _text(reply: str) -> str:
    answer = mapping(json_or(reply, None)).get("answer")
    return answer if isinstance(answer, str) else reply


def _failed(error: MarkschemeError) -> dict[str, Any]:
    return {"error": NOT_GRADED + way_out(error)}

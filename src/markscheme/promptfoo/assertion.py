"""Promptfoo's `python` assertion: takes an output and its context, returns a grading result."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from markscheme.errors import MarkschemeError, NoJudge, UsageError, suggestion
from markscheme.grading import (
    ASK_A_PERSON,
    Grade,
    Grading,
    questions,
    receipt_wanted,
    scorers_for,
    why_ask,
)
from markscheme.grading.grades import tag_scores
from markscheme.grading.receipt import CALIBRATION, calibration_text, receipt_json, score_text
from markscheme.grading.verdict import Abstention, NotApplicable, Outcome, Unread, Verdict
from markscheme.judges.family import same_family
from markscheme.judges.judge import Usage
from markscheme.judges.options import ASK_OPTIONS, AskOptions
from markscheme.numerals import finite
from markscheme.options.in_force import hold, reading_options, split_reading
from markscheme.options.table import AddedOptions
from markscheme.phrases import number
from markscheme.plain_data import elements, shown
from markscheme.promptfoo.engine import Engine
from markscheme.promptfoo.keys import NOT_GRADED, SCORING_FUNCTION
from markscheme.promptfoo.negation import NotGraded
from markscheme.prompts.parts import loaded_part
from markscheme.prompts.steps import has_tool_calls, steps_elsewhere, steps_for
from markscheme.prompts.submission import Submission, plain_metadata
from markscheme.rubrics.inputs import STEPPED
from markscheme.rubrics.of_rows import ROWS_ALONE, RowRubric, rubric_of
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.rubrics.search import find_rubric, only_rubric
from markscheme.user_code import search_for_code

QUERY_VARS = ("query", "question", "input", "prompt")
SCRIPT_TYPES = tuple(f"{negation}{kind}" for negation in ("", "not-") for kind in ("python", "javascript", "ruby"))
"""Types of assertions whose value may be the path of a script."""
_ONLY_A_PLACEHOLDER = re.compile(r"\s*\{\{[^{}]*\}\}\s*")


@dataclass(frozen=True)
class Call:
    """One call of Promptfoo's assertion, with its arguments checked: an output, the rubric to grade it by, and options.

    Attributes:
        rubric: The rubric, with the pass mark and prompt settings from the configuration.
        file: The path of the rubric's file; None for a rubric written in the assertion.
        submission: The output with its inputs.
        options: How the judge is asked, by the configuration's keys, or else by defaults.
        calibration: How the judge's calibration is used: "warn" includes it in the result, "require" also demands a
            judge that can gate, "off" ignores it.
        system: The id and the label of the provider that wrote the output, to compare its model family with the
            judge's; None if they aren't known.
        provider: The name of that provider in results: its label, else its id.
        metadata: The metadata of the test that are short texts.
        reading: How the text of an `llm-rubric` was understood; None for other assertions.
        row_rubric: The criteria that the test brings; None if it is graded by a rubric's file.
    """

    rubric: Rubric
    file: Path | None
    submission: Submission
    options: AskOptions
    calibration: str = "warn"
    system: str | None = None
    provider: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    reading: str | None = None
    row_rubric: RowRubric | None = None

    @property
    def facts(self) -> dict[str, str]:
        """Facts about the output besides its inputs: the test's metadata, and the system that wrote it."""
        return {**self.metadata, "system": self.provider} if self.provider else dict(self.metadata)

    @property
    def folders(self) -> tuple[Path, ...]:
        """Folders in which the rubric's calibration may be."""
        return (self.file.parent, Path.cwd()) if self.file is not None else (Path.cwd(),)


def get_assert(output: Any, context: Mapping[str, Any], *, near: Path) -> dict[str, Any]:
    """Grade one output, as Promptfoo's `python` assertion.

    Args:
        output: The model's output: text, or parsed JSON.
        context: The context as Promptfoo passes it.
        near: The folder of the file that Promptfoo called, where rubrics are looked for too.

    Returns:
        Promptfoo's grading result. For an output that could not be graded, it is a fail without named scores, whose
        reason begins with "not graded:".

    Raises:
        NotGraded: The output could not be graded, and the assertion is a `not-python` or may be one.
    """
    return by_itself(
        lambda engine: assess(output, context, near=near, engine=engine),
        lambda error: _not_graded(way_out(error), context),
    )


def by_itself(
    work: Callable[[Engine], Awaitable[dict[str, Any]]], refused: Callable[[UsageError], dict[str, Any]]
) -> dict[str, Any]:
    """Run a function with a new Engine (open judges and settings), close the Engine, and return the result.

    Args:
        work: The function.
        refused: Function that returns the result instead, if the Engine can't be made because an option is invalid.
    """

    async def answer() -> dict[str, Any]:
        try:
            engine = Engine()
        except UsageError as error:
            return refused(error)
        try:
            return await work(engine)
        finally:
            await engine.aclose()

    return asyncio.run(answer())


async def assess(output: Any, context: Mapping[str, Any], *, near: Path, engine: Engine) -> dict[str, Any]:
    """Grade one output for Promptfoo's `python` assertion, using judges that the process keeps open.

    Args:
        output: The model's output: text, or parsed JSON.
        context: The context as Promptfoo passes it.
        near: The folder of the file that Promptfoo called.
        engine: Judges and settings that all gradings of the process share.

    Raises:
        NotGraded: The output could not be graded, and the assertion is a `not-python` or may be one.
    """
    search_for_code(Path.cwd(), near, near.parent)
    try:
        with hold(reading_of(mapping_of(context, "context").get("config"))):
            call = read_call(output, context, near, engine)
            grade = await graded(call, engine)
    except MarkschemeError as error:
        return _not_graded(way_out(error), context)
    why = grade.why_no_decision
    if why is not None:
        return _not_graded(why, context, grade)
    result = grading_result(grade, call)
    if grade.decision == "ask" and _may_be_negated(context.get("test"), context.get("config")):
        raise NotGraded(result["reason"])
    return result


# --- reading the call -----------------------------------------------------------------------------------------------


def read_call(output: Any, context: Mapping[str, Any], near: Path, engine: Engine) -> Call:
    """Read and check the arguments with which Promptfoo calls the assertion.

    Args:
        output: The output to grade.
        context: The test's context, as Promptfoo passes it.
        near: The folder of the file that Promptfoo called, in which rubrics are looked for too.
        engine: The engine, which keeps rubrics and judges open.

    Raises:
        UsageError: The configuration has an unknown key or invalid value, or an input is missing.
        RubricError: The rubric's file is invalid.
    """
    context = mapping_of(context, "context")
    config = mapping_of(context.get("config"), "config")
    variables = mapping_of(context.get("vars"), "vars")
    check_config(config)
    options = asking_options(config, engine)
    row_rubric = _own_rubric(context.get("rubricName"), config, variables, options)
    if row_rubric is None:
        file = _rubric_file(context.get("rubricName"), config, variables, near)
        rubric = engine.rubric(file)
    else:
        file = None
        rubric = row_rubric.rubric
    system = _system(context.get("provider"))
    steps = {
        "trace": context.get("trace"),
        "messages": _earlier(variables.get("_conversation"), output, context.get("test")),
    }
    prompt = context.get("prompt")
    call = call_by(rubric, file, output, config, variables, options, prompt=prompt, system=system, steps=steps)
    test = context.get("test")
    metadata = plain_metadata(test.get("metadata")) if isinstance(test, Mapping) else {}
    return replace(call, provider=provider_name(context.get("provider")), metadata=metadata, row_rubric=row_rubric)


def asking_options(config: Mapping[str, Any], engine: Engine) -> AskOptions:
    """Return how the judge is asked: the options in a checked configuration, else the engine's defaults."""
    return engine.options(({key: value for key, value in config.items() if key in ASK_OPTIONS}, "config.{}"))


def reading_of(config: Any) -> AddedOptions:
    """Return an assertion's options for how text is read; its other options aren't checked here.

    Raises:
        UsageError: An option has a value that it can't have.
    """
    written = config if isinstance(config, Mapping) else {}
    return split_reading([(written, "config.{}")], CONFIG_KEYS)[0]


def call_by(
    rubric: Rubric,
    file: Path | None,
    output: Any,
    config: Mapping[str, Any],
    variables: Mapping[str, Any],
    options: AskOptions,
    *,
    prompt: Any = None,
    system: str | None = None,
    steps: Mapping[str, Any] | None = None,
) -> Call:
    """Make the Call that grades an output by the given rubric, from a configuration that is already checked.

    Args:
        rubric: The rubric.
        file: The rubric's file; None if the rubric came with the row or the configuration.
        output: The output to grade.
        config: The assertion's configuration.
        variables: The test's vars, from which inputs are taken.
        options: Options on how the judge is asked.
        prompt: The prompt that made the output, which may be an input; None if it isn't known.
        system: Name of the system that wrote the output; None if it isn't known.
        steps: Values of the inputs that take an agent's steps, by the input's name.

    Raises:
        UsageError: A value of the configuration is invalid, or an input is missing.
    """
    rubric = replace(options.of(rubric), pass_mark=float(config.get("threshold", rubric.pass_mark)))
    calls = output if has_tool_calls(output) else None
    every_step = {**(steps or {}), "tool_calls": calls}
    response = "null" if output is None else loaded_part(output, "the output")
    submission = Submission(response, _inputs(rubric, config, variables, prompt, every_step))
    return Call(rubric, file, submission, options, config.get("calibration", "warn"), system)


def _earlier(turns: Any, output: Any, test: Any) -> Any:
    """Return the earlier turns of a conversation that Promptfoo passes; [] at its first turn, None if it passes none.

    Promptfoo passes turns only from the second one on.

    Args:
        turns: The turns that Promptfoo passes, perhaps with the present one at the end.
        output: The output of the present turn.
        test: The test, which says if it belongs to a conversation.
    """
    if turns is None and _is_in_conversation(test):
        return []
    has_it = isinstance(turns, list) and turns and isinstance(turns[-1], Mapping) and turns[-1].get("output") == output
    return turns[:-1] if has_it else turns


def _is_in_conversation(test: Any) -> bool:
    metadata = test.get("metadata") if isinstance(test, Mapping) else None
    return isinstance(metadata, Mapping) and metadata.get("conversationId") is not None


def _system(provider: Any) -> str:
    """Return only the provider's id and label, since its configuration, which Promptfoo may pass, may hold API keys."""
    names = [provider.get("id"), provider.get("label")] if isinstance(provider, Mapping) else [provider]
    return " ".join(text for text in names if isinstance(text, str))


def provider_name(provider: Any) -> str:
    """Return the provider's label, else its id; "" where neither is a text."""
    names = [provider.get("label"), provider.get("id")] if isinstance(provider, Mapping) else [provider]
    return next((name for name in names if isinstance(name, str) and name), "")


def mapping_of(value: Any, name: str) -> Mapping[str, Any]:
    """Return a mapping that Promptfoo passes; {} if it is missing.

    Raises:
        UsageError: The value is not a mapping.
    """
    if value is None and name != "context":
        return {}
    if not isinstance(value, Mapping):
        raise UsageError(f"{name} must be a mapping of keys to values, got {shown(value)}")
    return value


def check_config(config: Mapping[str, Any]) -> None:
    """Raise an error if the assertion's configuration is invalid.

    Raises:
        UsageError: A key is unknown, a value has the wrong type, or a placeholder wasn't filled in.
    """
    for key, value in config.items():
        if key not in CONFIG_KEYS and key not in (of_reading := reading_options()):
            known_keys = (*CONFIG_KEYS, *of_reading)
            meant = "judge" if key == "provider" else str(key)  # Promptfoo's own assertions name their model so
            instead = suggestion(meant, known_keys, mark="'") or f"; known keys are {', '.join(known_keys)}"
            raise UsageError(f"unknown key {key!r} in the assertion's config{instead}")
        if "{{" in repr(value):
            raise UsageError(
                f"config.{key} holds a {{{{…}}}} placeholder, and Promptfoo fills none in an assertion's config; "
                "name the rubric by `rubric_var`, and inputs by the names of their vars"
            )
        if key in ASK_OPTIONS:
            ASK_OPTIONS[key].read(value, f"config.{key}")
        elif key in CALL_KEYS and not CALL_KEYS[key][0](value):
            raise UsageError(f"config.{key} must be {CALL_KEYS[key][1]}, got {shown(value)}")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_number(value: Any) -> bool:
    return finite(value) is not None


def _maps_texts(value: Any) -> bool:
    return value is None or (isinstance(value, Mapping) and all(map(_is_text, (*value.keys(), *value.values()))))


CALL_KEYS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "rubric": (
        lambda value: _is_text(value) or isinstance(value, list | Mapping),
        "a rubric's name or path, or its criteria",
    ),
    "rubric_var": (_is_text, "the name of a var"),
    "threshold": (lambda value: _is_number(value) and 0 <= value <= 1, "a score from 0 to 1"),
    "inputs": (_maps_texts, "a mapping from an input's name to that of a var"),
    "session": (lambda value: isinstance(value, str) or value is False, "auto, off or the path of a socket"),
    "calibration": (lambda value: value in CALIBRATION, f"one of {', '.join(CALIBRATION)}"),
}
"""Check and description of the allowed values of each key that says what is graded and how the result counts."""
CONFIG_KEYS = (*CALL_KEYS, *ASK_OPTIONS)
"""Keys of an assertion's configuration that the core reads: those of a call, and the options on how the judge is
asked."""


def _rubric_file(after_colon: Any, config: Mapping[str, Any], variables: Mapping[str, Any], near: Path) -> Path:
    """Find the file of an assertion's rubric.

    Args:
        after_colon: The rubric's name, if the assertion has it after the grader's file, as in `grader.py:help-desk`.
        config: The assertion's `config`, which may name the rubric, or a var that does.
        variables: The test's vars.
        near: The folder in which to search; its project's only rubric is taken if nothing names one.
    """
    if isinstance(after_colon, str):
        return find_rubric(after_colon, near=near)
    if "rubric_var" in config:
        name = variables.get(config["rubric_var"])
        if not isinstance(name, str):
            raise UsageError(
                f"rubric_var is {config['rubric_var']!r}, and the test has no such var with a rubric's name"
            )
        return find_rubric(name, near=near)
    if "rubric" in config:
        return find_rubric(str(config["rubric"]).removeprefix("file://"), near=near)
    return only_rubric(near)


def _own_rubric(
    after_file: Any, config: Mapping[str, Any], variables: Mapping[str, Any], options: AskOptions
) -> RowRubric | None:
    """Return criteria that are written in the configuration or a var; None if a rubric is named instead.

    Args:
        after_file: Name of a rubric after the grader's file, as in `file://graders/rubric_grader.py:NAME`; None if the
            assertion has none.
        config: The assertion's configuration, whose `rubric` or `rubric_var` may hold criteria.
        variables: The test's vars.
        options: Options on how the judge is asked.

    Raises:
        UsageError: The criteria are invalid, or the var holds a single criterion, since Promptfoo split a list of them.
    """
    by_var = "rubric_var" in config
    value = variables.get(config["rubric_var"]) if by_var else config.get("rubric")
    source = f"the var {config['rubric_var']!r}" if by_var else "config.rubric"
    if by_var and _is_one_criterion(value):
        raise UsageError(
            f"{source} holds one criterion: Promptfoo makes a test of each text of a list in a var; "
            "give the list as JSON text, or in a mapping: {criteria: […]}"
        )
    is_text = isinstance(value, str) and value.lstrip().startswith(("[", "{"))
    if isinstance(after_file, str) or not (is_text or isinstance(value, list | Mapping)):
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    row_rubric = rubric_of(text, None, "add", options.of(ROWS_ALONE))
    if isinstance(row_rubric, str):
        raise UsageError(f"{source}: {row_rubric}")
    return row_rubric


def _is_one_criterion(value: Any) -> bool:
    """Return True if a test's variable is a single criterion, a sentence or a flat mapping; False if it's a rubric."""
    if isinstance(value, Mapping):
        return not any(isinstance(inner, list | Mapping) for inner in value.values())
    text = value.strip() if isinstance(value, str) else ""
    return len(text.split()) > 1 and not text.startswith(("[", "{")) and "/" not in text


def _inputs(
    rubric: Rubric, config: Mapping[str, Any], variables: Mapping[str, Any], prompt: Any, steps: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the values of the rubric's inputs, from the test's vars and the steps that the provider recorded.

    Args:
        rubric: The rubric, which declares the inputs.
        config: The assertion's configuration, whose `inputs` may name the var of an input.
        variables: The test's vars.
        prompt: The prompt that the output answers, for the input `query` if no var has it.
        steps: An agent's steps that the provider recorded, by the name of the input to which they belong.

    Raises:
        UsageError: An input has no value, or only an unresolved placeholder.
    """
    named = config.get("inputs") or {}
    values = [*variables.items(), *steps.items()]
    available = {*named, *(name for name, value in values if value is not None)}
    filled = [name for name in rubric.known_inputs if name in available]
    inputs = {}
    for name in dict.fromkeys((*rubric.known_inputs, *named)):
        if name in named:
            if named[name] not in variables and name not in rubric.optional_inputs:
                raise UsageError(f"config.inputs takes {name!r} from var {named[name]!r}, which the test does not have")
            candidates = [variables.get(named[name])]
        elif name == "query":
            candidates = [*(variables[var] for var in QUERY_VARS if var in variables), prompt]
        elif name in STEPPED:
            no_turns_yet: list[Any] | None = [] if name == "messages" and steps.get(name) == [] else None
            candidates = [variables.get(name), steps_for(name, rubric.known_inputs, steps), no_turns_yet]
        else:
            candidates = [variables.get(name)]
        value = next((value for value in candidates if value is not None), None)
        if value is None and name in (rubric.inputs or ()) and not steps_elsewhere(name, filled):
            traced = ", or set `tracing.enabled` and let the provider send spans" if name in STEPPED else ""
            raise UsageError(
                f"the rubric needs the input {name!r}; give the test a var of that name, or name one in config.inputs"
                f"{traced}"
            )
        if isinstance(value, str) and _ONLY_A_PLACEHOLDER.fullmatch(value):
            raise UsageError(f"the input {name!r} is nothing but the unresolved placeholder {value.strip()}")
        if value is not None:
            inputs[name] = loaded_part(value, f"the var for {name!r}")
    return inputs


# --- asking -----------------------------------------------------------------------------------------------------------


async def graded(call: Call, engine: Engine) -> Grade:
    """Grade the output of a call by its rubric and judge.

    If the rubric is one that the test case brought along, the grade names it.

    Raises:
        MarkschemeError: No judge is available, or none may be asked.
    """
    grade = await grading_of(call, engine).grade(call.submission)
    return grade if call.row_rubric is None else replace(grade, row_rubric=call.row_rubric)


def grading_of(call: Call, engine: Engine) -> Grading:
    """Return the Grading for a call: its rubric, with an open judge and the options.

    Raises:
        MarkschemeError: No judge is available, or none may be asked.
    """
    rubric = call.rubric
    options = call.options
    prompts = [] if options.judge else questions(rubric, call.submission)
    judge = engine.judge_for(rubric, prompts, call.folders, options)
    of_run = rubric if call.row_rubric is None else options.of(ROWS_ALONE)
    receipt = receipt_wanted(call.calibration, "config.calibration", of_run, judge, *call.folders, named=options.judge)
    if receipt is not None and call.row_rubric is not None:
        receipt = receipt.beyond(of_run, rubric)
    scorers = scorers_for(rubric, options.scorers)
    return Grading(
        rubric,
        judge,
        receipt=receipt,
        scorers=scorers,
        facts=call.facts,
        only_gates=call.calibration == "require",
    )


# --- answering ------------------------------------------------------------------------------------------------------


def grading_result(grade: Grade, call: Call) -> dict[str, Any]:
    """Return a grade as Promptfoo's grading result; the component of a criterion has the criterion's name as metric."""
    components = {
        criterion.name: component
        for criterion in call.rubric.criteria
        if (component := _component(criterion, grade.outcomes.get(criterion.name))) is not None
    }
    return {
        "pass": grade.passed is True,
        "score": grade.score,
        "reason": told_reason(grade, call),
        "namedScores": {name: component["score"] for name, component in components.items()} | tag_scores(grade),
        "componentResults": list(components.values()),
        "tokensUsed": tokens_used(grade.usage, grade.spared_tokens),
        "metadata": metadata_of(grade, call),
    }


def _component(criterion: Criterion, outcome: Outcome | None) -> dict[str, Any] | None:
    """Return the component result of one criterion; None without a verdict, or for categories none of which passes.

    Args:
        criterion: The criterion.
        outcome: What the judge's reply came to on the criterion; None if the criterion wasn't asked about.
    """
    if not isinstance(outcome, Verdict):
        return None
    position = criterion.scale.position(outcome.level)
    worth = criterion.worth(position)
    if worth is None:
        return None
    reason = f"{criterion.name} {outcome.in_words(criterion.scale)}"
    if outcome.step is not None:
        lacks = ", which doesn't contain the passage it quotes" if outcome.quote_found is False else ""
        reason += f" (step {outcome.step}{lacks})"
    elif outcome.quote_found is False:
        reason += " (the passage it quotes is in nothing the judge saw)"
    if criterion.weight < 0:
        reason += " (a fault: its score is 1 where it is absent)"
    return {
        "pass": criterion.passes(position),
        "score": worth,
        "reason": reason,
        "assertion": {"type": "python", "metric": criterion.name, "value": criterion.requirement},
    }


def told_reason(grade: Grade, call: Call) -> str:
    """Return the text that Promptfoo shows as the reason of a result: score, decision and verdicts.

    It is never "", since Promptfoo counts a failure without a reason as a pass.

    Args:
        grade: The grade.
        call: The call by which it was graded, which has the rubric and says if the calibration is mentioned.
    """
    scored = grade.scored
    rubric = call.rubric
    if scored is None:  # not reached for a graded output
        return f"{NOT_GRADED}{grade.error}"
    verb = "passes" if scored.passed else "fails"
    head = f"{number(scored.score)} {verb} (pass mark {rubric.pass_mark:g})"
    asks = why_ask(grade, rubric)
    if asks is not None:
        head = f"{ASK_A_PERSON}{asks}. By the judge: {head}"
    elif grade.decided_by is not None:
        head += f"; decided by {grade.decided_by.judge}"
    if scored.failed_required:
        head += f"; required and failed: {', '.join(scored.failed_required)}"
    if grade.holistic is not None and not isinstance(grade.holistic, Unread):
        sentences = [_sentence(grade.holistic.reason or "")]
    else:
        sentences = [_outcome_in_words(criterion, grade.outcomes[criterion.name]) for criterion in rubric.criteria]
    if grade.left_out:
        sentences.append(f"Not shown to the judge: {'; '.join(grade.left_out)}.")
    if call.calibration != "off":
        sentences.append(f"Calibration: {score_text(scored.score, grade.receipt)}.")
    return f"{head}. " + " ".join(sentences)


def _outcome_in_words(criterion: Criterion, outcome: Outcome) -> str:
    match outcome:
        case Verdict():
            return _sentence(f"{criterion.name} {outcome.in_words(criterion.scale)}")
        case NotApplicable():
            return _sentence(f"{criterion.name} does not apply: {outcome.reason or ''}")
        case Abstention() | Unread():
            return f"{criterion.name}: no verdict."


def _sentence(text: str) -> str:
    """End a text with a full stop if it ends without punctuation, so that another sentence can follow.

    >>> _sentence("tone 4 of 5: kind"), _sentence('It says "no."'), _sentence("facts MET: ")
    ('tone 4 of 5: kind.', 'It says "no."', 'facts MET.')
    """
    sentence = text.rstrip().removesuffix(":")
    return sentence if sentence.rstrip("\"'”’»)]").endswith((".", "!", "?", "…")) else f"{sentence}."


def tokens_used(usage: Usage, spared: int) -> dict[str, int]:
    """Return the numbers of tokens under Promptfoo's keys; as in its own graders, the total includes cached replies.

    Args:
        usage: The usage of the replies that were requested.
        spared: Number of tokens of the replies that came from the cache.
    """
    return {
        "total": usage.tokens + spared,
        "prompt": usage.input_tokens or 0,
        "completion": usage.output_tokens or 0,
        "cached": spared,
        "numRequests": usage.calls,
    }


def metadata_of(grade: Grade, call: Call) -> dict[str, Any]:
    """Return the metadata of a grading result: facts on the grade, such as rubric and cost, and on the calibration."""
    prints = grade.fingerprints
    receipt = grade.receipt
    calibration = {"calibration": calibration_text(receipt), "receipt": receipt_json(receipt, grade.score)}
    return {
        "rubric": call.rubric.name,
        "rubricFile": str(call.file) if call.file else None,
        "rawScore": grade.raw_score,
        "decision": grade.decision,
        **_decided_by(grade),
        "quotesNotFound": grade.quotes_not_found,
        "cites": {name: verdict.step for name, verdict in grade.verdicts.items() if verdict.step is not None},
        "leftOut": list(grade.left_out),
        "replies": dict(grade.replies),
        "costUsd": grade.usage.usd,
        "sameFamily": same_family(_judge_named(grade, call.options), call.system or ""),
        "fingerprints": prints.to_json() if prints else None,
        **({} if call.calibration == "off" else calibration),
    }


def _decided_by(grade: Grade) -> dict[str, Any]:
    """Return the metadata on which of several judges decided; {} if there is only one judge."""
    if grade.decided_by is None:
        return {}
    return {"stage": grade.decided_by.stage, "decidedBy": grade.decided_by.decider or "ask a person"}


def _judge_named(grade: Grade, options: AskOptions) -> str:
    """Return the names of the models that answered; if none is known, the judge's name in the options."""
    return ", ".join(grade.models) or options.model or options.judge or ""


def _not_graded(why: str, context: Mapping[str, Any], grade: Grade | None = None) -> dict[str, Any]:
    reason = NOT_GRADED + (why or "no reason is known")
    config, test = (context.get("config"), context.get("test")) if isinstance(context, Mapping) else (None, None)
    lenient = _lenient(test, config)
    if lenient:
        reason += f" (Promptfoo may count this as passed all the same: {lenient})"
    if _may_be_negated(test, config):
        raise NotGraded(reason)
    result: dict[str, Any] = {"pass": False, "score": 0, "reason": reason, "metadata": {"notGraded": True}}
    if grade is not None:
        result["tokensUsed"] = tokens_used(grade.usage, grade.spared_tokens)
    return result


def _may_be_negated(test: Any, config: Any) -> bool:
    """Return True if the assertion that Promptfoo calls may be a negated one, such as `not-python`.

    Promptfoo doesn't say which of a test's assertions it calls, so each that is like it counts.

    Args:
        test: The test; anything but an object means that no assertion can be negated.
        config: The configuration of the called assertion, by which it is recognized among the test's assertions.
    """
    kinds = list(_kinds(test, config))
    return isinstance(test, Mapping) and (not kinds or any(kind.startswith("not-") for kind in kinds))


def _kinds(assertion: Any, config: Any, unsure: bool = False) -> Iterator[str]:
    """Yield the types of those assertions in a test, at any depth, that Promptfoo may be calling now.

    An assertion may be the called one if it has the same configuration, or if it is in an assertion set that has a
    configuration, so that the assertion's own isn't known. If a test has a reference or a file in place of assertions,
    "not-known" is yielded, since these may contain a negated assertion.

    Args:
        assertion: A test, an assertion, a set of assertions, or a list of these.
        config: The configuration of the assertion that is being called.
        unsure: True if `assertion` is in an assertion set that has a configuration.
    """
    if isinstance(assertion, Mapping):
        if "$ref" in assertion or isinstance(assertion.get("assert"), str):
            yield "not-known"
        unsure = unsure or ("assert" in assertion and bool(assertion.get("config")))
        if assertion.get("type") in SCRIPT_TYPES and (unsure or _is_like(assertion, config)):
            yield assertion["type"]
    inside = (
        [inner for key, inner in assertion.items() if key != "vars"] if isinstance(assertion, Mapping) else assertion
    )
    for inner in elements(inside):
        yield from _kinds(inner, config, unsure)


def _lenient(test: Any, config: Any) -> str:
    """Describe the setting that lets a test pass even if this assertion scores 0; "" if there is no such setting.

    Args:
        test: The test.
        config: The configuration of this assertion, by which it is recognized among the test's assertions.
    """
    if isinstance(test, Mapping) and test.get(SCORING_FUNCTION) is not None:
        return f"{SCORING_FUNCTION} decides the test"
    return _best_without(test, config)[1]


def _best_without(test: Any, config: Any) -> tuple[float, str]:
    """Return a test's best score if this assertion scores 0, and the setting by which the test passes in spite of it.

    The setting is a sentence on a weight or threshold; "" if no setting lets the test pass.

    Args:
        test: The test, or one of its assertions or sets of assertions.
        config: The configuration of this assertion, by which it is recognized among the test's assertions.
    """
    asserts = test.get("assert") if isinstance(test, Mapping) else None
    if not isinstance(asserts, list):
        is_ours = isinstance(test, Mapping) and test.get("type") in SCRIPT_TYPES and _is_like(test, config)
        return float(not is_ours), ""
    best = total = 0.0
    for assertion in asserts:
        score, lenient = _best_without(assertion, config)
        weight: Any = assertion.get("weight") if isinstance(assertion, Mapping) else None
        weight = weight if _is_number(weight) else 1
        if score < 1 and (lenient or weight == 0):
            return score, lenient or f"the weight of {_called(assertion)} is 0"
        best += max(weight, 0) * score
        total += weight
    best = best / total if total > 0 else 0.0
    threshold = test.get("threshold")
    passes = best < 1 and _is_number(threshold) and threshold <= best
    return best, f"the threshold of {_called(test)} is {threshold:g}" if passes else ""


def _called(assertion: Mapping[str, Any]) -> str:
    if "type" not in assertion:
        return "the test"
    return "an assert-set" if assertion["type"] == "assert-set" else "the assertion"


def _is_like(assertion: Mapping[str, Any], config: Any) -> bool:
    return bool((assertion.get("config") or {}) == (config or {}))


def way_out(error: MarkschemeError) -> str:
    """Format an error as one line that names configuration keys instead of command-line options."""
    if isinstance(error, NoJudge):
        error.option = "config.judge:"
    return " ".join(str(error).split()).replace("-o scorers", "config.scorers")

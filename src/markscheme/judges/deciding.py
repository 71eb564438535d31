"""Requests to decision models and their answers: typed questions, and a probability for each option.

Answers of all formats are rewritten as replies in one form, so that caches and recordings of all formats can be read in
one way. System One is the format of its servers and of model files.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from markscheme.errors import UsageError
from markscheme.judges.judge import Reply, Usage
from markscheme.numerals import count, finite
from markscheme.prompts.prompt import DecisionQuestion, Prompt

MOST_SCORE_LEVELS = 10
"""Largest number of levels of a score question that every format allows."""
MOST_OPTIONS = 255
"""Largest number of options of a choice question that every format allows."""
ASSETS: Final = "assets"
"""Key in a request to System One of an object that maps each placeholder for an image to the image."""
MODEL_QUESTION: Final = "c{}"
"""Pattern of a question's id, which is used so that no criterion's name becomes a key of a request."""

AnswersById = Iterator[tuple[str, Any]]
"""Pairs of a question's id and its answer; an id may occur twice."""


@dataclass(frozen=True, slots=True)
class DecisionFormat:
    """A format of a decision model's requests and answers.

    Attributes:
        name: Name of the kind of judge, before the colon and the model.
        path: Path to add to the base URL.
        own_address: The provider's own base URL.
        key_variable: Name of the environment variable with the key.
        address_variable: Name of the environment variable with another base URL.
        instead: Advice for a server that doesn't know the path.
        request: Function that builds the body of a request from a model's name and a prompt.
        answers: Function that returns the answers in a response's body, and raises ValueError if there are none.
        distribution: Function that returns the probability of each option in the answer to a question, or None if it
            has none.
    """

    name: str
    path: str
    own_address: str
    key_variable: str
    address_variable: str
    instead: str
    request: Callable[[str, Prompt], dict[str, Any]]
    answers: Callable[[Mapping[str, Any]], AnswersById]
    distribution: Callable[[Mapping[str, Any], DecisionQuestion], dict[str, Any] | None]


def questions_by_id(prompt: Prompt) -> Iterator[tuple[str, DecisionQuestion]]:
    """Yield each question of a prompt with the id that it has in requests and answers."""
    return ((MODEL_QUESTION.format(index), question) for index, question in enumerate(prompt.questions))


def level_text(choice: str, description: str) -> str:
    """Write a level with its description, as decision models are shown it."""
    link = " " if description.startswith("(") else ": "
    return f"{choice}{link}{description}" if description else choice


def _system_one_request(model: str, prompt: Prompt) -> dict[str, Any]:
    notes = [prompt.guidelines or "", *(f"Not shown of {line}" for line in prompt.left_out)]
    guidelines = "guidelines" if "guidelines" not in prompt.material else "guidelines of the rubric"
    questions: dict[str, Any] = {}
    for key, question in questions_by_id(prompt):
        request: dict[str, Any] = {"type": question.kind, "instructions": question.instructions}
        if question.kind == "yes_no":
            request["type"] = "noul"
            signs = {name: text for name, (_, text) in zip(("false", "true"), question.options, strict=True) if text}
            request |= {"criteria": signs} if signs else {}
        elif question.kind == "score":
            request["criteria"] = [level_text(*option) for option in question.options]
        else:
            request["criteria"] = {choice: text or None for choice, text in question.options}
        questions[key] = request
    state = {guidelines: "\n".join(notes), **prompt.material}
    assets = {shown_part.mark: shown_part.in_message(ASSETS) for shown_part in prompt.parts}
    return {"model": model, "state": state, "questions": questions, **({ASSETS: assets} if assets else {})}


def _system_one_answers(body: Mapping[str, Any]) -> AnswersById:
    if not isinstance(body["answers"], Mapping):
        raise ValueError("no answers")
    yield from body["answers"].items()


def _system_one_distribution(answer: Mapping[str, Any], question: DecisionQuestion) -> dict[str, Any] | None:
    if question.kind == "yes_no":
        return yes_no_distribution(answer.get("noul"), question) if answer.get("type") == "noul" else None
    if answer.get("type") != question.kind or not isinstance(answer.get("probabilities"), Mapping):
        return None
    offered = {str(index): choice for index, choice in enumerate(question.choices)}
    if question.kind == "choice":
        offered = {choice: choice for choice in question.choices}
    return named_options(answer["probabilities"].items(), offered)


def yes_no_distribution(p: Any, question: DecisionQuestion) -> dict[str, Any]:
    """Return the probability of each level of a yes/no question, given the probability `p` of the higher level."""
    unmet, met = question.choices
    met_probability = finite(p)
    return {unmet: None if met_probability is None else round(1 - met_probability, 12), met: p}


def named_options(entries: Iterable[tuple[Any, Any]], offered: Mapping[Any, str]) -> dict[str, Any]:
    """Map each option, as prompts spell it, to its probability in an answer.

    An option that wasn't offered or comes twice gets a name that no prompt offers, so that the reply counts as
    unreadable.

    Args:
        entries: Each option in the answer, with its probability.
        offered: The name of each option in prompts, by the value that the answer has for it.
    """
    named: dict[str, Any] = {}
    for value, p in entries:
        is_known = isinstance(value, str | int) and not isinstance(value, bool) and value in offered
        name = offered[value] if is_known else f"not offered: {value!r:.80}"
        named[name if name not in named else f"twice: {name}"] = p
    return named


SYSTEM_ONE: Final = DecisionFormat(
    "systemone",
    "/v1/systemone",
    "https://api.typesafe.ai",
    "TYPESAFE_API_KEY",
    "TYPESAFE_BASE_URL",
    "this server has no System One route; for OpenAI's API use decisions:MODEL",
    _system_one_request,
    _system_one_answers,
    _system_one_distribution,
)


# --- what all formats have in common ----------------------------------------------------------------------------------


def refuse_unaskable(prompt: Prompt) -> None:
    """Raise UsageError for a prompt that a decision model can't answer, before anything is sent.

    Raises:
        UsageError: The prompt doesn't ask about single criteria, or asks about them in two orders (strategy
            `double_pass`), or a criterion has more levels or options than are allowed.
    """
    if not prompt.questions:
        raise UsageError(
            "a decision model answers each question by itself, so a second order is no second look (strategy "
            "double_pass); it can't rate a response as a whole (strategy holistic), and proposes no words"
        )
    for question in prompt.questions:
        if question.kind == "score" and len(question.options) > MOST_SCORE_LEVELS:
            levels = len(question.options)
            raise UsageError(
                f"`{question.name}` has {levels} levels; a decision model rates at most {MOST_SCORE_LEVELS}"
            )
        if len(question.options) > MOST_OPTIONS:
            options = len(question.options)
            raise UsageError(f"`{question.name}` has {options} options; a decision model takes at most {MOST_OPTIONS}")


def decided_reply(body: Any, prompt: Prompt, wire: DecisionFormat, *, expected: bool = False) -> Reply:
    """Convert the body of a decision model's HTTP response to a Reply in the one form that all formats share.

    Args:
        body: The body, as `parsed_body` returns it.
        prompt: The prompt that was asked.
        wire: The format of the response.
        expected: True to use the mean of the levels by their probabilities instead of the most probable level.

    Raises:
        ValueError: The body isn't an answer in this format.
    """
    if not isinstance(body, Mapping) or "answers" not in body:
        raise ValueError("no answers")
    questions = dict(questions_by_id(prompt))
    decisions: dict[str, Any] = {}
    for key, answer in wire.answers(body):
        if key not in questions:
            continue
        question = questions[key]
        decisions[question.name] = TWICE if question.name in decisions else _decision(answer, question, wire)
    text = json.dumps(({"expected": True} if expected else {}) | {"decisions": decisions}, ensure_ascii=False)
    usage = body.get("usage")
    counts = usage if isinstance(usage, Mapping) else {}
    tokens = Usage(1, count(counts.get("input_tokens")), count(counts.get("output_tokens")))
    model = body.get("model")
    return Reply(text, model=model if isinstance(model, str) else None, usage=tokens, decided=True)


TWICE: Final = "two answers"
"""Value in place of the answers to a question that was answered twice, neither of which counts."""


def _decision(answer: Any, question: DecisionQuestion, wire: DecisionFormat) -> Any:
    """Return an answer's probabilities by option, {"refused": True}, or a text that says why it can't be read.

    Args:
        answer: The answer to one question, unchanged from the model's response.
        question: The question.
        wire: The format of the response.
    """
    if answer == TWICE:
        return TWICE
    if not isinstance(answer, Mapping):
        return "no answer of any type"
    if answer.get("type") == "refusal":
        return {"refused": True}
    distribution = wire.distribution(answer, question)
    if distribution is None:
        return f"an answer of type {answer.get('type')!r:.80}, which wasn't asked for"
    return {option: _as_received(p) for option, p in distribution.items()}


def _as_received(p: Any) -> Any:
    """Return a probability as JSON can hold it: NaN or infinity as None, anything that isn't a number as text."""
    if isinstance(p, float) and not math.isfinite(p):
        return None
    return p if isinstance(p, int | float) else f"{p!r:.80}"

"""The types that users of the `rubric` package know: the answers of generate functions and the reports of graders.

The models are schemas too: `PerCriterionOutput.model_json_schema()` constrains a model's decoding, and
`PerCriterionOutput.model_validate_json(text)` reads its answer. An answer that a schema refuses never counts as a
verdict.
"""

import json
from collections import Counter
from collections.abc import Awaitable, Mapping
from typing import Annotated, Any, Literal, Protocol, Self, TypeAlias

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from markscheme.plain_data import shown
from markscheme.rubrics.rubric import Criterion
from markscheme.text import encodable

__all__ = [
    "PARTS",
    "Criterion",
    "CriterionEvaluation",
    "CriterionReport",
    "EvaluationReport",
    "OneShotGenerateFn",
    "OneShotOutput",
    "PerCriterionGenerateFn",
    "PerCriterionOutput",
    "RubricAsJudgeGenerateFn",
    "RubricAsJudgeOutput",
    "Status",
    "ToGrade",
    "response_parts",
    "response_text",
]

Status = Literal["MET", "UNMET"]
ToGrade: TypeAlias = str | Mapping[str, str]
"""A response: a text, or {"thinking": …, "output": …} with one of them or both."""

PARTS = ("thinking", "output")


def response_parts(to_grade: ToGrade) -> list[tuple[str, str]]:
    """Return a response as named texts: one called `response`, or its thinking and its output.

    Raises:
        ValueError: The response is neither a text nor a mapping of thinking and output to texts.

    Example:
        >>> response_parts({"output": "Paris."})
        [('output', 'Paris.')]
    """
    if isinstance(to_grade, str):
        return [("response", encodable(to_grade))]
    if not isinstance(to_grade, Mapping) or not to_grade or not to_grade.keys() <= set(PARTS):
        is_chat = isinstance(to_grade, list) or (isinstance(to_grade, Mapping) and "content" in to_grade)
        advice = "; of chat messages, give the last one's content" if is_chat else ""
        raise ValueError(f"a response must be a text or {{thinking, output}}, got {shown(to_grade)}{advice}")
    if not all(isinstance(text, str) for text in to_grade.values()):
        raise ValueError("thinking and output are texts")
    return [(name, encodable(to_grade[name])) for name in PARTS if name in to_grade]


def response_text(to_grade: ToGrade) -> str:
    """Return a response as one text, thinking and output between their tags.

    >>> response_text({"thinking": "Capital?", "output": "Paris."})
    '<thinking>\\nCapital?\\n</thinking>\\n<output>\\nParis.\\n</output>'
    """
    parts = response_parts(to_grade)
    if parts[0][0] == "response":
        return parts[0][1]
    return "\n".join(f"<{name}>\n{text}\n</{name}>" for name, text in parts)


# --- what a generate function answers -------------------------------------------------------------------------------


class _Output(BaseModel):
    """An LLM's answer, validated the same way whether built by hand, from another Pydantic object or from JSON."""

    model_config = ConfigDict(revalidate_instances="always")

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        """Validate the answer in a JSON text.

        Raises:
            pydantic.ValidationError: The text doesn't match the schema, or gives a key twice.
        """
        key = _key_given_twice(json_data)
        if key is not None:
            problem = PydanticCustomError("key_given_twice", "occurs twice in one object")
            raise ValidationError.from_exception_data(
                cls.__name__, [InitErrorDetails(type=problem, loc=(key,), input=json_data)]
            )
        return super().model_validate_json(json_data, **options)


def _key_given_twice(text: str | bytes | bytearray) -> str | None:
    twice: list[str] = []

    def note(pairs: list[tuple[str, Any]]) -> None:
        twice.extend(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)

    try:
        json.loads(text, object_pairs_hook=note, parse_int=str)
    except (ValueError, RecursionError):
        return None  # not JSON at all, which the caller reports
    return twice[0] if twice else None


def _no_boolean(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("must be a number, not true or false")
    return value


def _up_to_100(score: float) -> float:
    if not 0 <= score <= 100:  # nor is it NaN
        raise ValueError("must be a number from 0 to 100")
    return score


class PerCriterionOutput(_Output):
    """A model's answer on one criterion, asked about alone, for PerCriterionGrader."""

    explanation: str = Field(description="What in the response leads to the status, in a sentence or two.")
    criterion_status: Status = Field(description="MET if what the criterion says is there, UNMET if it is not.")


class CriterionEvaluation(_Output):
    """A model's answer on one of several criteria that it was asked about in one call.

    `criterion_number` counts from 1. Answers that use `criterion_idx`, or count from 0, are read too if the whole
    answer shows unambiguously which criterion is meant.
    """

    criterion_number: Annotated[int, BeforeValidator(_no_boolean)] = Field(
        validation_alias=AliasChoices("criterion_number", "criterion_idx"),
        description="The criterion's number in the list, from 1.",
    )
    explanation: str = Field(description="What in the response leads to the status, in a sentence or two.")
    criterion_status: Status = Field(description="MET if what the criterion says is there, UNMET if it is not.")
    _said_idx: bool = PrivateAttr(False)

    @model_validator(mode="wrap")
    @classmethod
    def _note_name(cls, data: Any, build: ModelWrapValidatorHandler[Self]) -> Self:
        built = build(data)
        built._said_idx = (
            data._said_idx if isinstance(data, cls) else isinstance(data, Mapping) and "criterion_number" not in data
        )
        return built

    @property
    def criterion_idx(self) -> int:
        """The criterion's number as given in the answer; another name for `criterion_number`."""
        return self.criterion_number

    @property
    def said_idx(self) -> bool:
        """True if the criterion's number was given under the key `criterion_idx`, whose numbers may begin at 0."""
        return self._said_idx


class OneShotOutput(_Output):
    """A model's answer on all criteria in one call, as PerCriterionOneShotGrader asks for it."""

    criteria_evaluations: list[CriterionEvaluation] = Field(
        min_length=1, description="One evaluation for each criterion of the list."
    )


class RubricAsJudgeOutput(_Output):
    """A model's answer with a number for the whole response, for RubricAsJudgeGrader.

    Example:
        >>> RubricAsJudgeOutput(overall_score=85.0, explanation="Good.").overall_score
        85.0
    """

    explanation: str = Field(description="What leads to the score, in a few sentences.")
    overall_score: Annotated[float, BeforeValidator(_no_boolean), AfterValidator(_up_to_100)] = Field(
        description="0, nothing asked for is there, to 100, everything is."
    )


class PerCriterionGenerateFn(Protocol):
    """A function that asks a model about one criterion, called with the keywords system_prompt and user_prompt."""

    def __call__(self, system_prompt: str, user_prompt: str) -> Awaitable[PerCriterionOutput]:
        """Return the model's answer."""
        ...


class OneShotGenerateFn(Protocol):
    """A function that asks a model about all criteria, called with system prompt and user prompt by position."""

    def __call__(self, system_prompt: str, user_prompt: str, /) -> Awaitable[OneShotOutput]:
        """Return the model's answer."""
        ...


class RubricAsJudgeGenerateFn(Protocol):
    """A function that asks a model for one number, called with system prompt and user prompt by position."""

    def __call__(self, system_prompt: str, user_prompt: str, /) -> Awaitable[RubricAsJudgeOutput]:
        """Return the model's answer."""
        ...


# --- reports of graders --------------------------------------------------------------------------------------------


class _Report(BaseModel):
    model_config = ConfigDict(allow_inf_nan=False, validate_assignment=True)


class CriterionReport(_Report):
    """A judge's verdict on one criterion.

    Attributes:
        weight: The criterion's weight in the rubric.
        requirement: The criterion's requirement in the rubric.
        name: The criterion's name in the rubric.
        verdict: MET or UNMET; None if no verdict could be read.
        reason: The judge's reason for the verdict; if there is no verdict, what was wrong with the answer.
        raw: The first 2,000 characters of the reply, if no verdict could be read; else None.
    """

    weight: float
    requirement: str
    verdict: Status | None
    reason: str
    name: str = ""
    raw: str = ""


class EvaluationReport(_Report):
    """The outcome of grading one response.

    If the response is graded, `score` is a number; else `error` says why it isn't. An unreadable verdict never becomes
    a score of 0. Filter on `score is None`.

    Attributes:
        score: 0 to 1, or the raw score if not normalized; None if not graded.
        raw_score: Sum of the weights that were earned; None if not graded.
        llm_raw_score: The score a holistic judge gave, 0 to 100; otherwise the raw score.
        report: The result of each criterion; None for a holistic grade.
        error: The reason why the response is not graded; None if it is.
        raw: The first 2,000 characters of the reply, if no holistic score could be read; else None.

    Raises:
        pydantic.ValidationError: The score is not finite, or not exactly one of `score` and `error` is given.

    Example:
        >>> EvaluationReport(score=None, error="c1: the judge refused").score is None
        True
    """

    score: float | None
    raw_score: float | None = None
    llm_raw_score: float | None = None
    report: list[CriterionReport] | None = None
    error: str | None = None
    raw: str = ""

    @model_validator(mode="after")
    def _graded_or_not(self) -> Self:
        if (self.score is None) != bool(self.error):
            raise ValueError("a report has a score, or the reason (`error`) why there is none")
        return self

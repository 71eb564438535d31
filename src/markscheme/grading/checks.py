"""Scoring by code: built-in and custom scorers, for predictions and for criteria with a `check`.

A scorer takes a prediction and the expected answer and returns a number from 0 to 1, or None if it cannot decide.
It can request more by declaring any of `example`, `model`, `provider`, `prompt`, `steps` and `value` keyword-only.
"""

import asyncio
import inspect
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final, overload

from markscheme.errors import (
    FROM_OTHERS_CODE,
    UsageError,
)
from markscheme.grading.step_checks import CHECKS, TEXT_CHECKS, StepCheck
from markscheme.grading.verdict import Outcome, Unread, Verdict
from markscheme.json_text import no_constant
from markscheme.judges.threads import in_thread
from markscheme.judges.timeouts import REQUEST_TIMEOUT
from markscheme.prompts.steps import AgentStep, steps_of
from markscheme.prompts.submission import Submission
from markscheme.rubrics.rubric import Criterion
from markscheme.user_code import import_user_module, search_for_code

SCORER_CONTEXT = ("example", "model", "provider", "prompt", "steps", "value")
"""Keyword-only arguments that a scorer may declare in addition to prediction and expected answer."""
STEPS_KEY, VALUE_KEY = "steps", "value"
"""Names of a check's arguments: the agent's steps, as a tuple of AgentStep, and the value that the rubric gives as
`check: {NAME: VALUE}`."""
EXPECTED_INPUT = "reference"
"""The input of a submission that holds the expected answer of a `check`."""


@dataclass(frozen=True)
class Scored:
    """Result of a scorer: a score, or None if it couldn't decide, with the reason.

    Attributes:
        score: The score, 0 to 1; None if the scorer could not decide.
        reason: The reason for the score; None if the scorer gives none.
    """

    score: float | None
    reason: str | None = None


@dataclass(frozen=True)
class Scorer:
    """A named function that scores a prediction.

    Attributes:
        function: Function of prediction and expected answer, and of the keyword-only arguments that it declares; it
            returns a number from 0 to 1, None, or a Scored.
        name: The key of its results.

    Raises:
        TypeError: A keyword-only parameter has no default and is not in SCORER_CONTEXT.
    """

    function: Callable[..., Any]
    name: str

    def __post_init__(self) -> None:
        for parameter in self._keyword_only():
            if parameter.default is parameter.empty and parameter.name not in SCORER_CONTEXT:
                raise TypeError(
                    f"scorer {self.name!r} asks for {parameter.name!r}, which no run provides; "
                    f"expected one of {', '.join(SCORER_CONTEXT)}"
                )

    @property
    def asks(self) -> bool:
        """True if the scorer's function is asynchronous, like one that asks a judge."""
        call = self.function if inspect.isroutine(self.function) else getattr(self.function, "__call__", None)  # noqa: B004
        return inspect.iscoroutinefunction(self.function) or inspect.iscoroutinefunction(call)

    def __call__(self, prediction: str, expected: str | None = None, **more: Any) -> float | None:
        """Score one prediction; None if undecided. In a running event loop, use `await scorer.find(…)` instead.

        Args:
            prediction: The text to score.
            expected: The expected text; None without one.
            more: Further arguments of the scorer's function.

        Raises:
            Exception: The scorer's code raises an exception.
        """
        if not self.asks:
            return self._validated(self.function(prediction, expected, **more)).score
        return asyncio.run(self._once(prediction, expected, more)).score

    async def _once(self, prediction: str, expected: str | None, more: Mapping[str, Any]) -> Scored:
        try:
            return self._validated(await self.function(prediction, expected, **more))
        finally:
            await self.aclose()

    async def find(self, prediction: str, expected: str | None = None, **context: Any) -> Scored:
        """Score one prediction and return score and reason; the scorer may ask a judge.

        Args:
            prediction: The prediction.
            expected: The expected answer; None if there is none.
            context: Values for the function's keyword-only arguments; the function gets only the arguments that it
                declares.

        Raises:
            Exception: The scorer's code raises an exception.
        """
        call = partial(self.function, prediction, expected, **self._declared(context))
        result = call() if self.asks or _is_shipped(self) else await in_thread(call)
        return self._validated(await result if inspect.isawaitable(result) else result)

    def check(self, prediction: str, expected: str | None = None, **context: Any) -> Scored:
        """Score one prediction and return score and reason, without an event loop; only for scorers that ask no judge.

        Args:
            prediction: The text to score.
            expected: The expected answer; None if there is none.
            context: Further arguments by name; those that the scorer's function doesn't declare are left out.
        """
        return self._validated(self.function(prediction, expected, **self._declared(context)))

    async def aclose(self) -> None:
        """Close the judge that the scorer's function opened, if it has an `aclose` method."""
        close = getattr(self.function, "aclose", None)
        if close is not None:
            await close()

    def _declared(self, context: Mapping[str, Any]) -> dict[str, Any]:
        names = {parameter.name for parameter in self._keyword_only()}
        return {name: value for name, value in context.items() if name in names}

    def wants(self, name: str) -> bool:
        """Return True if the scorer's function declares the keyword-only argument `name`."""
        return any(parameter.name == name for parameter in self._keyword_only())

    def _keyword_only(self) -> list[inspect.Parameter]:
        try:
            parameters = inspect.signature(self.function).parameters.values()
        except ValueError:  # some built-in functions have no signature
            return []
        return [parameter for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]

    def _validated(self, result: Any) -> Scored:
        """Validate the function's result: a score outside 0 to 1 is an error and is never clipped."""
        finding = result if isinstance(result, Scored) else Scored(result)
        score = finding.score
        if score is None:
            return finding
        if not isinstance(score, int | float) or not 0 <= score <= 1:  # nor is it NaN
            raise ValueError(f"scorer {self.name!r} gave {score!r:.60}, expected a number from 0 to 1")
        return Scored(float(score), finding.reason)


@overload
def scorer(function: Callable[..., Any], *, name: str | None = None) -> Scorer: ...


@overload
def scorer(function: None = None, *, name: str | None = None) -> Callable[[Callable[..., Any]], Scorer]: ...


def scorer(
    function: Callable[..., Any] | None = None, *, name: str | None = None
) -> Scorer | Callable[[Callable[..., Any]], Scorer]:
    """Turn a function into a Scorer, named after the function or `name`; also a decorator.

    Example:
        >>> @scorer(name="refund_mention")
        ... def _refund(prediction: str, _expected: str) -> float:
        ...     return 1.0 if "refund" in prediction.lower() else 0.0
        >>> _refund.name, _refund("A refund is due.", "")
        ('refund_mention', 1.0)
    """
    if function is None:
        return partial(scorer, name=name)
    if isinstance(function, Scorer):
        return Scorer(function.function, name or function.name)
    return Scorer(function, name or getattr(function, "__name__", None) or type(function).__name__)


# --- built-in checks ------------------------------------------------------------------------------------------------


def _needed(expected: str | None) -> str:
    if expected is None:
        raise ValueError("there is no expected answer to compare with")
    return expected


@scorer
def exact_match(prediction: str, expected: str | None) -> Scored:
    """Return 1 if prediction and expected answer are equal up to surrounding white space, else 0.

    >>> exact_match(" Paris ", "Paris"), exact_match("paris", "Paris")
    (1.0, 0.0)
    """
    equal = prediction.strip() == _needed(expected).strip()
    return Scored(float(equal), f"the response {'equals' if equal else 'differs from'} the expected answer")


@scorer
def json_valid(prediction: str, _expected: str | None = None) -> Scored:
    """Return 1 if the prediction is JSON, which NaN and Infinity are not, else 0.

    >>> json_valid('{"a": [1]}'), json_valid("{'a': 1}")
    (1.0, 0.0)
    """
    try:
        json.loads(prediction, parse_int=str, parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        return Scored(0.0, f"the response is not JSON: {error}")
    return Scored(1.0, "the response is JSON")


@scorer
def rouge_l(prediction: str, expected: str | None) -> Scored:
    """Compute F1 of the longest common subsequence of words, split at white space (ROUGE-L); 0 if either is empty.

    Source:
        Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries, Text Summarization Branches Out, 74-81.

    Example:
        >>> rouge_l("the cat sat", "the cat")
        0.8
    """
    from rapidfuzz.distance import LCSseq

    found_words = prediction.split()
    wanted = _needed(expected).split()
    return _f1(
        LCSseq.similarity(found_words, wanted), len(found_words), len(wanted), "words are in the same order in both"
    )


@scorer
def token_f1(prediction: str, expected: str | None, *, case_sensitive: bool = False) -> Scored:
    """Compute F1 of the words that prediction and expected answer share, in any order; 0 if either has no words.

    A word that occurs several times counts as often as both have it.

    Source:
        Rajpurkar et al. (2016), SQuAD, EMNLP, 2383-2392. doi:10.18653/v1/D16-1264

    Example:
        >>> token_f1("the capital is paris", "Paris is the capital"), token_f1("the cat extra", "the cat")
        (1.0, 0.8)
    """
    wanted = _needed(expected)
    if not case_sensitive:
        prediction = prediction.lower()
        wanted = wanted.lower()
    found_words = Counter(prediction.split())
    wanted_words = Counter(wanted.split())
    shared = (found_words & wanted_words).total()
    return _f1(shared, found_words.total(), wanted_words.total(), "words are in both")


def _f1(shared: int, found_count: int, wanted: int, unit: str) -> Scored:
    score = 2 * shared / (found_count + wanted) if shared else 0.0
    return Scored(score, f"{shared} {unit}, of {found_count} in the response and {wanted} expected")


_TEXT_CHECKS: Mapping[str, Scorer] = dict(zip(TEXT_CHECKS, (exact_match, json_valid, rouge_l, token_f1), strict=True))
"""Checks of a response's text."""


@lru_cache(maxsize=64)
def _of_steps(name: str, load: Callable[[], StepCheck]) -> Scorer:
    """Return the Scorer that runs a check of an agent's steps; it is cached, so that `load` is called only once.

    Args:
        name: Name of the check.
        load: Function that imports the check and returns it.
    """
    check = load()

    def score(_prediction: str, _expected: str | None = None, *, steps: Sequence[AgentStep], value: Any) -> Scored:
        holds, reason = check(steps, value)
        return Scored(float(holds), reason)

    return Scorer(score, name)


def _step_check(name: str) -> Callable[[], StepCheck] | None:
    """Return a function that loads the named check of an agent's steps; None if there is no such check."""
    return None if name in _TEXT_CHECKS else dict(CHECKS).get(name)


class _ShippedChecks(Mapping[str, Scorer]):
    """Mapping of all built-in checks by name: those of the core, and those of features, which load on first access."""

    def __getitem__(self, name: str) -> Scorer:
        load = _step_check(name)
        return _TEXT_CHECKS[name] if load is None else _of_steps(name, load)

    def __iter__(self) -> Iterator[str]:
        yield from _TEXT_CHECKS
        yield from (name for name, _ in CHECKS)

    def __len__(self) -> int:
        return sum(1 for _ in self)


SHIPPED_CHECKS: Final[Mapping[str, Scorer]] = _ShippedChecks()
"""Checks that a rubric can name without registering them."""


def _is_shipped(scorer: Scorer) -> bool:
    """Return True if a scorer comes with markscheme, so that it is fast and needs no thread of its own."""
    return any(scorer.function is check.function for check in SHIPPED_CHECKS.values())


def failure_of(error: BaseException) -> str:
    """Format an error that a user's code raised, as its type and message."""
    return f"{type(error).__name__}: {error}"


# --- as `check:` of a criterion -------------------------------------------------------------------------------------


def run_check(criterion: Criterion, submission: Submission, scorers: Mapping[str, Callable[..., Any]]) -> Outcome:
    """Run a criterion's `check` on a response and return its verdict.

    The expected answer is the submission's input `reference`, the prompt its `query`.

    Args:
        criterion: A criterion with a `check`.
        submission: The submission that is judged.
        scorers: Checks by name, in addition to the built-in ones.

    Returns:
        A Verdict whose position on the scale is the score from 0 to 1; Unread with the reason if the code failed.

    Raises:
        UsageError: The check is unknown, or asks a judge.

    Example:
        >>> criterion = Criterion(1.0, "Answers in JSON", "form", check="json_valid")
        >>> run_check(criterion, Submission("[1]"), {}).level
        1.0
    """
    check = check_of(criterion, scorers)
    example = {**submission.inputs, "response": submission.response}
    query = submission.inputs.get("query")
    context = {"example": example, "model": None, "provider": None, "prompt": query, VALUE_KEY: _value_of(criterion)}
    try:
        more = {STEPS_KEY: steps_of(submission.inputs)} if check.wants(STEPS_KEY) else {}
        result = check.check(submission.response, submission.inputs.get(EXPECTED_INPUT), **context, **more)
    except FROM_OTHERS_CODE as error:
        return Unread(criterion.name, f"check {check.name!r} failed: {failure_of(error)}")
    if result.score is None:
        return Unread(criterion.name, f"check {check.name!r} found no score: {result.reason or ''}".rstrip(": "))
    level = criterion.scale.at(result.score)
    return Verdict(criterion.name, level, result.reason or f"{check.name} scores {result.score:g}")


async def find_check(
    criterion: Criterion,
    submission: Submission,
    scorers: Mapping[str, Callable[..., Any]],
    *,
    deadline: float = REQUEST_TIMEOUT,
) -> Outcome:
    """Run a criterion's `check` on a response and return its verdict; code of the user's runs in a separate thread.

    Args:
        criterion: A criterion with a `check`.
        submission: The submission that is judged.
        scorers: Checks by name, in addition to the built-in ones.
        deadline: Seconds to wait for the code; if it takes longer, the criterion has no verdict.

    Raises:
        UsageError: The check is unknown, or asks a judge.
    """
    check = check_of(criterion, scorers)
    if _is_shipped(check):
        return run_check(criterion, submission, scorers)
    try:
        async with asyncio.timeout(deadline):
            return await in_thread(partial(run_check, criterion, submission, scorers))
    except TimeoutError:
        return Unread(criterion.name, f"check {check.name!r} gave no answer within {deadline:g} s")


def check_of(criterion: Criterion, scorers: Mapping[str, Callable[..., Any]]) -> Scorer:
    """Return the Scorer that a criterion's `check` names.

    Args:
        criterion: A criterion with a `check`.
        scorers: Checks by name, in addition to the built-in ones.

    Raises:
        UsageError: The check is unknown or asks a judge, or one of `scorers` takes the name of a built-in check.

    Example:
        >>> check_of(Criterion(1.0, "Answers in JSON", "form", check="json_valid"), {}).name
        'json_valid'
    """
    name = str(criterion.check)
    shipped = SHIPPED_CHECKS.get(name)
    if shipped is not None and scorers.get(name, shipped) is not shipped:
        raise UsageError(f"criterion {criterion.name!r}: {name!r} is a shipped check; register yours by another name")
    code = scorers.get(name) if shipped is None else shipped
    if code is None:
        raise UsageError(
            f"criterion {criterion.name!r}: there is no check {name!r}; there are "
            f"{', '.join(sorted({*SHIPPED_CHECKS, *scorers}))}; "
            "your own are registered with @scorer in a module named by -o scorers=MODULE"
        )
    check = scorer(code, name=name)
    if check.asks:
        raise UsageError(f"criterion {criterion.name!r}: {name!r} asks a judge, and a `check` must be code")
    _refuse_value(criterion, check)
    return check


def _value_of(criterion: Criterion) -> Any:
    """Return the value that the rubric passes to a criterion's check; None if it passes none."""
    return json.loads(criterion.check_value) if criterion.check_value else None


def _refuse_value(criterion: Criterion, check: Scorer) -> None:
    """Raise UsageError if the value that a criterion passes to its check is invalid or missing."""
    name = str(criterion.check)
    if criterion.check_value and not check.wants(VALUE_KEY):
        raise UsageError(f"criterion {criterion.name!r}: {name!r} takes no value; write `check: {name}`")
    load = _step_check(name)
    if load is None:
        return
    if not criterion.check_value:
        raise UsageError(f"criterion {criterion.name!r}: {name!r} needs a value, as in `check: {{{name}: …}}`")
    try:
        load()((), _value_of(criterion))
    except ValueError as error:
        raise UsageError(f"criterion {criterion.name!r}: {error}") from error


def load_scorers(*module_names: str) -> dict[str, Scorer]:
    """Load the scorers defined in modules, by name; of scorers with equal names, that of the later module counts.

    Args:
        module_names: Names as in an import statement; the working directory is searched too.

    Raises:
        UsageError: A module cannot be imported, has no scorers, or has a scorer with the name of a built-in check or of
            another of its scorers.
    """
    return {name: scorer for module in module_names for name, scorer in _scorers_of(module).items()}


def _scorers_of(module_name: str) -> dict[str, Scorer]:
    search_for_code(Path.cwd())
    try:
        module = import_user_module(module_name)
    except FROM_OTHERS_CODE as error:
        raise UsageError(f"-o scorers={module_name}: cannot be imported: {failure_of(error)}") from error
    made = {id(scorer): scorer for scorer in vars(module).values() if isinstance(scorer, Scorer)}
    module_scorers = [scorer for scorer in made.values() if scorer is not SHIPPED_CHECKS.get(scorer.name)]
    if not module_scorers:
        raise UsageError(f"-o scorers={module_name}: has no scorers; make one with @scorer from markscheme.scorers")
    for name, count in Counter(scorer.name for scorer in module_scorers).items():
        if name in SHIPPED_CHECKS or count > 1:
            taken = "of a shipped check" if name in SHIPPED_CHECKS else "of two scorers"
            raise UsageError(f"-o scorers={module_name}: {name!r} is the name {taken}; give each its own")
    return {scorer.name: scorer for scorer in module_scorers}

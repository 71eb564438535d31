"""Options for asking a judge: one table, which all sources of options share.

The options of commands, the keys of markscheme.toml and of an assertion's `config` in Promptfoo, pytest's options, the
arguments of `Grader` and the `model:` of an experiment are the fields of AskOptions. Loading this module is cheap.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from markscheme.errors import NoJudge, UsageError
from markscheme.judges.kinds import in_full, names_code
from markscheme.options.forms import (
    ABOVE_ZERO,
    AUTO_OR_OFF,
    FROM_ZERO,
    MODULES,
    ONE_OR_TWO,
    PRICE,
    SWITCH,
    WHOLE,
    WHOLES,
    one_of,
    text_form,
)
from markscheme.options.table import option, options_of, setting
from markscheme.rubrics.keys import STRATEGY_NAMES, Strategy

if TYPE_CHECKING:
    from markscheme.judges.batching import Batching
    from markscheme.judges.judge import GradingJudge
    from markscheme.judges.judge_context import JudgeContext
    from markscheme.prompts.prompt import Prompt
    from markscheme.rubrics.rubric import Rubric

IN_BATCHES: Final = 20_000
"""Largest number of responses that are gathered for batches at once; each needs a few kilobytes while it waits."""


WAYS_OF_ASKING: Final = (
    "model", "samples", "orders", "strategy", "criteria_per_call", "temperature", "max_tokens", "expected", "scorers",
    "probe",
)  # fmt: skip
"""Options that may change a judge's answers, or whether it gets a question: printed commands that ask it again repeat
them."""
_JUDGE: Final = text_form("a judge's name, such as anthropic or openai:MODEL")
_MODEL: Final = text_form("a model's name")
_setting = partial(setting, opens=True)


def _code_or_address(name: str) -> str | None:
    return "code or an address" if names_code(name) or "://" in name else None


@dataclass(frozen=True, kw_only=True)
class AskOptions:
    """Settings for asking a judge, and limits on asking; each attribute has the name of its option, key and argument.

    `None` leaves the choice to the rubric, the judge's adapter or the provider.
    """

    judge: str | None = _setting(
        None, "judge to ask", _JUDGE, value="NAME", is_typed=False, is_named=True, never_in_files=_code_or_address
    )
    model: str | None = _setting(
        None,
        "the judge's model, where its name has none",
        _MODEL,
        value="NAME",
        goes_with="judge",
        never_in_files=_code_or_address,
    )
    samples: int | None = _setting(
        None, "ask N times, use the median level", WHOLE, value="N", is_named=True, opens=False
    )
    orders: int | None = _setting(
        None, "of pairs: ask in both orders (2), or in one for half the cost (1)", ONE_OR_TWO, value="1|2", opens=False
    )
    budget: float | None = _setting(
        None, "stop before the cost exceeds this", ABOVE_ZERO, value="USD", is_named=True, variable="MARKSCHEME_BUDGET"
    )
    batch: bool = _setting(
        False, "ask {judges with batches} in batches: half the price, replies within 24 hours", SWITCH, is_named=True
    )
    batch_reasks: Literal["batch", "live"] = _setting(
        "batch", "how to ask again for unusable replies (batch)", one_of("batch", "live"), value="batch|live"
    )
    strategy: Strategy | None = _setting(
        None,
        f"{', '.join(STRATEGY_NAMES[:-1])} or {STRATEGY_NAMES[-1]}",
        one_of(*STRATEGY_NAMES),
        value="S",
        opens=False,
    )
    criteria_per_call: int | tuple[int, ...] | None = _setting(
        None, "most criteria in one question (the rubric's)", WHOLES, value="N", opens=False
    )
    concurrency: int = _setting(
        8, "requests in flight at once (8)", WHOLE, value="N", opens=False, variable="MARKSCHEME_CONCURRENCY"
    )
    requests_per_minute: int | None = _setting(
        None, "requests begun in a minute", WHOLE, value="N", variable="MARKSCHEME_REQUESTS_PER_MINUTE"
    )
    tokens_per_minute: int | None = _setting(
        None, "tokens read and written in a minute", WHOLE, value="N", variable="MARKSCHEME_TOKENS_PER_MINUTE"
    )
    temperature: float | None = _setting(
        None, "sampling temperature, for models that take one", FROM_ZERO, value="T", of_model=True, parameter=True
    )
    max_tokens: int | None = _setting(
        None, "maximum tokens of an answer", WHOLE, value="N", of_model=True, parameter=True
    )
    price: str | None = _setting(
        None,
        "dollars per million tokens, input and output (list price)",
        PRICE,
        value="IN:OUT",
        of_model=True,
        variable="MARKSCHEME_PRICE",
    )
    cache: bool = _setting(
        True, "keep replies and read them again (auto)", AUTO_OR_OFF, off="--no-cache", variable="MARKSCHEME_NO_CACHE"
    )
    probe: bool = _setting(True, "try first whether a judge can see images (auto)", AUTO_OR_OFF, off="--no-probe")
    expected: bool = _setting(
        False, "use the expected level, by the probabilities of levels: {judges with probabilities}", SWITCH
    )
    scorers: tuple[str, ...] = option(
        (),
        "module with checks by code, for criteria with a `check`",
        MODULES,
        value="MODULE",
        is_named=False,
        several=True,
        never_in_files=lambda _: "code",
    )

    @property
    def at_once(self) -> int:
        """Number of responses graded at once; with batches, as many as a batch may gather."""
        return IN_BATCHES if self.batch else self.concurrency

    def of(self, rubric: "Rubric") -> "Rubric":
        """Return the rubric, with strategy, samples, orders and criteria per call as these options set them."""
        return replace(
            rubric,
            strategy=self.strategy or rubric.strategy,
            samples=self.samples or rubric.samples,
            orders=self.orders or rubric.orders,
            criteria_per_call=self._one_per_call or rubric.criteria_per_call,
        )

    @property
    def _one_per_call(self) -> int | None:
        """The largest number of criteria per question; None if it isn't set.

        Raises:
            UsageError: Several numbers are set, of which a run can have only one.
        """
        if isinstance(self.criteria_per_call, tuple):
            listed = ", ".join(map(str, self.criteria_per_call))
            raise UsageError(f"criteria_per_call must be one number here, got {listed}: `compare` takes several")
        return self.criteria_per_call

    def context(self, notify: Callable[[str], None] | None = None) -> "JudgeContext":
        """Make the limiter, prices and cache that all judges opened with these options share.

        Args:
            notify: Called with a sentence when a batch is sent, resumed or read.
        """
        from markscheme.judges.judge_context import JudgeContext

        return replace(
            JudgeContext.for_run(self.limits, price=self.price, cache=self.cache),
            expected=self.expected,
            tests_sight=self.probe,
            parameters=self.parameters,
            batch=self._batching(notify) if self.batch else None,
        )

    def _batching(self, notify: Callable[[str], None] | None) -> "Batching":
        from markscheme.judges.batching import Batching

        return Batching(self.batch_reasks) if notify is None else Batching(self.batch_reasks, notify=notify)

    @property
    def limits(self) -> dict[str, Any]:
        """Limits of rate, cost and the like that these options set, as arguments of the Limiter."""
        names = ("concurrency", "requests_per_minute", "tokens_per_minute", "budget")
        return {name: getattr(self, name) for name in names}

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters that these options set for the model."""
        named = {name: getattr(self, name) for name, option in ASK_OPTIONS.items() if option.parameter}
        return {name: value for name, value in named.items() if value is not None}

    def judge_for(
        self,
        rubric: "Rubric",
        prompts: "Sequence[Prompt]",
        folder: Path | None,
        *,
        name: str | None = None,
        context: "JudgeContext | None" = None,
        opening: "Callable[[str, str | None], GradingJudge] | None" = None,
    ) -> "GradingJudge":
        """Open the named judge; without a name, the one that these options set, else the default for these prompts.

        Args:
            rubric: The rubric, which may name a judge and a model.
            prompts: The prompts that the run sends first.
            folder: The rubric's calibration folder, whose recorded replies may be used.
            name: Name of the judge as on the command line.
            context: Settings that the judges of a run share; None to make new settings.
            opening: Function that opens a judge by name and model; by default `open_grading_judge`.

        Raises:
            NoJudge: No judge was named, and none is available.
            UsageError: The judge cannot be opened.
        """
        opener = opening or partial(self._opened, context)
        named = name or self.judge
        if named is not None:
            wanted = in_full(named, rubric.name, folder)
            return opener(wanted, self.model or model_for(rubric, wanted))
        from markscheme.judges.choice import choose_judge

        replies = folder / "replies" if folder else None
        return choose_judge(rubric, prompts, replies, lambda kind, model: opener(kind, self.model or model))

    def _opened(self, context: "JudgeContext | None", name: str, model: str | None) -> "GradingJudge":
        """Open a judge by name.

        Args:
            context: Settings that the judges of the run share; None for new ones from these options.
            name: The judge's name.
            model: The model, if the name doesn't include it.
        """
        from markscheme.judges.registry import open_grading_judge

        return open_grading_judge(name, model=model, context=context or self.context())

    def judge_if_any(
        self, rubric: "Rubric", prompts: "Sequence[Prompt]", folder: Path | None, *, name: str | None = None
    ) -> "GradingJudge | None":
        """Open the named judge, else the one that these options set, else the default; None if none is available."""
        try:
            return self.judge_for(rubric, prompts, folder, name=name)
        except NoJudge:
            return None


ASK_OPTIONS: Final = options_of(AskOptions)
"""The options on how a judge is asked, by key."""


def refuse_opening(written: Mapping[str, Any]) -> None:
    """Raise an error if an option on how to open a judge is set although the judge is open already.

    Args:
        written: Values of options by name; None for an option that isn't set.

    Raises:
        UsageError: One of the options that open a judge is set.
    """
    for key, value in written.items():
        if value is not None and key in ASK_OPTIONS and ASK_OPTIONS[key].opens:
            raise UsageError(f"`{key}` says how a judge is opened, and this one is open: name the judge instead")


def model_for(rubric: "Rubric", name: str) -> str | None:
    """Return the model that the rubric names, if it names one for this kind of judge; else None.

    Example:
        >>> from markscheme import Rubric
        >>> rubric = Rubric.from_dict({"judge": {"name": "openai", "model": "m"}, "criteria": [{"requirement": "A"}]})
        >>> model_for(rubric, "openai"), model_for(rubric, "anthropic")
        ('m', None)
    """
    is_its_kind = _kind(rubric.judge.get("name", name)) == _kind(name)
    return rubric.judge.get("model") if is_its_kind else None


def _kind(name: str) -> str:
    return name.partition(":")[0]

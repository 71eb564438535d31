"""How a judge is asked: one table of options, read the same from every source.

The options of commands, the keys of markscheme.toml and of an assertion's `config` in Promptfoo, pytest's options, the
arguments of `Grader` and the `model:` of an experiment are the fields of AskOptions. Loading this module is cheap.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from markscheme.errors import NoJudge, UsageError, suggestion
from markscheme.judges.kinds import in_full
from markscheme.numerals import finite
from markscheme.rubrics.keys import STRATEGY_NAMES, Strategy

if TYPE_CHECKING:
    from markscheme.judges.asking import Asking
    from markscheme.judges.batching import Batching
    from markscheme.judges.cost import Cost
    from markscheme.judges.judge import GradingJudge, Reply
    from markscheme.prompt import Prompt
    from markscheme.rubrics.rubric import Rubric

IN_BATCHES: Final = 20_000
"""Responses that are gathered for batches at once, at most; each needs a few kilobytes while it waits."""


# --- what a value may be --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ValueForm:
    """What a value may be.

    Attributes:
        allowed: The same, as the end of "must be …".
        read: The value of what a data file or a program has; raises ValueError for anything else.
        typed: The value of a typed text; raises ValueError likewise.
        choices: The words it may be, if it is one of a few.
    """

    allowed: str
    read: Callable[[Any], Any]
    typed: Callable[[str], Any] = str
    choices: tuple[str, ...] = ()


def _text(written: Any) -> str:
    if not isinstance(written, str) or not written.strip():
        raise ValueError
    return written


def _number(written: Any) -> float:
    number = finite(written)
    if number is None:
        raise ValueError
    return number


def _number_where(holds: Callable[[float], bool]) -> Callable[[Any], float]:
    def read(written: Any) -> float:
        number = _number(written)
        if not holds(number):
            raise ValueError
        return number

    return read


def _whole_number(written: Any) -> int:
    number = _number(written)
    if number < 1 or number != int(number):
        raise ValueError
    return int(number)


def _one_or_two(written: Any) -> int:
    number = _whole_number(written)
    if number > 2:
        raise ValueError
    return number


def _digits(text: str) -> int:
    if not text.isdecimal():
        raise ValueError
    return int(text)


def _price(written: Any) -> str:
    prices = _text(written).split(":")
    if len(prices) != 2 or any(_number(float(price)) < 0 for price in prices):
        raise ValueError
    return str(written)


def _switch(written: Any) -> bool:
    if isinstance(written, bool):
        return written
    return _SWITCHES[_text(written).casefold()]


def _auto_or_off(written: Any) -> bool:
    return written == "auto" or _switch(written)


def _names(written: Any) -> tuple[str, ...]:
    names = [written] if isinstance(written, str) else written
    if not isinstance(names, list | tuple):
        raise ValueError
    return tuple(map(_text, names))


def _one_of(*choices: str) -> ValueForm:
    """One of these words."""

    def read(written: Any) -> str:
        if written not in choices:
            raise ValueError
        return str(written)

    return ValueForm(f"one of {', '.join(choices)}", read, choices=choices)


_SWITCHES: Final = {"on": True, "true": True, "off": False, "false": False}
_WHOLE_NUMBER: Final = ValueForm("a whole number from 1", _whole_number, _digits)
_ONE_OR_TWO: Final = ValueForm("1 or 2", _one_or_two, _digits)
_ABOVE_ZERO: Final = ValueForm("a number above 0", _number_where(lambda number: number > 0), float)
_FROM_ZERO: Final = ValueForm("a number from 0", _number_where(lambda number: number >= 0), float)
_JUDGE: Final = ValueForm("a judge's name, such as anthropic or openai:MODEL", _text)
_MODEL: Final = ValueForm("a model's name", _text)
_PRICE: Final = ValueForm("IN:OUT, dollars for a million tokens read and written, such as 3:15", _price)
_SWITCH: Final = ValueForm("true or false", _switch)
_AUTO_OR_OFF: Final = ValueForm("auto or off", _auto_or_off)
_MODULES: Final = ValueForm("names of modules", _names, lambda text: text.replace(",", " ").split())


# --- the table ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AskOption:
    """One entry of the table.

    Attributes:
        about: What it sets, for help; names of judges are marks in it, as in `kinds.IN_HELP`.
        form: What its value may be.
        value: How help names its value; "" for a switch.
        common: Whether `--help` shows it, rather than only `--help-all`.
        of_model: Whether an experiment may set it for the model that makes the outputs.
        parameter: Whether it is a parameter of the model, which a kind of judge takes or refuses.
        names_code: Whether it names code to import, which no configuration file may.
        opens: Whether it says how a judge is opened, and so comes too late for one that is open.
        off: The option of the command line that switches it off, for a switch that is on by default.
        variable: The environment variable that sets it in Promptfoo and pytest; "" for none.
    """

    about: str
    form: ValueForm
    value: str = ""
    common: bool = False
    of_model: bool = False
    parameter: bool = False
    names_code: bool = False
    opens: bool = True
    off: str = ""
    variable: str = ""

    def read(self, written: Any, place: str) -> Any:
        """The value of what a data file or a program has at `place`; None means "not set" and stays None.

        Raises:
            UsageError: It cannot be that.
        """
        return None if written is None else self._read(lambda: self.form.read(written), written, place)

    def read_text(self, text: str, place: str) -> Any:
        """The value of the text typed at `place`.

        Raises:
            UsageError: It cannot be that.
        """
        return self._read(lambda: self.form.read(self.form.typed(text)), text, place)

    def _read(self, reading: Callable[[], Any], written: object, place: str) -> Any:
        try:
            return reading()
        except (KeyError, TypeError, ValueError, OverflowError):
            from markscheme.plain_data import shown

            raise UsageError(f"{place} must be {self.form.allowed}, got {shown(written)}") from None


def _option(default: Any, about: str, form: ValueForm, **more: Any) -> Any:
    return field(default=default, metadata={"option": AskOption(about, form, **more)})


@dataclass(frozen=True, kw_only=True)
class AskOptions:
    """How a judge is asked, and within what limits. Every attribute is an option of that name in all sources.

    `None` leaves the choice to the rubric, the judge's adapter or the provider.
    """

    judge: str | None = _option(None, "judge to ask", _JUDGE, value="NAME")
    model: str | None = _option(None, "the judge's model, where its name has none", _MODEL, value="NAME")
    samples: int | None = _option(
        None, "ask N times, use the median level", _WHOLE_NUMBER, value="N", common=True, opens=False
    )
    orders: int | None = _option(
        None, "of pairs: ask in both orders (2), or in one for half the cost (1)", _ONE_OR_TWO, value="1|2", opens=False
    )
    budget: float | None = _option(
        None,
        "stop before the cost exceeds this",
        _ABOVE_ZERO,
        value="USD",
        common=True,
        variable="MARKSCHEME_BUDGET",
    )
    batch: bool = _option(
        False,
        "ask {judges with batches} in batches: half the price, replies within 24 hours",
        _SWITCH,
        common=True,
    )
    batch_reasks: Literal["batch", "live"] = _option(
        "batch", "how to ask again for unusable replies (batch)", _one_of("batch", "live"), value="batch|live"
    )
    strategy: Strategy | None = _option(
        None,
        f"{', '.join(STRATEGY_NAMES[:-1])} or {STRATEGY_NAMES[-1]}",
        _one_of(*STRATEGY_NAMES),
        value="S",
        opens=False,
    )
    concurrency: int = _option(
        8, "requests in flight at once (8)", _WHOLE_NUMBER, value="N", opens=False, variable="MARKSCHEME_CONCURRENCY"
    )
    requests_per_minute: int | None = _option(
        None, "requests begun in a minute", _WHOLE_NUMBER, value="N", variable="MARKSCHEME_REQUESTS_PER_MINUTE"
    )
    tokens_per_minute: int | None = _option(
        None, "tokens read and written in a minute", _WHOLE_NUMBER, value="N", variable="MARKSCHEME_TOKENS_PER_MINUTE"
    )
    temperature: float | None = _option(
        None,
        "sampling temperature, for models that take one",
        _FROM_ZERO,
        value="T",
        of_model=True,
        parameter=True,
    )
    max_tokens: int | None = _option(
        None, "maximum tokens of an answer", _WHOLE_NUMBER, value="N", of_model=True, parameter=True
    )
    price: str | None = _option(
        None,
        "dollars per million tokens, input and output (list price)",
        _PRICE,
        value="IN:OUT",
        of_model=True,
        variable="MARKSCHEME_PRICE",
    )
    cache: bool = _option(
        True, "neither read nor keep replies", _AUTO_OR_OFF, off="--no-cache", variable="MARKSCHEME_NO_CACHE"
    )
    expected: bool = _option(
        False,
        "use the expected level, by the probabilities of levels: {judges with probabilities}",
        _SWITCH,
    )
    scorers: tuple[str, ...] = _option(
        (),
        "module with checks by code, for criteria with a `check`",
        _MODULES,
        value="MODULE",
        names_code=True,
        opens=False,
    )

    @property
    def at_once(self) -> int:
        """Responses graded at once: in batches as many as are to be gathered."""
        return IN_BATCHES if self.batch else self.concurrency

    def of(self, rubric: "Rubric") -> "Rubric":
        """The rubric with the strategy, samples and orders that were asked for."""
        return replace(
            rubric,
            strategy=self.strategy or rubric.strategy,
            samples=self.samples or rubric.samples,
            orders=self.orders or rubric.orders,
        )

    def asking(self, notify: Callable[[str], None] | None = None) -> "Asking":
        """What the judges opened with it share: a new limiter, a price, a cache.

        Args:
            notify: Called with a sentence when a batch is sent, resumed or read.
        """
        from markscheme.judges.asking import Asking

        return Asking.for_run(
            self.limits,
            price=self.price,
            cache=self.cache,
            expected=self.expected,
            parameters=self.parameters,
            batch=self._batching(notify) if self.batch else None,
        )

    def _batching(self, notify: Callable[[str], None] | None) -> "Batching":
        from markscheme.judges.batching import Batching

        return Batching(self.batch_reasks) if notify is None else Batching(self.batch_reasks, notify=notify)

    @property
    def limits(self) -> dict[str, Any]:
        """The limits of a Limiter."""
        names = ("concurrency", "requests_per_minute", "tokens_per_minute", "budget")
        return {name: getattr(self, name) for name in names}

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the model that are set."""
        named = {name: getattr(self, name) for name, option in ASK_OPTIONS.items() if option.parameter}
        return {name: value for name, value in named.items() if value is not None}

    def judge_for(
        self,
        rubric: "Rubric",
        prompts: "Sequence[Prompt]",
        folder: Path | None,
        *,
        name: str | None = None,
        asking: "Asking | None" = None,
        opening: "Callable[[str, str | None], GradingJudge] | None" = None,
    ) -> "GradingJudge":
        """The judge by that name, else the one that is set, else the default for these prompts.

        Args:
            rubric: It may name a judge and a model.
            prompts: The first prompts of the run.
            folder: The rubric's calibration, whose recorded replies may answer.
            name: As on the command line.
            asking: What it shares with the other judges of a run; a new one without.
            opening: Opens a judge by name and model, in place of `open_grading_judge`.

        Raises:
            NoJudge: None was named, and there is none to ask.
            UsageError: It cannot be opened.
        """

        def opened(kind: str, model: str | None) -> "GradingJudge":
            """Of that name; recorded replies that nobody named are opened without a limiter and a cache."""
            from markscheme.judges.registry import open_grading_judge

            return open_grading_judge(kind, model=model, asking=asking or self.asking())

        opener = opening or opened
        named = name or self.judge
        if named is not None:
            wanted = in_full(named, rubric.name, folder)
            return opener(wanted, self.model or model_for(rubric, wanted))
        from markscheme.judges.choice import choose_judge

        replies = folder / "replies" if folder else None
        return choose_judge(rubric, prompts, replies, lambda kind, model: opener(kind, self.model or model))

    def judge_if_any(
        self, rubric: "Rubric", prompts: "Sequence[Prompt]", folder: Path | None, *, name: str | None = None
    ) -> "GradingJudge | None":
        """The same; None where there is no judge to ask."""
        try:
            return self.judge_for(rubric, prompts, folder, name=name)
        except NoJudge:
            return None

    def cost(
        self,
        judge: "GradingJudge | None",
        prompts: "Sequence[Prompt]",
        samples: int,
        at_hand: "Callable[[Prompt, int], Reply | None] | None" = None,
    ) -> "Cost":
        """What it costs to ask a judge these prompts, so often each; nothing is asked."""
        from markscheme.judges.cost import cost_of
        from markscheme.judges.registry import price_of

        name = None if judge is None else str(judge.identity)
        price = None if judge is None else price_of(judge.identity, self.asking())
        return cost_of(prompts, judge=name, samples=samples, at_hand=at_hand, price=price)


ASK_OPTIONS: Final[Mapping[str, AskOption]] = {
    declared.name: declared.metadata["option"] for declared in fields(AskOptions)
}
"""The table: every option by its key."""


def read_options(*sources: tuple[Mapping[str, Any], str]) -> AskOptions:
    """The options that several sources set, the strongest first.

    A model belongs to the judge it is named with: where a stronger source names another judge, it doesn't count.

    Args:
        sources: What each sets, and what a key of it is called in messages, such as "config.{}".

    Raises:
        UsageError: An unknown key, or a value that the option can't have.
    """
    options: dict[str, Any] = {}
    for written, place in sources:
        values = _read_source(written, place)
        if "judge" in options:
            values.pop("model", None)
        options = values | options
    return AskOptions(**options)


def _read_source(written: Mapping[str, Any], place: str) -> dict[str, Any]:
    for key in written:
        if key not in ASK_OPTIONS:
            raise unknown_option(key)
    values = {key: ASK_OPTIONS[key].read(value, place.format(key)) for key, value in written.items()}
    return {key: value for key, value in values.items() if value is not None}


def unknown_option(key: object) -> UsageError:
    """The error for a key that the table lacks."""
    instead = suggestion(str(key), ASK_OPTIONS, mark="`") or f"; known are {', '.join(ASK_OPTIONS)}"
    return UsageError(f"unknown option `{key}`{instead}")


def refuse_opening(written: Mapping[str, Any]) -> None:
    """Refuse options that come too late for a judge that is open already.

    Raises:
        UsageError: One of them is set.
    """
    for key, value in written.items():
        if value is not None and key in ASK_OPTIONS and ASK_OPTIONS[key].opens:
            raise UsageError(f"`{key}` says how a judge is opened, and this one is open: name the judge instead")


def options_in(environment: Mapping[str, str]) -> dict[str, Any]:
    """The options that environment variables set, under Promptfoo and in pytest.

    Raises:
        UsageError: A value that the option can't have.
    """
    texts = {key: environment.get(option.variable, "") for key, option in ASK_OPTIONS.items() if option.variable}
    return {
        key: text == "0" if ASK_OPTIONS[key].off else ASK_OPTIONS[key].read_text(text, ASK_OPTIONS[key].variable)
        for key, text in texts.items()
        if text
    }


def model_for(rubric: "Rubric", name: str) -> str | None:
    """The rubric's model, if the rubric names a judge of the same kind; else None.

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

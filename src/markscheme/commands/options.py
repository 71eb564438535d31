"""Options that several commands share: each is declared once, and travels as part of a frozen value."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from cyclopts import Parameter

from markscheme.errors import NoJudge, UsageError
from markscheme.judges.kinds import judge_forms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cyclopts import Token

    from markscheme.calibration.plan import Cost
    from markscheme.judges.asking import Asking
    from markscheme.judges.judge import Judge, Reply
    from markscheme.prompt import Prompt
    from markscheme.ratings.examples import ExampleSet
    from markscheme.readers.imported import Reading
    from markscheme.rubrics.rubric import Rubric
    from markscheme.scorers import Scorer

MORE = "more options"
"""The group of options that only `--help-all` shows."""
JUDGE_NAMES = judge_forms()
Kind = Literal["human", "adjudicated", "constructed", "model", "code"]
"""The kinds of ratings; `ratings.rating` has them as well, and brings numpy."""
KINDS = get_args(Kind)
FIELDS = ("system", "group", "split", "stratum", "drawn")
"""What `--only` chooses examples by."""
IN_BATCHES = 20_000
"""Responses that `--batch` gathers at once, at most; each needs a few kilobytes while it waits."""

# --- what a value may be --------------------------------------------------------------------------------------------


def _must(allowed: str, holds: Callable[[Any], bool]) -> Callable[[type, Any], None]:
    """A validator that says what is allowed of each value that is given."""

    def check(_: type, value: Any) -> None:
        for one in value if isinstance(value, tuple) else (value,):
            if one is not None and not holds(one):
                raise ValueError(f"must be {allowed}")

    return check


def whole_number(_: type, tokens: "Sequence[Token]") -> int:
    """Convert a whole number from 1, and refuse 1.5 or 0."""
    (token,) = tokens
    if not token.value.isdecimal() or int(token.value) < 1:
        raise ValueError("must be a whole number from 1")
    return int(token.value)


def within(least: float, most: float) -> Callable[[type, Any], None]:
    """A validator of numbers from `least` to `most`."""
    return _must(f"from {least} to {most}", lambda value: least <= value <= most)


def _is_share(value: float) -> bool:
    if 1 < value <= 100:
        raise ValueError(f"must be above 0 and at most 1; did you mean {value / 100:g}?")
    return 0 < value <= 1


def _is_choice(value: str) -> bool:
    return value.partition("=")[0] in FIELDS and "=" in value


def completed_rubrics(_: object) -> list[str]:
    """What a shell completes RUBRIC to."""
    from markscheme.rubrics.search import known_rubrics

    return list(known_rubrics(Path.cwd()))


COUNT = Parameter(metavar="N", converter=whole_number)
"""Of an option that is a whole number from 1."""
ABOVE_ZERO = _must("a number above 0", lambda value: 0 < value < float("inf"))
PORT = within(1, 65_535)
SHARE = _must("above 0 and at most 1", _is_share)

RubricName = Annotated[str, Parameter(metavar="RUBRIC", help="a rubric's name or file", completer=completed_rubrics)]
JudgeName = Annotated[str | None, Parameter(metavar="NAME", help=f"judge to ask: {JUDGE_NAMES}")]
JudgeNames = Annotated[tuple[str, ...], Parameter(metavar="NAME", help=f"judge to ask: {JUDGE_NAMES}; may be repeated")]
ExamplesFile = Annotated[
    Path | None, Parameter(metavar="FILE", help="labelled examples, instead of the rubric's own set")
]
RatingsFiles = Annotated[
    tuple[Path, ...],
    Parameter(metavar="FILE...", help="take the judge's ratings from files; nothing is asked", consume_multiple=1),
]
GoldKind = Annotated[
    Kind | None, Parameter(metavar="KIND", help=f"use only labels of this kind: {', '.join(KINDS)}", group=MORE)
]
Target = Annotated[
    float | None, Parameter(metavar="P", help="share of examples the judge must agree on (0.8)", validator=SHARE)
]
Scorers = Annotated[
    tuple[str, ...],
    Parameter(metavar="MODULE", help="module with checks by code, for criteria with a `check`", group=MORE),
]
SplitName = Annotated[
    Literal["dev", "test", "all"] | None,
    Parameter(metavar="S", help="dev, test or all (dev, once a set has splits)"),
]
SkipDamaged = Annotated[
    bool, Parameter(help="leave out examples, ratings and records that can't be read, with a warning each", group=MORE)
]
"""Heeded by `commands.call`, for all that a command reads."""
JsonFlag = Annotated[bool, Parameter(name="--json", help="print JSON")]
JsonTarget = Annotated[
    str | None, Parameter(name="--json", metavar="[FILE]", help="write JSON; to standard output without FILE")
]


# --- options that go together ---------------------------------------------------------------------------------------


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class AskOptions:
    """How a judge is asked, and within what bounds.

    Attributes:
        samples: ask N times, use the median level
        budget: stop before the cost exceeds this
        batch: ask anthropic or openai in batches: half the price, replies within 24 hours
        batch_reasks: how to ask again for unusable replies (batch)
        strategy: one_shot, per_criterion, double_pass or holistic
        concurrency: requests in flight at once (8)
        price: dollars per million tokens, input and output (list price)
        no_cache: neither read nor keep replies
        expected: use the expected level, where the provider returns log-probabilities
    """

    samples: Annotated[int | None, COUNT] = None
    budget: Annotated[float | None, Parameter(metavar="USD", validator=ABOVE_ZERO)] = None
    batch: bool = False
    batch_reasks: Annotated[Literal["batch", "live"], Parameter(metavar="batch|live", group=MORE)] = "batch"
    strategy: Annotated[
        Literal["one_shot", "per_criterion", "double_pass", "holistic"] | None, Parameter(metavar="S", group=MORE)
    ] = None
    concurrency: Annotated[int, COUNT, Parameter(group=MORE)] = 8
    price: Annotated[str | None, Parameter(metavar="IN:OUT", group=MORE)] = None
    no_cache: Annotated[bool, Parameter(group=MORE)] = False
    expected: Annotated[bool, Parameter(group=MORE)] = False
    scorers: Scorers = ()
    skip_damaged: SkipDamaged = False

    @property
    def at_once(self) -> int:
        """Responses graded at once: in batches as many as are to be gathered."""
        return IN_BATCHES if self.batch else self.concurrency

    def of(self, rubric: "Rubric") -> "Rubric":
        """The rubric with the strategy and samples that were asked for."""
        strategy, samples = self.strategy or rubric.strategy, self.samples or rubric.samples
        return replace(rubric, strategy=strategy, samples=samples)

    def rubric(self, name: str) -> "Rubric":
        """The rubric of a name, or in a file, with what was asked for."""
        return self.of(rubric_named(name))

    def asking(self) -> "Asking":
        """What the judges opened with it share: a new limiter, a price, a memory."""
        from markscheme.judges.asking import Asking
        from markscheme.judges.batching import Batching
        from markscheme.judges.limited import Limiter
        from markscheme.judges.price import Price
        from markscheme.judges.remembering import Memory

        say = partial(print, file=sys.stderr, flush=True)
        return Asking(
            limiter=Limiter(concurrency=self.concurrency, budget=self.budget),
            price=Price.parse(self.price) if self.price else None,
            memory=None if self.no_cache else Memory(),
            expected=self.expected,
            batch=Batching(self.batch_reasks, notify=say) if self.batch else None,
            list_prices=True,
        )

    def judge(
        self,
        name: str | None,
        rubric: "Rubric",
        prompts: "Sequence[Prompt]",
        folder: Path | None,
        asking: "Asking | None" = None,
    ) -> "Judge":
        """The judge of that name; without one, the default for these prompts and a calibration folder."""
        from markscheme.judges.registry import choose_judge, model_for, open_judge

        asking = asking or self.asking()
        if name is not None:
            return open_judge(name, model=model_for(rubric, name), asking=asking)
        replies = folder / "replies" if folder else None
        return choose_judge(rubric, prompts, replies, lambda name, model: open_judge(name, model=model, asking=asking))

    def judge_if_any(
        self, name: str | None, rubric: "Rubric", prompts: "Sequence[Prompt]", folder: Path | None
    ) -> "Judge | None":
        """The same; None where there is no judge to ask."""
        try:
            return self.judge(name, rubric, prompts, folder)
        except NoJudge:
            return None

    def cost(
        self,
        judge: "Judge | None",
        prompts: "Sequence[Prompt]",
        samples: int,
        kept: "Callable[[Prompt, int], Reply | None] | None" = None,
    ) -> "Cost":
        """What it costs to ask a judge these prompts, so often each; nothing is asked."""
        from markscheme.calibration.plan import cost_of

        name = None if judge is None else str(judge.identity)
        price = None if judge is None else self.asking().price_of(judge.identity)
        return cost_of(prompts, judge=name, samples=samples, kept=kept, price=price)

    def scorers_for(self, rubric: "Rubric") -> dict[str, "Scorer"]:
        """The checks by code in the modules that were named.

        Raises:
            UsageError: A module cannot be imported, or a criterion names a check that no module has.
        """
        checked = [criterion for criterion in rubric.criteria if criterion.check is not None]
        if not checked and not self.scorers:
            return {}
        from markscheme.scorers import check_of, load_scorers

        scorers = load_scorers(*self.scorers)
        for criterion in checked:
            check_of(criterion, scorers)
        return scorers


def pairs(given: "Sequence[str]", option: str) -> dict[str, str]:
    """What is left and right of each `=` in the values of `--map` or `--levels`.

    Raises:
        UsageError: One has no `=`, or nothing on a side of it.
    """
    found = {}
    for entry in given:
        left, equals, right = (part.strip() for part in entry.partition("="))
        if not equals or not left or not right:
            shape = "COLUMN=FIELD" if option == "map" else "WORD=LEVEL"
            raise UsageError(f"`--{option}` must be {shape}, got {entry!r}")
        found[left] = right
    return found


@Parameter(name="*", group=MORE)
@dataclass(frozen=True, kw_only=True)
class ExportOptions:
    """What another tool's export doesn't say.

    Attributes:
        kind: who rated, where an export doesn't say
        rater: the rater's name, where an export doesn't say
        judge_names: raters of an export that are judges
        map: another name for a metric of an export; may be repeated
        levels: the level that a word of an export means; may be repeated
    """

    kind: Annotated[Kind | None, Parameter(metavar="KIND")] = None
    rater: Annotated[str | None, Parameter(metavar="NAME")] = None
    judge_names: Annotated[tuple[str, ...], Parameter(metavar="A,B")] = ()
    map: Annotated[tuple[str, ...], Parameter(metavar="METRIC=NAME")] = ()
    levels: Annotated[tuple[str, ...], Parameter(metavar="WORD=LEVEL")] = ()

    def read(self, files: "Sequence[Path]") -> "Reading":
        """The examples and ratings in an export; its metrics are the criteria."""
        from markscheme.readers.detect import import_files
        from markscheme.readers.imported import Columns

        judges = frozenset(name.strip() for names in self.judge_names for name in names.split(","))
        words = {word.casefold(): level for word, level in pairs(self.levels, "levels").items()}
        columns = Columns(pairs(self.map, "map"), self.rater, self.kind, judges)
        return import_files(files, None, words=words, columns=columns)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class LabelOptions:
    """Which examples count, by which labels.

    Attributes:
        tolerance: how far a score may miss and still agree (0.1)
        gold_by: how several labels combine: median, mean or majority (median)
    """

    examples: ExamplesFile = None
    split: SplitName = None
    tolerance: Annotated[float | None, Parameter(metavar="D", validator=ABOVE_ZERO)] = None
    gold: GoldKind = None
    gold_by: Annotated[Literal["median", "mean", "majority"], Parameter(metavar="RULE", group=MORE)] = "median"
    only: Annotated[
        tuple[str, ...],
        Parameter(
            metavar="FIELD=VALUE",
            help=f"use only examples with this value of {', '.join(FIELDS)}; may be repeated",
            validator=_must(f"FIELD=VALUE, with FIELD one of {', '.join(FIELDS)}", _is_choice),
            group=MORE,
        ),
    ] = ()

    def chosen(self, examples: "ExampleSet") -> "ExampleSet":
        """The examples that `--only` leaves.

        Raises:
            UsageError: It leaves none.
        """
        kept = examples
        for choice in self.only:
            field, _, value = choice.partition("=")
            kept = kept.where(**{field: value})
        if examples.examples and not kept.examples:
            field, _, value = self.only[-1].partition("=")
            known = sorted({str(getattr(example, field)) for example in examples.examples} - {"", "None"})
            has = f"the examples have {', '.join(map(repr, known))}" if known else "no example has any"
            raise UsageError(f"no example fits --only {' --only '.join(self.only)}; as {field}, {has}")
        return kept


@Parameter(name="*", group=MORE)
@dataclass(frozen=True, kw_only=True)
class DriftOptions:
    """The accepted run, and how later runs are compared with it.

    Attributes:
        accept: accept this run, next to those accepted before: later runs are compared with them
        replace: with --accept: drop the runs accepted before
        accepted: accepted run, instead of the rubric's own
        run_number: this is comparison T with the accepted run (counted)
        planned_runs: planned comparisons, which share the 5% false-alarm rate
        drift_margin: share of a scale that counts as unchanged (0.0625)
        replay: ask the judge by the accepted rubric too, to separate judge from wording
    """

    accept: Annotated[bool, Parameter(group=())] = False
    replace: bool = False
    accepted: Annotated[Path | None, Parameter(metavar="FILE")] = None
    run_number: Annotated[int | None, COUNT, Parameter(metavar="T")] = None
    planned_runs: Annotated[int | None, COUNT] = None
    drift_margin: Annotated[float | None, Parameter(metavar="P", validator=SHARE)] = None
    replay: bool = False


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """Where a calibration's report is written.

    Attributes:
        json: write JSON; - for standard output
        markdown: write Markdown; - for standard output
        html: write a page to open, send or print
        junit: write JUnit XML, one test per criterion
        quiet: no report and no progress: files and exit status only
    """

    json: Annotated[str | None, Parameter(metavar="FILE")] = None
    markdown: Annotated[str | None, Parameter(metavar="FILE")] = None
    html: Annotated[str | None, Parameter(metavar="FILE")] = None
    junit: Annotated[str | None, Parameter(metavar="FILE")] = None
    quiet: bool = False

    @property
    def targets(self) -> dict[str, str | None]:
        """By option, where it writes."""
        return {"json": self.json, "markdown": self.markdown, "html": self.html, "junit": self.junit}


def rubric_named(name: str) -> "Rubric":
    """The rubric of a name, or in a file."""
    from markscheme.rubrics.file import load_rubric
    from markscheme.rubrics.search import find_rubric

    return load_rubric(find_rubric(name))


def existing_file(path: Path) -> Path:
    """The path of a file that exists.

    Raises:
        UsageError: It doesn't.
    """
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    return path

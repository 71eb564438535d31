"""Options of calibrations: which labels count, by what rules, and how much agreement is enough."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from markscheme.options.forms import FLAG, LIMIT, PATH, POSITIVE, SHARE, WHOLE, ValueForm, one_of, text_form
from markscheme.options.table import KEYS_SET_FOR_ALL, NUMBER_IN_FILES, WHOLE_IN_FILES, option, setting
from markscheme.ratings.kinds import CHOSEN_BY, KINDS, Kind
from markscheme.rubrics.keys import TREND_SUBJECTS, TrendSubject


def _field_and_value(written: Any) -> str:
    if not isinstance(written, str) or "=" not in written or written.partition("=")[0] not in CHOSEN_BY:
        raise ValueError
    return written


MEASURE: Final = text_form("score, decision, or a criterion's name")
_FIELD_AND_VALUE: Final = ValueForm(
    f"FIELD=VALUE, with FIELD one of {', '.join(CHOSEN_BY)}", _field_and_value, by_type=True
)


@dataclass(frozen=True, kw_only=True)
class LabelOptions:
    """Options for which examples count, which of their labels make gold, and how much agreement is enough.

    `None` leaves the choice to the rubric.

    Attributes:
        set_for_all: Keys of the options that the settings file sets, for all rubrics of a project; where such an option
            has no meaning, it is ignored instead of refused.
    """

    examples: Path | None = option(None, "labelled examples, instead of the rubric's own set", PATH, value="FILE")
    split: Literal["dev", "test", "all"] | None = option(
        None, "dev, test or all (all)", one_of("dev", "test", "all"), value="S"
    )
    tolerance: float | None = setting(
        None,
        "how far a score may miss and still agree (0.1)",
        POSITIVE,
        value="D",
        written=NUMBER_IN_FILES,
    )
    gold: Kind | None = setting(None, f"use only labels of this kind: {', '.join(KINDS)}", one_of(*KINDS), value="KIND")
    gold_by: Literal["median", "mean", "majority"] = setting(
        "median",
        "how several labels combine: median, mean or majority (median)",
        one_of("median", "mean", "majority"),
        value="RULE",
    )
    only: tuple[str, ...] = option(
        (),
        f"use only examples with this value of {', '.join(CHOSEN_BY)}; may be repeated",
        _FIELD_AND_VALUE,
        value="FIELD=VALUE",
        several=True,
    )

    target: float | None = setting(
        None,
        "share of examples the judge must agree on (0.8)",
        SHARE,
        value="P",
        is_named=True,
        written=NUMBER_IN_FILES,
    )
    max_false_pass: float | None = setting(
        None,
        "largest share of the fails by the labels that the judge may pass (110% - target)",
        LIMIT,
        value="P",
        written=NUMBER_IN_FILES,
    )
    max_false_fail: float | None = setting(
        None,
        "largest share of the passes by the labels that the judge may fail (110% - target)",
        LIMIT,
        value="P",
        written=NUMBER_IN_FILES,
    )
    trend_on: TrendSubject | None = setting(
        None,
        "what a trend is asked of: score, or criteria (score)",
        one_of(*TREND_SUBJECTS),
        value="WHAT",
    )
    max_false_credit: float | None = setting(
        None,
        "with trend_on=criteria: largest share of what earns nothing by the labels that gets credit",
        LIMIT,
        value="P",
        written=NUMBER_IN_FILES,
    )
    max_missed_credit: float | None = setting(
        None,
        "with trend_on=criteria: largest share of what earns credit by the labels that gets none",
        LIMIT,
        value="P",
        written=NUMBER_IN_FILES,
    )
    all_texts: bool = option(False, "show the texts of held-out examples too; they are held out no more", FLAG)
    of: str | None = option(
        None, "what agreement of scores is of: score, decision, or a criterion's name", MEASURE, is_typed=False
    )
    set_for_all: frozenset[str] = field(default=frozenset(), metadata=KEYS_SET_FOR_ALL)


LIMITS_OF_WRONG: Final = ("max_false_pass", "max_false_fail", "trend_on", "max_false_credit", "max_missed_credit")
"""Options that limit a judge's wrong decisions or set what trends are of; only the verdict on a judge uses them."""
LIMITS_OF_A_VERDICT: Final = ("target", *LIMITS_OF_WRONG)

OPTIONS_OF_COMPARING: Final = (
    "split", "only", "tolerance", "gold", "gold_by", *LIMITS_OF_A_VERDICT, "accepted", "planned_runs", "drift_margin",
)  # fmt: skip
"""Options that change what a judge is compared with, or the verdict: a printed `calibrate` command repeats them."""


@dataclass(frozen=True, kw_only=True)
class AcceptingOptions:
    """Options for how a run is compared with the accepted ones, and whether it joins them."""

    accept: bool = option(
        False, "accept this run, next to those accepted before: later runs are compared with them", FLAG
    )
    replace: bool = option(False, "with --accept: drop the runs accepted before", FLAG)
    accepted: Path | None = option(
        None,
        "accepted run, instead of the rubric's own",
        PATH,
        value="FILE",
        is_named=False,
        never_in_files=lambda _: "a file to write",
    )
    run_number: int | None = option(
        None,
        "this is comparison T with the accepted run (counted)",
        WHOLE,
        value="T",
        is_named=False,
        never_in_files=lambda _: "one run",
    )
    planned_runs: int | None = setting(
        None, "planned comparisons, which share the 5% false-alarm rate", WHOLE, value="N", written=WHOLE_IN_FILES
    )
    drift_margin: float | None = setting(
        None, "share of a scale that counts as unchanged (0.0625)", SHARE, value="P", written=NUMBER_IN_FILES
    )
    replay: bool = option(False, "ask the judge by the accepted rubric too, to separate judge from wording", FLAG)
    check: bool = option(False, "count this comparison with the accepted run as one of the planned ones", FLAG)
    force: bool = option(False, "with --accept: even if the judge shouldn't be used", FLAG)

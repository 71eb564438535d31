"""The calibration behind a grade, read from accepted.json without importing any numerical library."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, cast, get_args

from markscheme.errors import RatingError
from markscheme.fingerprint import IN_PART
from markscheme.json_text import no_constant
from markscheme.numerals import finite
from markscheme.phrases import counted, in_words, number
from markscheme.plain_data import Shape, read_json, refuse_other_shape, shown
from markscheme.rubrics.rubric import STRATEGY_NAMES, Rubric
from markscheme.rubrics.search import find_calibration

ACCEPTED = "accepted.json"
CARD = "card.json"
"""Name of the file, next to accepted.json, with the judge card of the accepted run."""
ACCEPTED_SCHEMA = 1
"""Version of accepted.json that is written, and the only one that is read."""
NO_ACCEPTED_RUN = "no accepted run"

CALIBRATION = ("warn", "require", "off")
"""Ways to treat the calibration behind a grade: warn, refuse to grade unless the judge can gate, or ignore it."""

Use = Literal["gate", "trend", "explore", "none"]
USES: tuple[str, ...] = get_args(Use)


class _UseWords(NamedTuple):
    """Phrases for a use such as "gate".

    Attributes:
        alone: The use by itself, such as "can gate".
        refused: The end of a sentence that begins with the judge, for a use that allows no decisions, such as
            "shouldn't be used"; None for any other use.
    """

    alone: str
    refused: str | None = None


USE_WORDS: Mapping[str, _UseWords] = {
    "gate": _UseWords("can gate"),
    "trend": _UseWords("can show trends"),
    "explore": _UseWords("explore only", "can't be used for decisions yet"),
    "none": _UseWords("no use: adjust first", "shouldn't be used"),
}


def allowed_in_words(use: str, *, may_trend: bool = True) -> str:
    """Return a phrase for what a judge may be used for, such as "can gate" (pass or fail without review).

    Args:
        use: The use, such as "gate".
        may_trend: False if the judge may gate, but its scores may not be averaged.

    Example:
        >>> allowed_in_words("gate"), allowed_in_words("gate", may_trend=False)
        ('can gate', 'can gate, not show trends')
    """
    if use == "gate" and not may_trend:
        return "can gate, not show trends"
    return USE_WORDS[use].alone if use in USE_WORDS else use


class ExceptedPart(NamedTuple):
    """A slice of the examples, such as one system's, on which a judge may not decide although it may elsewhere.

    Attributes:
        by: Property that defines the slice: system, group or a key of the metadata.
        name: Value of the property, which names the slice.
        elsewhere: Names of the other slices by this property that the calibration has examples of.
    """

    by: str
    name: str
    elsewhere: frozenset[str]

    @property
    def called(self) -> str:
        """Name of the slice in a sentence, such as "system b"."""
        return f"{self.by} {self.name}"

    def why_excepted(self, facts: Mapping[str, str]) -> str | None:
        """Return why the judge may not decide an example that is, or may be, in this slice; None for any other example.

        Args:
            facts: Facts about the example, by property, such as its system and its group.
        """
        name = facts.get(self.by, "")
        if name and _is_named(name, self.name):
            return f"{self.called} is excepted"
        if name and any(_is_named(name, name_elsewhere) for name_elsewhere in self.elsewhere):
            return None
        return f"{self.called} is excepted, and which {self.by} this is isn't known"


def _is_named(name: str, example_part: str) -> bool:
    """Return True if a slice's name equals a value or ends in it, as "prompt / provider" ends in "provider".

    Args:
        name: The example's value of the property, such as its provider.
        example_part: Name of the slice.
    """
    return name == example_part or example_part.endswith(f" / {name}")


@dataclass(frozen=True)
class Receipt:
    """What a grade says of its judge's calibration: what the judge may be used for, and by which labels.

    Attributes:
        use: What the calibrated judge may be used for, such as "gate" or "trend".
        agreement: Share of labelled examples on which the judge agreed; None if there was none to compare.
        margin: Standard error of measurement of the score: root mean squared difference of the judge's score from that
            of the labels, from 0 to 1; None if no example had both scores.
        labels: Number of labelled examples in the calibration.
        kind: Source of the labels: human, adjudicated, constructed or model.
        date: The day on which the run was accepted, such as 2026-11-02.
        rubric: Fingerprint of the rubric that was calibrated.
        prompt: Fingerprint of the rubric's prompts.
        judge: Fingerprint of the judge; "" if only its ratings were known.
        measure: What had to agree: score, decision or one criterion.
        settings: Number of settings tried on the same labels; None if that isn't recorded.
        excepted: Slices of the examples that the judge may not decide.
        why_excepted: Reason why the judge may not decide the example of a grade; None if it may.
        asking: Pass mark, strategy and samples in the calibration, which a run can change without changing the rubric's
            text.
        relabelled: Number of examples that were labelled again after a rewording, and number of those with the same
            label; None if there were none.
        card: Id of the judge card of the run; None if it has none.
        without: Names of parameters that the judge was asked without, since its server doesn't take them.
        averages: True if the judge's scores were shown to be good enough for averages, independently of whether it may
            gate.
        differs: Ways in which the calibration differs from how the grade was made, such as "another judge"; empty if it
            doesn't differ.
        outside: Criteria, and tags of criteria, of a submission's own rubric that the calibration doesn't cover, as
            phrases such as "2 criteria of the row"; empty if there are none.
    """

    use: Use
    agreement: float | None
    margin: float | None
    labels: int
    kind: str
    date: str
    rubric: str
    prompt: str
    judge: str
    measure: str = "score"
    settings: int | None = 1
    excepted: tuple[ExceptedPart, ...] = ()
    why_excepted: str | None = None
    asking: Mapping[str, Any] = field(default_factory=dict)
    relabelled: tuple[int, int] | None = None
    card: str | None = None
    without: tuple[str, ...] = ()
    averages: bool = True
    differs: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """True if the calibration is of exactly this rubric, prompt and judge."""
        return not self.differs and not self.outside

    @property
    def may_gate(self) -> bool:
        """True if a response may pass or fail by this grade alone."""
        return self.holds and self.use == "gate" and not self.why_excepted

    @property
    def may_trend(self) -> bool:
        """True if the scores of grades with this receipt may be averaged and compared, to show trends."""
        return self.holds and self.use in ("gate", "trend") and self.averages and not self.why_excepted

    def for_example(self, facts: Mapping[str, str]) -> "Receipt":
        """Return the receipt for a grade of one example, with the reason if the judge may not decide this example.

        Args:
            facts: Facts about the example, by property, such as its system and its group.
        """
        why = next((reason for excepted in self.excepted if (reason := excepted.why_excepted(facts))), None)
        return replace(self, why_excepted=why) if why else self

    def asked_without(self, *ways: tuple[str, ...]) -> "Receipt":
        """Return the receipt, marked as not holding if requests left out other parameters than in the calibration.

        Args:
            ways: For each way in which the judge was asked for the grade's answers, the names of the parameters left
                out.
        """
        always = {name for name in self.without if not name.endswith(IN_PART)}
        allowed = always | {name.removesuffix(IN_PART) for name in self.without}
        if all(always <= set(left_out) <= allowed for left_out in ways):
            return self
        return replace(self, differs=(*self.differs, "another way of asking the judge"))

    def beyond(self, core: Rubric, of_row: Rubric) -> "Receipt":
        """Return the receipt for a submission with its own rubric, whose uncalibrated criteria `outside` counts.

        Args:
            core: The rubric of the run, which was calibrated.
            of_row: The rubric by which the submission is graded.
        """
        known_wordings = {criterion.wording for criterion in core.criteria}
        more = [criterion for criterion in of_row.criteria if criterion.wording not in known_wordings]
        known_tags = {tag for criterion in core.criteria for tag in criterion.tags}
        tags = dict.fromkeys(tag for criterion in more for tag in criterion.tags if tag not in known_tags)
        if not more:
            return self
        unseen = [f"{'tags' if len(tags) > 1 else 'tag'} {', '.join(tags)}"] if tags else []
        return replace(self, outside=(counted(len(more), "criterion of the row", "criteria of the row"), *unseen))

    def checked_against(self, rubric: Rubric, *, prompt: str, judge: str) -> "Receipt":
        """Return the receipt with the ways in which this rubric, prompt and judge differ from those of the calibration.

        Args:
            rubric: The rubric as used, with the run's pass mark, strategy and samples.
            prompt: Fingerprint of the rubric's prompts.
            judge: The fingerprint that the judge has if it is asked as in the calibration.
        """
        return replace(self, differs=tuple(self._differences(rubric, prompt, judge)))

    def _differences(self, rubric: Rubric, prompt: str, judge: str) -> list[str]:
        differences = ["another judge"] if judge != self.judge else []
        if rubric.fingerprint != self.rubric:
            as_then = replace(rubric, **self.asking)
            by_choice = as_then.fingerprint == self.rubric
            return [*differences, "another pass mark or way of asking" if by_choice else "an older rubric"]
        return [*differences, "an older prompt"] if prompt != self.prompt else differences


def calibration_text(receipt: Receipt | None) -> str:
    """Describe a grade's calibration: margin, labels, date and use; or say why no calibration covers it.

    >>> calibration_text(None)
    'no accepted run'
    """
    if receipt is None:
        return NO_ACCEPTED_RUN
    if receipt.differs:
        return f"calibrated for {' and '.join(receipt.differs)}"
    if receipt.outside:
        return f"outside what was calibrated: {'; '.join(receipt.outside)}"
    margin = "" if receipt.margin is None else f"± {number(receipt.margin) if receipt.margin >= 0.005 else '<0.01'} "
    again = ""
    if receipt.relabelled is not None:
        relabelled, same = receipt.relabelled
        again = f" ({relabelled} relabelled, {same} the same)"
    return f"{margin}({receipt.labels} {receipt.kind} labels{again}, {receipt.date}; {_allowed(receipt)})"


def _allowed(receipt: Receipt) -> str:
    """Return a phrase for what the judge may be used for on this example, exceptions included."""
    allowed = allowed_in_words(receipt.use, may_trend=receipt.averages)
    if receipt.excepted:
        allowed += f", except {in_words([excepted.called for excepted in receipt.excepted])}"
    if receipt.why_excepted:
        allowed = f"let a person decide: {receipt.why_excepted}"
    return allowed if receipt.settings is not None else f"{allowed}; settings not recorded"


def why_no_gate(receipt: Receipt | None, advice: str | None = None) -> str:
    """Explain why a judge can't pass or fail responses without review: it was accepted for less, or not at all.

    Args:
        receipt: Receipt of the accepted run; None if no run is accepted.
        advice: How to get a first accepted run; None if there is nothing on disk to calibrate.

    >>> why_no_gate(None, "accept one by `markscheme calibrate tone --accept`")
    'no run of this rubric is accepted; accept one by `markscheme calibrate tone --accept`'
    >>> known = Receipt("trend", 0.9, None, 84, "human", "2026-11-02", "r", "p", "j")
    >>> why_no_gate(known)
    'the run accepted on 2026-11-02 (84 human labels) is for use "trend": can show trends'
    >>> why_no_gate(replace(known, use="gate", differs=("another judge",)))
    'the run accepted on 2026-11-02 (84 human labels), for use "gate", was calibrated for another judge'
    """
    if receipt is None:
        return "; ".join(["no run of this rubric is accepted", *([] if advice is None else [advice])])
    run = f"the run accepted on {receipt.date} ({receipt.labels} {receipt.kind} labels)"
    if receipt.differs:
        return f'{run}, for use "{receipt.use}", was {calibration_text(receipt)}'
    if receipt.outside:
        return f"{run} doesn't hold here: {calibration_text(receipt)}"
    if receipt.why_excepted:
        return f"{run} doesn't hold here: {receipt.why_excepted}"
    return f'{run} is for use "{receipt.use}": {allowed_in_words(receipt.use, may_trend=receipt.averages)}'


def score_text(score: float, receipt: Receipt | None) -> str:
    """Format a score with its margin (±) and the calibration behind it.

    Example:
        >>> known = Receipt("gate", 0.9, 0.11, 84, "human", "2026-11-02", "r", "p", "j")
        >>> score_text(0.68, known)
        '0.68 ± 0.11 (84 human labels, 2026-11-02; can gate)'
        >>> score_text(0.68, None)
        '0.68, no accepted run'
    """
    comma = "" if receipt is not None and receipt.holds else ","
    return f"{number(score)}{comma} {calibration_text(receipt)}"


def receipt_json(receipt: Receipt | None, score: float | None) -> dict[str, Any]:
    """Return the `calibration` object of a grade's JSON, in which `use` is null if no calibration holds.

    Args:
        receipt: The grade's receipt; None if no calibration is accepted.
        score: The grade's score, shown with its margin; None without a score.
    """
    text = calibration_text(receipt) if score is None else score_text(score, receipt)
    if receipt is None:
        return {"holds": False, "text": text, "use": None, "may_gate": False, "may_trend": False}
    return {
        "holds": receipt.holds,
        "text": text,
        "use": receipt.use if receipt.holds and not receipt.why_excepted else None,
        "may_gate": receipt.may_gate,
        "may_trend": receipt.may_trend,
        "agreement": receipt.agreement,
        "margin": receipt.margin,
        "labels": {"n": receipt.labels, "kind": receipt.kind},
        "date": receipt.date,
        "measure": receipt.measure,
        "settings": receipt.settings,
        "except": [excepted.called for excepted in receipt.excepted],
        "fingerprints": {"rubric": receipt.rubric, "prompt": receipt.prompt, "judge": receipt.judge},
        "card": receipt.card,
    }


# --- reading --------------------------------------------------------------------------------------------------------


def find_receipt(name: str, *starts: Path) -> Receipt | None:
    """Find the receipt of a rubric's accepted run, in the nearest calibration folder; None if no run is accepted.

    The receipt says what the run showed: what the judge may be used for, and by which labels.

    Args:
        name: Name of the rubric.
        starts: Folders in or above which the folder `calibration/` is searched for.

    Raises:
        RatingError: The accepted run cannot be read.
    """
    folder = find_calibration(name, *starts)
    return load_receipt(folder / ACCEPTED) if folder is not None and (folder / ACCEPTED).is_file() else None


def load_receipt(path: Path) -> Receipt:
    """Load the receipt in an accepted.json.

    Raises:
        RatingError: The file isn't a valid accepted run.
    """
    data = accepted_run_data(path)
    try:
        use = data["use"]
        settings = data.get("settings", 1)
        labels = data["labels"]
        prints = data["fingerprints"]
        asking = data["asked"]
        again = labels.get("again")
        averages = data["decision"]["may_trend"]
        if not isinstance(averages, bool):
            raise ValueError(f"may_trend is true or false, found {shown(averages)}")
        if use not in USES:
            raise ValueError(f"use is one of {', '.join(USES)}, found {shown(use)}")
        return Receipt(
            use=cast(Use, use),
            agreement=_share(data["measurements"]["agreement"]["value"]),
            margin=_share(data["measurements"]["margin"]),
            labels=int(labels["n"]),
            kind=_line(labels["kind"]),
            date=_line(data["date"]),
            rubric=_line(prints["rubric"]),
            prompt=_line(prints["prompt"]),
            judge=_line(prints["judge"]),
            measure=_line(data.get("measure", "score")),
            settings=None if settings is None else int(settings),
            excepted=tuple(map(_excepted, data.get("except", ()))),
            asking=_asking(asking),
            relabelled=(int(again["relabelled"]), int(again["same"])) if again and again["relabelled"] else None,
            card=_line(data.get("card") or "") or None,
            without=tuple(map(_line, (data["judge"]["identity"] or {}).get("without", ()))),
            averages=averages,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise RatingError(f"isn't an accepted run: {error!r}; accept another", path=path) from error


_ESTIMATE: Final[Shape] = {"value": float | None, "low": float | None, "high": float | None, "n": int}
_LEVEL: Final[Shape] = {"value": float, "label": str | None, "description": str | None, "example": str | None}
_CRITERION: Final[Shape] = {
    **dict.fromkeys(("weight", "threshold"), float),
    **dict.fromkeys(("requirement", "name", "check_value"), str),
    **dict.fromkeys(("good", "bad", "check"), str | None),
    **dict.fromkeys(("required", "not_applicable"), bool),
    **dict.fromkeys(("passing", "preserves", "steps", "tags"), list),
    "sees": list | None,
    "scale": {"levels": [_LEVEL], **dict.fromkeys(("ordered", "by_label", "coded", "mirrored"), bool)},
}
_ACCEPTED_RUN: Final[Shape] = {
    **dict.fromkeys(("version", "date", "use", "verdict", "measure"), str),
    "settings": int | None,
    "except": [{"by": str, "name": str, "elsewhere": [str]}],
    "rubric": {"name": str, "fingerprint": str},
    "judge": {
        **dict.fromkeys(("name", "source", "provenance"), str),
        "identity": dict | None,
        "answered_by": [str],
    },
    "fingerprints": dict.fromkeys(("rubric", "prompt", "template", "judge", "labels"), str),
    "ratings": {"file": str, "sha256": str, "judge": str, "samples": int, "examples": int},
    "labels": {"n": int, "kind": str, "raters": dict, "again": {"relabelled": int, "same": int}},
    "split": str | None,
    "measurements": {
        **dict.fromkeys(("agreement", "agreement_constant"), _ESTIMATE),
        **dict.fromkeys(("tolerance", "target"), float),
        "agreement_person": dict | None,
        "margin": float | None,
        **dict.fromkeys(("overall", "criteria"), dict),
        "false_passes": [str],
        "false_fails": [str],
    },
    "cost": {
        **dict.fromkeys(("calls", "from_cache", "examples", "runs"), int),
        **dict.fromkeys(("input_tokens", "output_tokens"), int | None),
        "usd": float | None,
    },
    "asked": {
        **dict.fromkeys(("name", "description", "guidelines", "strategy", "compares"), str),
        **dict.fromkeys(("pass_mark", "tolerance", "target", "tie_within"), float),
        **dict.fromkeys(("samples", "orders"), int),
        "criteria_per_call": int | None,
        **dict.fromkeys(("trend_on", "rows"), str),
        **dict.fromkeys(("max_false_pass", "max_false_fail", "max_false_credit"), float | None),
        **dict.fromkeys(("max_missed_credit", "core_share"), float | None),
        "inputs": list | None,
        "optional_inputs": [str],
        "criteria": [_CRITERION],
    },
    "card": str | None,
}
"""Shape of the entries of an accepted.json, each of which may be missing."""


def accepted_run_data(path: Path) -> dict[str, Any]:
    """Read the plain data of a calibration's accepted.json, after a check of the type of each entry.

    Raises:
        RatingError: The file cannot be read, isn't JSON, was written by an incompatible version of markscheme, or has
            an entry of a wrong type.
    """
    data = accepted_data(path)
    try:
        refuse_other_shape(data, _ACCEPTED_RUN)
    except ValueError as error:
        raise RatingError(f"isn't an accepted run: {error}; accept another", path=path) from error
    return data


def accepted_data(path: Path) -> dict[str, Any]:
    """Read an accepted.json, which a calibration or an experiment wrote, as plain data.

    Raises:
        RatingError: The file cannot be read, isn't JSON, or was written by an incompatible version of markscheme.
    """
    data = read_json(path, RatingError, parse_constant=no_constant)
    if not isinstance(data, dict) or data.get("schema") != ACCEPTED_SCHEMA:
        raise RatingError("isn't an accepted run that this version of markscheme can read", path=path)
    return data


def _share(value: Any) -> float | None:
    if value is None:
        return None
    share = finite(value)
    if share is None:
        raise ValueError(f"a share is a number, found {shown(value)}")
    return share


def _asking(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return how an accepted run's judge was asked: pass mark, strategy, samples, criteria per request."""
    mark = _share(data["pass_mark"])
    strategy = data["strategy"]
    if mark is None or not 0 <= mark <= 1 or strategy not in STRATEGY_NAMES:
        raise ValueError(f"asked with pass mark {shown(data['pass_mark'])} and strategy {shown(strategy)}")
    per_call = data.get("criteria_per_call")
    for key, count in (("samples", data["samples"]), ("criteria_per_call", 1 if per_call is None else per_call)):
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise ValueError(f"{key} is a whole number from 1, found {shown(count)}")
    return {"pass_mark": mark, "strategy": strategy, "samples": data["samples"], "criteria_per_call": per_call}


def _excepted(read: Any) -> ExceptedPart:
    return ExceptedPart(_line(read["by"]), _line(read["name"]), frozenset(map(_line, read["elsewhere"])))


def _line(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a text, found {shown(value)}")
    return " ".join(value.split())

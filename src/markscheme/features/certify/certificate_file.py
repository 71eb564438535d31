"""Reader of cascade.json, the certificate of `certify --write` on which decisions each judge makes alone."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

from markscheme.errors import RatingError, UsageError, no_file
from markscheme.json_text import no_constant, parse_json
from markscheme.numerals import finite
from markscheme.plain_data import read_text, shown
from markscheme.text import cut_short, printable

PROMISE_SIDES: Final = ("both", "passes", "fails", "each")
"""The decisions that a promise may be about: all, the passes, the fails, or each side under a promise of its own."""
SCHEMA = 1
"""Version of the file's format; any other is refused."""
MOST_FURTHER = 1000
"""Largest number of earlier promises on the same labels that a file may state; each of them halves the significance
level."""
CERTAINTY_ROUNDING = 9
"""Decimals to which a certainty is rounded before it is compared with a threshold, both in the search and in use."""
CertaintySignal = Literal["probability", "distance", "votes"]
"""Signals that rank a judge's decisions: the probability that it gives them, the score's distance from the pass mark,
or the share of a panel's votes."""


@dataclass(frozen=True, slots=True)
class StageRecord:
    """Entry of a certificate's file for one stage: a judge, or a panel that votes.

    Attributes:
        judge: Its name, by which it can be asked; for a panel, the names joined by `+`.
        model: The models that answered when it was certified; empty if no reply named its model.
        fingerprint: Fingerprint of the judge as it was asked.
        certainty: Name of the figure by which decisions are ranked, such as the judge's probability.
        passes: The certainty from which on a pass is automatic; None if no pass is.
        fails: The certainty from which on a fail is automatic; None if no fail is.
    """

    judge: str
    model: tuple[str, ...]
    fingerprint: str
    certainty: CertaintySignal
    passes: float | None
    fails: float | None

    def stands(self, certainty: float, *, passed: bool) -> bool:
        """Return True if a decision of this judge or panel needs no person, since it is certain enough.

        Args:
            certainty: Certainty of the decision.
            passed: True if the stage passes the response; passes and fails may need different certainties.
        """
        least = self.passes if passed else self.fails
        return least is not None and round(certainty, CERTAINTY_ROUNDING) >= least


@dataclass(frozen=True, slots=True)
class CertifiedPasses:
    """Shares of passes on a certificate's labelled examples: among annotators' and among automatic decisions.

    Attributes:
        labels: Number of labelled examples.
        people: Share of labelled examples that people pass.
        decided: Number of examples that were decided automatically.
        share: Share of the automatic decisions that pass.
        effective: Number of independent examples with as much information as the `decided` ones; smaller than `decided`
            if these are in groups.
    """

    labels: int
    people: float
    decided: int
    share: float
    effective: float

    def to_json(self) -> dict[str, Any]:
        """Return the shares of passes as an entry of the certificate's file."""
        return {
            "labels": {"n": self.labels, "share": self.people},
            "decided": {"n": self.decided, "share": self.share, "effective": self.effective},
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "CertifiedPasses":
        """Read the shares of passes from their entry in a certificate's file, the form that `to_json` writes.

        Raises:
            KeyError: A key is missing.
            TypeError: A value has another type.
            ValueError: A number is out of range.
        """
        labels = data["labels"]
        decided = data["decided"]
        shares = [_number(entry["share"]) for entry in (labels, decided)]
        counts = [_number(entry["n"]) for entry in (labels, decided)]
        effective = _number(decided["effective"])
        if not all(0 <= share <= 1 for share in shares) or min(*counts, effective) < 0:
            raise ValueError("a share of passes is between 0 and 1, of 0 examples or more")
        return cls(int(counts[0]), shares[0], int(counts[1]), shares[1], effective)


@dataclass(frozen=True, slots=True)
class CascadeFile:
    """A certificate as read from its file: promise, stages, and the rubric and labels for which it holds.

    Attributes:
        path: The file.
        rubric: Fingerprint of the rubric.
        prompt: Fingerprint of the prompt.
        stages: The stages, in the order in which they are asked.
        error: The largest share of wrong automatic decisions under the promise.
        confidence: Confidence of the promise.
        side: The decisions that the promise is about: "both", "passes", "fails" or "each".
        pass_shares: Shares of passes among the labels and among automatic decisions; None if the file doesn't state
            them.
        labels: Digest of the labels on which the promise was tested; None if the file doesn't state it.
        split: The part of the set that these labels are from; None for a set without parts.
        labels_file: Name of the file of examples next to the certificate; None if the certificate doesn't state it.
        label_ids: Digests of the labelled examples' ids; None if the file doesn't state them.
    """

    path: Path
    rubric: str
    prompt: str
    stages: tuple[StageRecord, ...]
    error: float
    confidence: float
    side: str = "both"
    pass_shares: CertifiedPasses | None = None
    labels: str | None = None
    split: str | None = None
    labels_file: str | None = None
    label_ids: tuple[str, ...] | None = None

    @classmethod
    def load(cls, path: Path) -> "CascadeFile":
        """Load the certificate in a file.

        Raises:
            UsageError: There is no such file.
            RatingError: The file can't be read, or isn't a certificate.
        """
        if not path.exists():
            how = "`markscheme certify RUBRIC --judge JUDGE,JUDGE --write` makes it"
            raise UsageError(f"{path} cannot be read: {no_file(path)}; {how}")
        text = read_text(path, RatingError)
        try:
            return _read(path, parse_json(text, parse_constant=no_constant))
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise not_a_cascade(error, path) from error


def not_a_cascade(error: Exception, path: Path) -> RatingError:
    """Make the error for a file that isn't a certificate, from the error that was raised as it was read."""
    if isinstance(error, KeyError):
        why = f"`{error.args[0]}` is missing"
    elif isinstance(error, TypeError | AttributeError):
        why = "a key has a value of another kind"
    else:
        why = cut_short(printable(str(error)))
    return RatingError(f"isn't a cascade: {why}", path=path)


def _read(path: Path, data: Any) -> CascadeFile:
    if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
        raise ValueError(f"expected an object with schema {SCHEMA}")
    prints = data["fingerprints"]
    side = str(data["for"])
    stages = tuple(_stage(stage, side) for stage in data["stages"])
    pass_shares = data.get("pass_shares")
    if not stages:
        raise ValueError("it names no judge")
    labels = data.get("labels") or {}
    ids = labels.get("examples")
    _refuse_out_of_range(data)
    return CascadeFile(
        path,
        str(prints["rubric"]),
        str(prints["prompt"]),
        stages,
        _number(data["error"]),
        _number(data["confidence"]),
        side=side,
        pass_shares=None if pass_shares is None else CertifiedPasses.of_json(pass_shares),
        labels=_text_or_none(labels.get("sha256")),
        split=_text_or_none(labels.get("split")),
        labels_file=_text_or_none(labels.get("file")),
        label_ids=None if ids is None else tuple(map(str, ids)),
    )


def _text_or_none(value: Any) -> str | None:
    return str(value) if value else None


def _refuse_out_of_range(data: Mapping[str, Any]) -> None:
    """Raise an error if a number in a certificate's file, such as the promised error, is outside its possible range.

    Raises:
        ValueError: A number is out of range; the message names the first one.
    """
    _refuse_counts(data)
    promises = {name: data.get(name) for name in ("error", "confidence", "wrong_passes")}
    for name, share in promises.items():
        if share is not None and not 0 < _number(share) < 1:
            raise ValueError(f"{name} is between 0 and 1, found {shown(share)}")
    if data["for"] not in PROMISE_SIDES:
        raise ValueError(f"for is one of {', '.join(PROMISE_SIDES)}, found {shown(data['for'])}")
    shares = {
        f"{name}.{key}": estimate.get(key)
        for name, estimate in _estimates(data).items()
        for key in ("value", "low", "high", "level")
    }
    for name, share in {"upper": data.get("upper"), **shares}.items():
        if share is not None and not 0 <= _number(share) <= 1:
            raise ValueError(f"{name} is from 0 to 1, found {shown(share)}")
    for index, entry in enumerate(data.get("decisions") or ()):
        for decision in entry.get("judges") or () if isinstance(entry, Mapping) else ():
            ranked_decision(decision, f"decisions[{index}]")


def _refuse_counts(data: Mapping[str, Any]) -> None:
    """Raise ValueError if a count isn't a whole number from 0, or if decisions or errors are more than the labels.

    Args:
        data: The content of a certificate.
    """
    labels = data.get("labels") or {}
    n = labels.get("n")
    of_labels = {f"labels.{key}": labels.get(key) for key in ("n", "groups", "explicit")}
    of_labels |= {f"{name}.n": estimate.get("n") for name, estimate in _estimates(data).items()}
    of_labels["errors"] = data.get("errors")
    decided = {f"decided[{index}]": count for index, count in enumerate(data.get("decided") or ())}
    further = data.get("further")
    for name, count in {**of_labels, **decided, "further": further}.items():
        if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 0):
            raise ValueError(f"{name} is a whole number from 0, found {shown(count)}")
    if further is not None and further > MOST_FURTHER:
        raise ValueError(f"further is a whole number from 0 to {MOST_FURTHER}, found {shown(further)}")
    if n is not None and max(sum(decided.values()), data.get("errors") or 0) > n:
        raise ValueError(f"decided and errors are of {n} labels, and count more")
    for name, count in of_labels.items():
        if n is not None and count is not None and count > n:
            raise ValueError(f"{name} is of {n} labels, and counts more: {shown(count)}")


def _estimates(data: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return a certificate's estimates of the share of automatic decisions: for all, or for passes and for fails."""
    automatic = data.get("automatic") or {}
    by_side = {f"automatic.{side}": automatic[side] for side in ("passes", "fails") if side in automatic}
    return by_side or {"automatic": automatic}


def ranked_decision(decision: Any, named: str) -> tuple[float, bool]:
    """Read a judge's decision on one example: its certainty, NaN if the judge has none, and True if it passes.

    Args:
        decision: The decision, in the form of a certificate's file.
        named: Name of the example's entry, for the error.

    Raises:
        ValueError: The data aren't such a decision.
    """
    if decision is None:
        return math.nan, False
    certainty = finite(decision[0]) if isinstance(decision, list) and len(decision) == 2 else None
    if certainty is None or not 0 <= certainty <= 1 or not isinstance(decision[1], bool):
        raise ValueError(f"{named} has null, or a certainty from 0 to 1 and true or false, found {shown(decision)}")
    return certainty, decision[1]


def _stage(stage: Mapping[str, Any], side: str) -> StageRecord:
    signal = stage["certainty"]
    if signal not in get_args(CertaintySignal):
        raise ValueError(f"certainty is one of {', '.join(get_args(CertaintySignal))}, found {shown(signal)}")
    certain = stage["certain"]
    by_side = certain if isinstance(certain, Mapping) else {"passes": certain, "fails": certain}
    if side in ("passes", "fails"):
        by_side = {side: by_side.get(side)}
    passes, fails = (by_side.get(name) for name in ("passes", "fails"))
    models = stage["model"]
    return StageRecord(
        judge=str(stage["judge"]),
        model=(models,) if isinstance(models, str) and models else tuple(map(str, models)),
        fingerprint=str(stage["fingerprint"]),
        certainty=signal,
        passes=None if passes is None else _certainty(passes),
        fails=None if fails is None else _certainty(fails),
    )


def _certainty(value: Any) -> float:
    certainty = _number(value)
    if not 0 <= certainty <= 1:
        raise ValueError(f"a certainty is from 0 to 1, found {shown(value)}")
    return certainty


def _number(value: Any) -> float:
    converted = finite(value)
    if converted is None:
        raise ValueError(f"expected a number, found {shown(value)}")
    return converted

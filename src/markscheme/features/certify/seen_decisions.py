"""Decisions on labelled examples from which a certificate's thresholds were found, stored in its file without texts."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from markscheme.features.certify.certificate_file import (
    CERTAINTY_ROUNDING,
    CertaintySignal,
    CertifiedPasses,
    ranked_decision,
)
from markscheme.features.certify.decided_labels import DecidedLabels
from markscheme.features.certify.promise import MarkSide, Promise
from markscheme.features.certify.ranked_decisions import RankedDecisions, on_side
from markscheme.features.certify.statistics import CertifiedCascade, ErrorLimit, StageDecisions, certified_cascade
from markscheme.fingerprint import fingerprint
from markscheme.plain_data import shown
from markscheme.stats.intervals import Flags, Integers
from markscheme.stats.shares import grouped_share


def id_digest(id: str) -> str:
    """Return the digest that a certificate has in place of an example's id."""
    return fingerprint("id", id)


@dataclass(frozen=True)
class SeenDecisions:
    """Decisions of people and of each judge on labelled examples, with the certainty of the judges' decisions.

    Attributes:
        labels: People's decisions.
        judges: The decisions of each judge, in the order in which judges are asked.
    """

    labels: DecidedLabels
    judges: tuple[RankedDecisions, ...]

    def thresholds(self, promise: Promise) -> dict[MarkSide, CertifiedCascade]:
        """Find the thresholds with which judges decide the most examples alone under a promise.

        Each kind of decision that the promise tests separately, passes or fails, has thresholds of its own.

        Args:
            promise: The promise.
        """
        limit = self.limit(promise)
        of_passes = None if promise.wrong_passes is None else ErrorLimit(promise.wrong_passes, limit.level)
        return {
            side: certified_cascade(
                [self.stage(decisions, side) for decisions in self.judges],
                limit,
                self.labels.groups,
                of_passes=of_passes if side != "fails" else None,
            )
            for side in promise.sides
        }

    def limit(self, promise: Promise) -> ErrorLimit:
        """Return each judge's error limit, with the promise's significance level divided by the number of judges."""
        return ErrorLimit(promise.error, promise.level / len(self.judges))

    def stage(self, decisions: RankedDecisions, side: MarkSide) -> StageDecisions:
        """Return a judge's decisions for the search of thresholds: all of them, or only passes or fails (`side`)."""
        certainty = np.where(on_side(side, decisions.passes), decisions.certainty, math.nan)
        return StageDecisions.of(certainty, self.labels.wrong(decisions.passes), decisions.passes)

    def decided_by(self, parts: Iterable[CertifiedCascade]) -> Integers:
        """Return, for each example, the index of the judge that decides it; the number of judges if a person has to.

        Args:
            parts: The certified cascades, such as one for passes and one for fails.
        """
        nobody = len(self.judges)
        return np.asarray(np.min([np.where(of_side.stage < 0, nobody, of_side.stage) for of_side in parts], axis=0))

    def pass_shares(self, parts: Iterable[CertifiedCascade]) -> CertifiedPasses:
        """Compute two shares of passes on the labelled examples: of annotators' decisions, and of automatic ones.

        Args:
            parts: Thresholds from which each judge decides: one cascade for all decisions, or one for passes and one
                for fails.
        """
        by = self.decided_by(parts)
        return certified_passes(self.labels, by < len(self.judges), self._passes(by))

    def errors(self, parts: Iterable[CertifiedCascade]) -> int:
        """Count the automatic decisions that differ from people's, if judges decide by the thresholds in `parts`."""
        by = self.decided_by(parts)
        return int((self.labels.wrong(self._passes(by)) & (by < len(self.judges))).sum())

    def _passes(self, by: Integers) -> Flags:
        """Mark the examples that the deciding judge passes, shape (n,); False where a person decides.

        Args:
            by: Index of the judge that decides each example, shape (n,); the number of judges if a person does.
        """
        passes = [*(decisions.passes for decisions in self.judges), np.zeros(len(self.labels.ids), dtype=bool)]
        return np.choose(by, passes)

    def to_json(self) -> list[dict[str, Any]]:
        """Return a dict for each example: digests of its id and group, people's decision, and each judge's decision."""
        groups = self.labels.groups or [None] * len(self.labels.ids)
        return [
            {
                "id": id_digest(id),
                **({} if group is None else {"group": fingerprint("group", group)}),
                "people": bool(self.labels.passed[index] == 1),
                "judges": [_decision(decisions, index) for decisions in self.judges],
            }
            for index, (id, group) in enumerate(zip(self.labels.ids, groups, strict=True))
        ]

    @classmethod
    def of_json(cls, entries: Any, signals: Sequence[CertaintySignal], *, explicit: int) -> "SeenDecisions":
        """Read decisions from the entries that `to_json` wrote, with digests as ids and groups.

        Args:
            entries: The entries of the examples.
            signals: The signal that ranks each judge's decisions.
            explicit: Number of examples on which people gave a decision on the whole response.

        Raises:
            ValueError: An entry isn't in the form that `to_json` writes; the message names the entry.
        """
        if not isinstance(entries, list) or not entries:
            raise ValueError("decisions is a list of entries, one for each labelled example")
        read = [_entry(raw, index, len(signals)) for index, raw in enumerate(entries)]
        ids, groups, people, decisions = zip(*read, strict=True)
        if len(set(ids)) < len(ids):
            raise ValueError("decisions has an example twice")
        if None in groups and set(groups) != {None}:
            raise ValueError("decisions has a group for some examples and none for others")
        labels = DecidedLabels(
            ids,
            np.array(people, dtype=np.float64),
            None if groups[0] is None else groups,
            explicit,
        )
        by_judge = np.array(decisions, dtype=np.float64).reshape(len(ids), len(signals), 2)
        judges = (
            RankedDecisions(signal, by_judge[:, index, 0], by_judge[:, index, 1] == 1)
            for index, signal in enumerate(signals)
        )
        return cls(labels, tuple(judges))


def certified_passes(labels: DecidedLabels, is_automatic: Flags, passes: Flags) -> CertifiedPasses:
    """Compute the share of labelled examples that annotators pass, and the share of automatic decisions that pass.

    Args:
        labels: Annotators' decisions.
        is_automatic: Flags of the examples that are decided automatically, shape (n,).
        passes: Flags of the examples that the automatic decision passes, shape (n,).
    """
    groups = None if labels.groups is None else np.array(labels.groups)[is_automatic]
    decided = grouped_share(passes[is_automatic], groups)
    people = float(labels.passed.mean()) if len(labels.ids) else 0.0
    share = decided.value if is_automatic.any() else 0.0
    return CertifiedPasses(len(labels.ids), people, int(is_automatic.sum()), share, float(decided.effective))


def _decision(decisions: RankedDecisions, index: int) -> list[float | bool] | None:
    """Return a judge's rounded certainty on one example, and True if it passes; None if the judge has no decision."""
    certainty = round(float(decisions.certainty[index]), CERTAINTY_ROUNDING)
    return None if math.isnan(certainty) else [certainty, bool(decisions.passes[index])]


def _entry(raw: Any, index: int, judges: int) -> tuple[str, str | None, bool, list[tuple[float, bool]]]:
    """Read an example's entry in the certificate: id, group, people's decision, and each judge's decision.

    Args:
        raw: The entry as plain data.
        index: Index of the entry, for messages.
        judges: Number of judges, each of which must have a decision.

    Raises:
        ValueError: The data aren't such an entry.
    """
    named = f"decisions[{index}]"
    if not isinstance(raw, Mapping) or not isinstance(raw.get("id"), str):
        raise ValueError(f"{named} is an object with an id, found {shown(raw)}")
    group = raw.get("group")
    people = raw.get("people")
    decisions = raw.get("judges")
    if not (group is None or isinstance(group, str)) or not isinstance(people, bool):
        raise ValueError(f"{named} has people's decision as true or false, and its group as a text or not at all")
    if not isinstance(decisions, list) or len(decisions) != judges:
        raise ValueError(f"{named} has a decision for each judge, in a list of {judges}, found {shown(decisions)}")
    return raw["id"], group, people, [ranked_decision(decision, named) for decision in decisions]

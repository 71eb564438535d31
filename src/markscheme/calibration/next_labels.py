"""The number of labels that an open verdict needs: saved by a calibration, and counted down while people label."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from markscheme.calibration.labels_in_words import ScarceDecision, labels_to_add
from markscheme.errors import RatingError
from markscheme.json_text import no_constant
from markscheme.plain_data import read_json
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.second_labels import second_labels_needed
from markscheme.rubrics.keys import DEFAULT_TARGET
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.labels_needed import DecisiveLabels

NEXT_LABELS = "next_labels.json"
"""The file in a rubric's calibration folder with the labels that the last calibration on people's labels asked for."""

FIRST_LABELS = DecisiveLabels(80, 0.5926764978434778, 0.9)
"""The labels for a first verdict where there are none and the target is the usual one, known without statistics."""
_CALIBRATE_AGAIN = "As many are labelled as the last calibration asked for: calibrate again."
_READ = ("judge", "verdict", "labelled", "labels_needed", "labels_chance", "assumed", "next_step")


class NextLabels(NamedTuple):
    """The number of labels to give before the next calibration, with a sentence for the user.

    Attributes:
        labels: Number of labels, with the chance that they decide; None if the verdict isn't open, or if no number of
            labels would decide it.
        in_words: A sentence on the labels, or on why no number would decide; None if the verdict isn't open.
        judge: Name of the judge calibrated last; None before the first calibration.
        because: A sentence on why the verdict is open, or isn't; None if that isn't known.
        to_second: Number of labelled examples that a second annotator should label; 0 if no second annotator is needed.
        verdict: The verdict of the last calibration; None before the first calibration.
    """

    labels: DecisiveLabels | None
    in_words: str | None
    judge: str | None = None
    because: str | None = None
    to_second: int = 0
    verdict: str | None = None

    def of(self, remaining: int, pool: str | None = None) -> str | None:
        """Return the sentence on how many labels to give, at most as many as remain; None if no labels are needed.

        Args:
            remaining: Number of responses that nobody has labelled yet.
            pool: The file they are in; None to leave it out of the sentence.
        """
        if self.labels is None or not self.labels.more or not 0 < remaining <= self.labels.more:
            return self.in_words
        all_left = f"all {remaining} that are" if remaining > 1 else "the one that is"
        return f"Label {all_left} left{f' in {pool}' if pool else ''}."


def next_labels(folder: Path, rubric: Rubric, examples: ExampleSet) -> NextLabels:
    """Return how many labels are still to give: as many as the last calibration asked for, less those given since.

    Args:
        folder: The rubric's calibration folder.
        rubric: The rubric.
        examples: The rubric's examples with all labels so far.

    Returns:
        The labels still to give; before the first calibration, those for a first verdict.
    """
    record = _recorded(folder)
    if record is None:
        return _before_the_first(rubric, examples)
    last = NextLabels(None, None, str(record["judge"]), verdict=str(record["verdict"]))
    needed = record["labels_needed"]
    if needed is None and record["by_one"]:
        second = second_labels_needed(examples.labelled.examples)
        ask = f"Have a second annotator label about {second:,} of the examples: labels of one show trends at most."
        return last._replace(in_words=ask if second else _CALIBRATE_AGAIN, to_second=second)
    if needed is None:
        return last._replace(in_words=str(record["next_step"]) or None)
    labels = DecisiveLabels(int(needed), float(record["labels_chance"]), record["assumed"])
    since = max(0, examples.by_people - int(record["labelled"]))
    if not since:
        return last._replace(labels=labels, in_words=str(record["next_step"]))
    remaining = labels._replace(more=max(0, labels.more - since))
    if not remaining.more:
        return last._replace(labels=remaining, in_words=_CALIBRATE_AGAIN)
    return last._replace(
        labels=remaining, in_words=labels_to_add(remaining, scarce=record["scarce"], has_fails=rubric.has_gate_question)
    )


def _before_the_first(rubric: Rubric, examples: ExampleSet) -> NextLabels:
    """Return the labels that a rubric without a calibration needs for a first verdict."""
    if not examples.by_people and rubric.target == DEFAULT_TARGET:
        return asked_first(FIRST_LABELS, by_people=True, has_fails=rubric.has_gate_question)
    from markscheme.calibration.decision import first_labels_of

    first, by_people = first_labels_of(examples, rubric)
    return asked_first(first, by_people=by_people, has_fails=rubric.has_gate_question)


def asked_first(first: DecisiveLabels | None, *, by_people: bool, has_fails: bool) -> NextLabels:
    """Make the NextLabels for a rubric that has no verdict yet, from the number that a first verdict needs.

    Args:
        first: The number of labels that a first verdict needs; None if no number is likely to be enough.
        by_people: True if people have labelled examples already.
        has_fails: True if single responses pass or fail by the rubric.
    """
    if first is None:
        return NextLabels(None, "No number of labels is likely to show a judge above so high a target.")
    return NextLabels(first, labels_to_add(first, by_people=by_people, has_fails=has_fails))


def _recorded(folder: Path) -> dict[str, Any] | None:
    """Read the record of how many labels the last calibration asked for, as a dict; None without a valid record."""
    try:
        record = read_json(folder / NEXT_LABELS, RatingError, parse_constant=no_constant)
        numbers = [record["labelled"], *([] if record["labels_needed"] is None else [record["labels_needed"]])]
        is_whole = all(isinstance(count, int) and count >= 0 for count in numbers)
        has_chance = record["labels_needed"] is None or 0 <= float(record["labels_chance"]) <= 1
        wanted = {name: record[name] for name in _READ}
        wanted |= {"scarce": _scarce(record.get("scarce")), "by_one": record.get("by_one") is True}
    except (RatingError, ValueError, KeyError, TypeError):
        return None
    return wanted if is_whole and has_chance else None


def _scarce(record: Mapping[str, Any] | None) -> ScarceDecision | None:
    """Read which decision, pass or fail, is so rare among the labels that the verdict waits for more of it.

    Args:
        record: The entry `scarce` of the file that stores how many labels are needed; None without such an entry.

    Returns:
        The decision, and the share of the labels that have it, 0 to 1; None without an entry.

    Raises:
        ValueError: The decision is neither pass nor fail, or the share isn't from 0 to 1.
    """
    if record is None:
        return None
    decision = record["decision"]
    share = float(record["share"])
    if decision not in ("fail", "pass") or not 0 <= share <= 1:
        raise ValueError(f"expected a decision and its share, got {record!r}")
    return decision, share

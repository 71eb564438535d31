"""The record of settings tried on the same labels, since the best of many settings looks better than it is.

A setting is everything that agreement depends on: the words, weights and marks of the rubric, what must agree, the
judge, and how it is asked. Each is recorded once for the examples whose labels it was compared with. Settings belong to
these labels, not to the rubric's name: records of all rubrics of the project count if their examples are the same.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.comparison.measure import OF_SCORE, Measure
from markscheme.calibration.earlier_runs.run_identity import template_fingerprint
from markscheme.errors import RatingError, refuse_lines
from markscheme.files import append_lines, exclusive, set_aside_damaged_end
from markscheme.fingerprint import fingerprint, fingerprints, words_alone
from markscheme.judges.judge import Identity
from markscheme.plain_data import json_lines
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.rubrics.search import CALIBRATION_FOLDERS, calibration_folder, every_calibration, find_calibration
from markscheme.text import is_path_component

SETTINGS: Final = "settings.jsonl"
EXAMPLE_DIGITS: Final = 8
"""Digits of an example's digest: the chance that any two of 10,000 examples share one is 1 in 100."""


class RecordedTrial(NamedTuple):
    """A setting of judge and rubric that was tried, and the labelled examples on which it was compared.

    Attributes:
        at: The day on which it was tried, as in 2026-11-02.
        setting: The setting's digest, equal for rubrics that differ in case, white space and punctuation alone.
        rubric: Fingerprint of the rubric.
        judge: The judge's name.
        n: Number of examples.
        split: The split that the examples belong to; None if there are no splits.
        examples: Digests of the examples' ids; if only counts of labels are known, the digest of the set's name.
        labels: Name of the set of labels, if only its counts are known; None if the examples are known.
    """

    at: str
    setting: str
    rubric: str
    judge: str
    n: int
    split: str | None
    examples: frozenset[str]
    labels: str | None = None

    @classmethod
    def of(
        cls,
        rubric: Rubric,
        measure: Measure,
        judge: Identity | str,
        examples: Sequence[str],
        *,
        at: str,
        split: str | None,
    ) -> "RecordedTrial":
        """Make the record of a judge and a rubric that were compared with labelled examples.

        Args:
            rubric: The rubric as it was used, with the strategy and samples of the run.
            measure: Measure on which judge and gold must agree.
            judge: What identifies the judge; its name if only its ratings are known.
            examples: Ids of the examples whose labels the judge was compared with.
            at: The day of the run.
            split: The split that the examples belong to; None if there are no splits.
        """
        setting = setting_digest(rubric, measure, judge)
        return cls(at, setting, rubric.fingerprint, str(judge), len(examples), split, example_digests(examples))

    @classmethod
    def read(cls, line: Any) -> "RecordedTrial":
        """Read a tried setting (a rubric with a judge) from a line of the record.

        Raise ValueError if the line isn't one.
        """
        try:
            split = line.get("split")
            at, setting, rubric, judge = (line[key] for key in ("at", "setting", "rubric", "judge"))
            labels = line.get("labels")
            examples = line["examples"] if labels is None else [digest_of_set(labels)]
            if not all(isinstance(text, str) for text in (at, setting, rubric, judge, *examples, split or "")):
                raise TypeError
            return cls(at, setting, rubric, judge, int(line["n"]), split, frozenset(examples), labels)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise ValueError("a line of this record has at, setting, rubric, judge, n, split and examples") from None

    def to_json(self) -> dict[str, Any]:
        """Return the tried setting, a rubric with a judge, as a dict for a line of the record file."""
        about = {key: getattr(self, key) for key in ("at", "setting", "rubric", "judge", "n", "split")}
        return about | ({"examples": sorted(self.examples)} if self.labels is None else {"labels": self.labels})


def settings_on(examples: frozenset[str], tried: Iterable[RecordedTrial]) -> list[RecordedTrial]:
    """Return the settings (rubrics with judges) that were tried on any of the given examples, in the record's order.

    Args:
        examples: Digests of the examples' ids.
        tried: The settings on record, in order of time.
    """
    return [setting for setting in tried if not examples.isdisjoint(setting.examples)]


def count_settings(examples: frozenset[str], tried: Iterable[RecordedTrial], opened: Iterable[str] = ()) -> int:
    """Count the different settings that were tried on any of the given examples; at least 1.

    Args:
        examples: Digests of the examples' ids.
        tried: The settings on record.
        opened: Fingerprints of the rubrics for which held-out labels of these examples were opened. A rubric without a
            setting on record counts as one more setting.
    """
    same = settings_on(examples, tried)
    unrecorded = set(opened) - {setting.rubric for setting in same}
    return max(1, len({setting.setting for setting in same}) + len(unrecorded))


def setting_digest(rubric: Rubric, measure: Measure, judge: Identity | str) -> str:
    """Return a digest of everything in judge and rubric that may change agreement.

    Case, white space and punctuation of the words don't matter, nor do target, limits and gray zone, which don't change
    agreement.

    Args:
        rubric: The rubric as it was used, with the strategy and samples of the run.
        measure: Measure on which judge and gold must agree.
        judge: What identifies the judge; its name if only its ratings are known.
    """
    of_judge = [judge] if isinstance(judge, str) else [judge.fingerprint, template_fingerprint()]
    return fingerprint(
        [_of_criterion(criterion) for criterion in rubric.criteria],
        [words_alone(rubric.description), words_alone(rubric.guidelines)],
        [rubric.inputs, rubric.strategy, rubric.samples, float(rubric.pass_mark), *_split_calls(rubric)],
        [measure.name, float(measure.tolerance) if measure.name == OF_SCORE else None],
        of_judge,
    )


def _split_calls(rubric: Rubric) -> list[str]:
    """Return the rubric's limit of criteria per request, as a list for the digest; empty if it sets no limit."""
    return [] if rubric.criteria_per_call is None else [f"{rubric.criteria_per_call} criteria a call"]


def record_of(rubric: Rubric) -> Path | None:
    """Return the path at which a rubric's tried settings are recorded; None if the rubric has no folder and no file."""
    folder = find_calibration(rubric.name, Path.cwd())
    if folder is None and rubric.source is not None and is_path_component(rubric.name):
        folder = calibration_folder(rubric.name, Path.cwd())
    return None if folder is None else folder / SETTINGS


def compared_by_people(comparison: Comparison) -> list[str]:
    """List the ids of the examples compared with people's labels; empty if gold isn't from people."""
    if not comparison.gold.has_people:
        return []
    decided = comparison.passes + comparison.reference.decisions
    are_compared = ~(np.isnan(comparison.hits) & np.isnan(decided))
    return list(compress(comparison.ids, are_compared.tolist()))


def after_those_on_record(comparison: Comparison) -> Comparison:
    """Return a comparison whose intervals allow for all settings on record; its own setting isn't recorded here."""
    tried = settings_on_record(record_of(comparison.rubric))
    return replace(comparison, settings=count_settings(example_digests(compared_by_people(comparison)), tried))


def settings_on_record(path: Path | None) -> tuple[RecordedTrial, ...]:
    """Return all settings on record for any rubric of the project.

    Args:
        path: The file of the record, in the rubric's folder; None if there is no folder for it.

    Raises:
        RatingError: A line of the record can't be read.
    """
    return () if path is None else (*_of_other_rubrics(path), *_read(path))


def record_settings(path: Path | None, current: Sequence[RecordedTrial]) -> tuple[tuple[RecordedTrial, ...], bool]:
    """Record the settings of this run that are new, and return all settings on record in the project.

    Args:
        path: The file of the record, in the rubric's folder, which is made; None if there is no folder for it.
        current: The settings of this run.

    Returns:
        The settings on record, with those of this run, and True if those of this run could be written.

    Raises:
        RatingError: A line of the record can't be read.

    Warns: RatingWarning: The record ended in an incomplete line, which was moved to another file.
    """
    if path is None:
        return tuple(current), False
    if not current:
        return settings_on_record(path), True
    elsewhere = _of_other_rubrics(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with exclusive(path, busy=_wait):
            set_aside_damaged_end(path)
            before = _read(path)
            new = [tried for tried in current if not _is_recorded(tried, before)]
            if new:
                append_lines(path, [tried.to_json() for tried in new], follow=False)
    except OSError:
        return (*elsewhere, *_read(path), *current), False
    return (*elsewhere, *before, *current), True


def _of_other_rubrics(path: Path) -> tuple[RecordedTrial, ...]:
    """Read the settings on record for the project's other rubrics."""
    this_rubric = path.parent.resolve()
    project = path.parents[2] if len(path.parents) > 2 and path.parents[1].name == CALIBRATION_FOLDERS else Path.cwd()
    folders = dict.fromkeys(folder.resolve() for start in (Path.cwd(), project) for folder in every_calibration(start))
    return tuple(tried for folder in folders if folder != this_rubric for tried in _read(folder / SETTINGS))


def _wait() -> None:
    """Wait, without telling the user, while another process holds the lock of the record."""


def _is_recorded(tried: RecordedTrial, before: Iterable[RecordedTrial]) -> bool:
    """Return True if the setting of a trial is on record with all of the trial's examples.

    Args:
        tried: The trial: a rubric and judge, and the examples that they were compared on.
        before: The trials on record.
    """
    same = (earlier.examples for earlier in before if earlier.setting == tried.setting)
    return tried.examples <= frozenset[str]().union(*same)


def _read(path: Path) -> tuple[RecordedTrial, ...]:
    if not path.is_file():
        return ()
    lines = []
    for line_number, line in json_lines(path, RatingError):
        try:
            lines.append(RecordedTrial.read(line))
        except ValueError as fault:
            refuse_lines(RatingError(str(fault), path=path, line=line_number))
    return tuple(lines)


def digest_of_set(labels: str) -> str:
    """Return a digest of a label set's name, which is recorded if the examples' ids aren't known.

    Args:
        labels: Name of the set of labels.
    """
    if not isinstance(labels, str):
        raise TypeError
    return fingerprint(labels)


def example_digests(ids: Iterable[str]) -> frozenset[str]:
    """Return the digests of examples' ids."""
    return frozenset(digest[:EXAMPLE_DIGITS] for digest in fingerprints(zip(ids, strict=True)))


def _of_criterion(criterion: Criterion) -> list[Any]:
    levels = [
        [level.value, *map(words_alone, (level.label, level.description, level.example))]
        for level in criterion.scale.levels
    ]
    texts = [words_alone(text) for text in (criterion.name, criterion.requirement, criterion.good, criterion.bad)]
    passing = [float(criterion.weight), criterion.required, float(criterion.threshold), criterion.passing]
    shown = [criterion.sees, criterion.steps, criterion.check, criterion.not_applicable]
    return [*texts, levels, criterion.scale.ordered, *passing, *shown]

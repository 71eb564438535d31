"""Change of a rubric: its wording, the labels given under the old wording, and the verdict before and after."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from markscheme.calibration.carried_labels import carried_labels
from markscheme.calibration.earlier_runs.run_identity import RunIdentity, SettingChange, changes_between
from markscheme.calibration.labelled_examples import examples_with_every_label
from markscheme.errors import RatingError, UsageError
from markscheme.features.compare.commits import commit_of
from markscheme.features.compare.versions.sides import rubric_at
from markscheme.git import content_at
from markscheme.grading.receipt import CARD, USES
from markscheme.json_text import parse_json
from markscheme.plain_data import read_json
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import calibration_folder
from markscheme.stats.estimate import Estimate


@dataclass(frozen=True)
class RubricVerdict:
    """A calibration's verdict on the judge, as read from a report or a judge card.

    Attributes:
        use: What the judge may be used for: gate, trend, explore or none.
        verdict: The verdict on whether the judge agrees with gold well enough, such as "ok" or "adjust".
        agreement: Share of examples on which the judge agrees with gold.
        live_judge: The judge's name, by which it can be asked again; None if only its ratings or replies were read.
    """

    use: str
    verdict: str
    agreement: Estimate
    live_judge: str | None = None

    @classmethod
    def read(cls, data: Mapping[str, Any], agreement: Mapping[str, Any], path: Path) -> "RubricVerdict":
        """Return the verdict in a calibration's JSON, or on a judge card.

        Args:
            data: The object with the keys `use` and `verdict`.
            agreement: The agreement with its interval, in the form in which JSON reports store an estimate.
            path: The file, for messages.

        Raises:
            RatingError: The file has no verdict.
        """
        try:
            if data["use"] not in USES:
                raise ValueError(f"use is one of {', '.join(USES)}")
            return cls(str(data["use"]), str(data["verdict"]), Estimate.from_json(agreement))
        except (KeyError, TypeError, ValueError) as error:
            raise RatingError(f"has no verdict on one judge: {error!r}", path=path) from error


@dataclass(frozen=True)
class RubricChange:
    """Differences between two versions of a rubric: an old one, in a commit or another file, and today's.

    Attributes:
        name: Name of the rubric.
        since: The commit of the old version, as the user named it, or its file.
        was: The old version; None if the rubric is new.
        now: Today's version.
        changes: The differences between the two.
        labels: A sentence on the labels that were given under the old words; "" if there are no such labels.
        before: The verdict on the judge card of the old version; None if it had no card.
        after: The verdict in a calibration by today's version; None if the user names no calibration.
        is_same_file: True if both versions are the same file at the same time.
    """

    name: str
    since: str
    was: Rubric | None
    now: Rubric
    changes: tuple[SettingChange, ...]
    labels: str
    before: RubricVerdict | None
    after: RubricVerdict | None
    is_same_file: bool = False

    @property
    def is_changed(self) -> bool:
        """True if any part of the rubric differs between the versions."""
        return self.was is None or bool(self.changes)

    @property
    def reworded(self) -> dict[str, tuple[str, str]]:
        """The criteria whose requirement differs, by name, each with the old and the new words."""
        before = {} if self.was is None else {criterion.name: criterion.requirement for criterion in self.was.criteria}
        return {
            criterion.name: (before[criterion.name], criterion.requirement)
            for criterion in self.now.criteria
            if before.get(criterion.name, criterion.requirement) != criterion.requirement
        }


def rubric_change(old: tuple[Path, str | None], new: tuple[Path, str | None], report: Path | None) -> RubricChange:
    """Return what differs between two versions of a rubric. No judge is asked.

    Args:
        old: The file of the first version and its commit, as git names it; None for the file as it is.
        new: The file and the commit of the second version.
        report: The report that `calibrate --json` wrote on the second version; None if there is none.

    Raises:
        UsageError: The rubric, the commit or the repository doesn't exist.
        RatingError: The report, or the card of the first version, cannot be read.
    """
    rubric = _rubric_of(*new)
    if rubric is None:
        raise UsageError(f"there is no {new[0].name} in {new[1]}")
    was = _rubric_of(*old)
    before = None if was is None else _card_of(was, old[1], old[0].parent)
    after = None
    if report is not None:
        data = read_json(report, RatingError)
        data = data if isinstance(data, dict) else {}
        after = RubricVerdict.read(data, data.get("agreement") or {}, report)
    changes = () if was is None else changes_between(_setting(was), _setting(rubric))
    since = old[1] or old[0].name
    is_same_file = old[1] == new[1] and old[0].resolve() == new[0].resolve()
    return RubricChange(
        rubric.name, since, was, rubric, tuple(changes), _labels_now(rubric), before, after, is_same_file
    )


def _setting(rubric: Rubric) -> RunIdentity:
    return RunIdentity(rubric, "", "")


def _labels_now(rubric: Rubric) -> str:
    """Say in a sentence which labels were given under another wording than today's; "" if none were."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            examples, _ = examples_with_every_label(rubric, None)
    except UsageError:  # no examples yet
        return ""
    carried = carried_labels(examples, rubric)
    return "" if carried is None else carried.sentence


# --- git ------------------------------------------------------------------------------------------------------------


def _commit(revision: str, folder: Path) -> str:
    """Return the commit that a revision names.

    Raises:
        UsageError: No commit has that name.
    """
    commit = commit_of(revision, folder)
    if commit is None:
        raise UsageError(f"there is no commit {revision!r} here; fetch it first, or name another")
    return commit


def _text_at(commit: str, path: Path) -> str | None:
    """Return a file's text in a commit; None if the commit has no such file."""
    content = content_at(commit, path)
    return None if content is None else content.decode("utf-8", "replace")


def _rubric_of(file: Path, revision: str | None) -> Rubric | None:
    """Load the rubric of a file, from disk or from a commit; None if the commit has no such file."""
    if revision is None:
        return load_rubric(file)
    return rubric_at(_commit(revision, file.parent), file)


def _card_of(rubric: Rubric, revision: str | None, folder: Path) -> RubricVerdict | None:
    """Return the verdict on a judge that a rubric's judge card states; None without a card.

    Args:
        rubric: The rubric.
        revision: The commit whose card is read. None for today's card, which counts only if it was made with exactly
            this rubric.
        folder: A folder of the repository.
    """
    path = calibration_folder(rubric.name, Path.cwd()) / CARD
    if revision is not None:
        text = _text_at(_commit(revision, folder), path)
    else:
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None
    if text is None:
        return None
    try:
        data = parse_json(text)
        if revision is None and data["rubric"]["fingerprint"] != rubric.fingerprint:
            return None
        judge = data["judge"]
        live_judge = str(judge["name"]) if judge["source"] == "live" else None
        return replace(RubricVerdict.read(data, data["figures"]["agreement"], path), live_judge=live_judge)
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        where = "in that commit" if revision is not None else "of an accepted run"
        raise RatingError(f"isn't a judge card {where}: {error!r}", path=path) from error

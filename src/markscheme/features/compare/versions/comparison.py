"""Comparison of two versions of a rubric with people's decisions, and with people's labels on each criterion."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from markscheme.calibration.comparison.comparison import Comparison, measure_of
from markscheme.calibration.earlier_runs.run_identity import RunIdentity, SettingChange, changes_between
from markscheme.calibration.judge_runs import rated_by
from markscheme.calibration.recorded_trials import example_digests, record_of, settings_on, settings_on_record
from markscheme.errors import UsageError
from markscheme.features.compare.versions.labels_of_versions import (
    gold_by,
    gold_under,
    labels_for,
    own_decisions,
    refuse_undecided,
    without_choosers,
)
from markscheme.features.compare.versions.paired_decisions import PairedDecisions, by_id, paired_decisions
from markscheme.features.compare.versions.sides import RubricVersion, is_report, versions_of
from markscheme.fingerprint import fingerprint
from markscheme.judges.options import AskOptions
from markscheme.progress import Watch, unwatched
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.from_grades import first_prompts
from markscheme.ratings.gold import GOLD, JUDGE, gold_of
from markscheme.ratings.rating import Rating
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.rubrics.search import find_calibration
from markscheme.stats.intervals import Floats
from markscheme.stats.shares import grouped_mean

ONE_SIDED_TABLE = 0.975
"""One-sided confidence of each limit in the table of criteria."""
JudgeLevels = Mapping[str, Mapping[str, float]]
"""Levels of a judge: for each criterion, the level of each example by id."""


@dataclass(frozen=True)
class CriterionAgreement:
    """Shares of examples on which each version's level on one criterion equals people's, and their difference.

    Attributes:
        n: Number of examples compared; for a reworded criterion, those that people labelled under both wordings.
        labelled_under_new: Number of examples labelled under the new words of a reworded criterion; None for a
            criterion that wasn't reworded.
        before: Share of examples on which the old version's level equals people's; None without examples.
        after: Share of examples on which the new version's level equals people's; None without examples.
        low: Lower limit of the difference, new minus old; None without examples.
        high: Upper limit of the difference; None without examples.
    """

    n: int
    labelled_under_new: int | None
    before: float | None
    after: float | None
    low: float | None
    high: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the numbers of examples, both versions' shares and the limits of their difference as plain data."""
        names = ("n", "labelled_under_new", "before", "after", "low", "high")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class VersionComparison:
    """Comparison of two versions of a rubric: decisions, levels on each criterion, and what else differs.

    Attributes:
        old: The version in use.
        new: The other version.
        decisions: The decisions by both versions compared with people's own decisions.
        criteria: The comparison on each criterion that both versions have and a judge rated, by the criterion's name.
        changes: The differences between the versions.
        left_out: Number of examples with people's decision that are left out since a version was chosen or fitted on
            them.
        labelled: Number of examples with people's labels.
        undecided: Number of examples that had no part in choosing a version and lack a decision by people.
        judges: The judge that rated by each version; None if people's own levels decide.
    """

    old: RubricVersion
    new: RubricVersion
    decisions: PairedDecisions
    criteria: Mapping[str, CriterionAgreement]
    changes: tuple[SettingChange, ...]
    left_out: int
    labelled: int
    undecided: int
    judges: tuple[str, str] | None

    @property
    def reworded(self) -> tuple[str, ...]:
        """The criteria of both versions whose words differ, in the new version's order."""
        before = {criterion.name: criterion.wording for criterion in self.old.rubric.criteria}
        return tuple(
            criterion.name
            for criterion in self.new.rubric.criteria
            if before.get(criterion.name, criterion.wording) != criterion.wording
        )

    @property
    def makes_same_scores_of_levels(self) -> bool:
        """True if both versions have the same weights, scales, required criteria and pass mark."""
        return _numbers(self.old.rubric) == _numbers(self.new.rubric)


def have_decisions(sides: Sequence[str], examples: Path | None = None) -> bool:
    """Return True if a version is a report, or if people decided on whole responses of the rubric's examples.

    Args:
        sides: The two versions as the user named them.
        examples: The file of examples; None for the rubric's own.
    """
    if any(map(is_report, sides)):
        return True
    try:
        old, new = versions_of(sides)
        return bool(own_decisions(labels_for(old.rubric, new.rubric, examples), new.rubric))
    except UsageError:
        return False


def compare_versions(
    old: RubricVersion,
    new: RubricVersion,
    *,
    examples: Path | None = None,
    judge: str | None = None,
    ask: AskOptions | None = None,
    watch: Watch = unwatched,
) -> VersionComparison:
    """Compare two versions of a rubric by people's levels, by reports on a judge, or by asking a judge with each.

    Args:
        old: The old version.
        new: The new version.
        examples: The file of labelled examples; None for the rubric's own.
        judge: Name of the judge to ask by a version without a report; None to compute that version's decisions from
            people's levels.
        ask: How the judge is asked.
        watch: Shows progress.

    Raises:
        UsageError: There are no examples, or none has a decision by people.
    """
    every = labels_for(old.rubric, new.rubric, examples)
    fair, left_out = without_choosers(every, old.rubric, new.rubric)
    people = own_decisions(fair, new.rubric)
    if not left_out:
        refuse_undecided(people, new.rubric.name)
    asking = ask or AskOptions()
    decisions_before, levels_before, judge_before = _ratings(old, fair, judge, asking, watch)
    decisions_after, levels_after, judge_after = _ratings(new, fair, judge, asking, watch)
    ids = [example.id for example in fair.examples if example.id in people]
    tasks = {example.id: example.group or example.id for example in fair.examples}
    decisions = paired_decisions(
        by_id(people, ids),
        by_id(decisions_before, ids),
        by_id(decisions_after, ids),
        _groups(ids, tasks),
        settings=_settings(old.rubric, new.rubric, ids),
    )
    criteria = {
        criterion.name: _agreement(criterion, before, fair, old, new, (levels_before, levels_after))
        for criterion in new.rubric.criteria
        if (before := _criterion(old.rubric, criterion.name)) is not None
    }
    return VersionComparison(
        old,
        new,
        decisions,
        criteria,
        changes_between(RunIdentity(old.rubric, "", ""), RunIdentity(new.rubric, "", "")),
        left_out,
        fair.by_people,
        len(fair.examples) - len(ids),
        None if judge_before is None or judge_after is None else (judge_before, judge_after),
    )


def _ratings(
    version: RubricVersion, examples: ExampleSet, judge: str | None, ask: AskOptions, watch: Watch
) -> tuple[Mapping[str, float], JudgeLevels, str | None]:
    """Return the judge's decisions, levels and name under one version; without a judge, people's decisions alone."""
    if version.report is not None:
        responses = {example.id: fingerprint(*example.submission.responses) for example in examples.examples}
        answered = version.report.responses
        same = [rating for rating in version.report.ratings if answered.get(rating.id) == responses.get(rating.id)]
        decisions = {rating.id: float(rating.passed) for rating in same if rating.passed is not None}
        return decisions, _levels(same, version.rubric), version.report.judge
    if judge is not None:
        return _by_judge(version.rubric, examples.labelled, judge, ask, watch)
    truth = gold_by(examples, version.rubric)
    decided = {} if truth is None else dict(zip(truth.ids, truth.decisions.tolist(), strict=True))
    return decided, {}, None


def _by_judge(
    rubric: Rubric, examples: ExampleSet, judge: str, ask: AskOptions, watch: Watch
) -> tuple[Mapping[str, float], JudgeLevels, str]:
    asked_rubric = ask.of(rubric)
    folder = find_calibration(rubric.name, Path.cwd())
    opened = ask.judge_for(asked_rubric, first_prompts(asked_rubric, examples.examples), folder, name=judge)
    ratings, _ = rated_by(opened, asked_rubric, examples.examples, ask, what=f"asking {opened.identity}", watch=watch)
    comparison = Comparison(gold_of(examples, rubric).judged(rubric, ratings), JUDGE, GOLD, measure_of(rubric))
    decisions = dict(zip(comparison.ids, comparison.passes.tolist(), strict=True))
    return decisions, _levels(ratings, rubric), str(opened.identity)


def _levels(ratings: Sequence[Rating], rubric: Rubric) -> JudgeLevels:
    return {
        criterion.name: {
            rating.id: rated.level
            for rating in ratings
            if (rated := rating.criteria.get(criterion.name)) is not None and rated.level is not None
        }
        for criterion in rubric.criteria
    }


def _agreement(
    criterion: Criterion,
    before: Criterion,
    examples: ExampleSet,
    old: RubricVersion,
    new: RubricVersion,
    levels_by_version: Sequence[JudgeLevels],
) -> CriterionAgreement:
    """Compare each version's levels on a criterion with the labels that people gave under that version's wording.

    Args:
        criterion: The criterion of the new version.
        before: The criterion of the old version.
        examples: The examples with people's labels.
        old: The old version.
        new: The new version.
        levels_by_version: The levels by each version, the old one first.
    """
    under_new = gold_under(examples, criterion, new.rubric)
    is_reworded = before.wording != criterion.wording
    under_old = gold_under(examples, before, old.rubric) if is_reworded else under_new
    counted = len(under_new) if is_reworded else None
    levels = [of_version.get(criterion.name, {}) for of_version in levels_by_version]
    ids = [unit for unit in under_new if unit in under_old and all(unit in of_side for of_side in levels)]
    if not ids:
        return CriterionAgreement(0, counted, None, None, None, None)
    was_same = _same(levels[0], under_old, ids)
    is_same = _same(levels[1], under_new, ids)
    tasks = {example.id: example.group or example.id for example in examples.examples}
    mean = grouped_mean(is_same - was_same, _groups(ids, tasks))
    return CriterionAgreement(
        len(ids),
        counted,
        float(was_same.mean()),
        float(is_same.mean()),
        mean.lower(ONE_SIDED_TABLE),
        mean.upper(ONE_SIDED_TABLE),
    )


def _same(levels: Mapping[str, float], people: Mapping[str, float], ids: Sequence[str]) -> Floats:
    return np.array([levels[unit] == people[unit] for unit in ids], dtype=np.float64)


def _groups(ids: Sequence[str], tasks: Mapping[str, str]) -> list[str] | None:
    groups = [tasks[unit] for unit in ids]
    return groups if len(set(groups)) < len(groups) else None


def _settings(old: Rubric, new: Rubric, ids: Sequence[str]) -> int:
    """Count the settings that were tried on these examples, without those of the old version; return at least 1.

    A setting is a rubric with a judge.

    Args:
        old: The old version of the rubric.
        new: The new version of the rubric.
        ids: Ids of the examples.
    """
    tried = settings_on(example_digests(ids), settings_on_record(record_of(new)))
    return max(1, len({setting.setting for setting in tried if setting.rubric != old.fingerprint}))


def _criterion(rubric: Rubric, name: str) -> Criterion | None:
    return next((criterion for criterion in rubric.criteria if criterion.name == name), None)


def _numbers(rubric: Rubric) -> object:
    criteria = [(c.name, c.weight, c.required, c.threshold, c.scale) for c in rubric.criteria]
    return criteria, rubric.pass_mark

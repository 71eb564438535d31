"""Evidence that the judge has changed, from asking it repeatedly about the examples of its accepted runs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from markscheme.calibration.earlier_runs.accepted_basis import LOOKS_ALARM
from markscheme.calibration.earlier_runs.run_identity import Accepted
from markscheme.errors import RatingError, UsageError, writing
from markscheme.features.pass_rate.tracked.audits import hash_share
from markscheme.features.pass_rate.tracked.evidence import HORIZON, evidence, rings_in
from markscheme.features.pass_rate.tracked.file_names import ANCHORS_FILE
from markscheme.features.pass_rate.tracked.store import append_merged, digest
from markscheme.features.pass_rate.tracked.watched import (
    LEVEL_CUT,
    decision_growth,
    flips_when_still,
    level_growths,
    level_margin,
)
from markscheme.grading import Grade
from markscheme.grading.receipt import ACCEPTED
from markscheme.plain_data import json_lines
from markscheme.ratings.additions import DAY
from markscheme.ratings.from_grades import ratings_of
from markscheme.ratings.rating import Rated, Rating
from markscheme.ratings.table import column_of
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.intervals import Flags, Floats

MOST_ANCHORS = 100
"""Largest number of accepted examples that the judge is asked about again."""
FEWEST_ANCHORS = 20
"""Fewest accepted examples with which the judge is watched over time."""
FEWEST_ACCEPTED_RUNS = 3
"""Number of accepted runs needed to measure how much runs of one judge differ; the first looks replace missing runs."""
FAIL_SIDE, PASS_SIDE = 0, 1


@dataclass(frozen=True)
class AnchorLook:
    """Record of one look: the judge was asked again about the examples of its accepted run, and gave these answers.

    Attributes:
        at: Time at which the judge was asked.
        day: The last day of the new responses that the same run added to the stream.
        setting: Digest of the questions and of the judge.
        accepted: Digest of the accepted runs that the look is compared with.
        passes: The judge's decisions, by the example's id.
        levels: The judge's levels, by criterion and by the example's id.
    """

    at: str
    day: str
    setting: str
    accepted: str
    passes: Mapping[str, bool]
    levels: Mapping[str, Mapping[str, float]]

    @classmethod
    def of_ratings(
        cls, accepted: Accepted, ratings: Sequence[Rating], *, at: str, day: str, setting: str
    ) -> "AnchorLook":
        """Make the record that the judge was asked again, from its new ratings of the accepted run's examples.

        Args:
            accepted: The accepted run.
            ratings: The new ratings.
            at: Time at which the judge was asked.
            day: The last day of the new responses that the same run of `pass-rate --track` added to the stream.
            setting: Digest of the questions and of the judge.
        """
        rubric = accepted.setting.rubric
        ids = sorted({rating.id for rating in ratings})
        column = column_of("judge", ratings, rubric, ids)
        decisions = column.decisions.tolist()
        passes = {unit: passed == 1 for unit, passed in zip(ids, decisions, strict=True) if passed == passed}
        levels = {
            name: {unit: float(level) for unit, level in zip(ids, values, strict=True) if level == level}
            for name, values in column.levels.items()
        }
        return cls(at, day, setting, accepted.digest, passes, levels)

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> "AnchorLook":
        """Read the record of a look, at which the judge was asked again, from its line in the file of looks."""
        at, day, setting, accepted = (str(line[key]) for key in ("at", "day", "setting", "accepted"))
        return cls(at, day, setting, accepted, dict(line["decisions"]), dict(line["levels"]))

    def to_json(self) -> dict[str, Any]:
        """Return the record of the look as a dict with the keys of a line in the file of looks."""
        line = {"at": self.at, "day": self.day, "setting": self.setting, "accepted": self.accepted}
        return {**line, "decisions": dict(self.passes), "levels": {name: dict(of) for name, of in self.levels.items()}}


@dataclass(frozen=True)
class AnchorWatch:
    """Evidence that the judge has changed since its accepted runs; each time it was asked again is a look.

    Attributes:
        sizes: Number of accepted fails (examples that the judge failed in the accepted runs) and of accepted passes.
        flips: For each look, the number of accepted fails, and of accepted passes, that got the other decision.
        looked: For each look, the last day of the new responses that the same run added.
        own_flips: Share of accepted fails, and of accepted passes, whose decision differs between accepted runs.
        after: Evidence after each look that counts; looks that replace missing accepted runs don't count.
        shifts: Shift of the mean level from the accepted runs to the last look, as a share of the range, by criterion.
        filling: Number of first looks that replace missing accepted runs.
        otherwise_before: Two counts that show that the judge moved before these runs were accepted, from the earlier
            look that differs most from these runs: the examples that both have with different decisions, and all
            examples that both have. None if no earlier look shows a move.
        is_unknown_before: True if the judge was looked at before these runs were accepted, and too few of the examples
            are the same to say whether it had moved.
    """

    sizes: tuple[int, int] = (0, 0)
    flips: tuple[tuple[int, int], ...] = ()
    looked: tuple[str, ...] = ()
    own_flips: tuple[float, float] = (0.0, 0.0)
    after: tuple[float, ...] = ()
    shifts: Mapping[str, float] | None = None
    filling: int = 0
    otherwise_before: tuple[int, int] | None = None
    is_unknown_before: bool = False

    @property
    def is_watched(self) -> bool:
        """True if the accepted run has enough examples, and the judge was asked about them again at least once."""
        return sum(self.sizes) >= FEWEST_ANCHORS and bool(self.flips)

    @property
    def now(self) -> float:
        """Evidence that the judge has changed, after the last look; 1 means no evidence."""
        return self.after[-1] if self.after else 1.0

    @property
    def has_rung(self) -> bool:
        """True if the evidence reached the alarm, or if the judge had drifted before its runs were accepted."""
        return self.otherwise_before is not None or rings_in(self.after, LOOKS_ALARM) is not None

    def flips_since(self, day: date) -> tuple[Floats, Floats, Floats]:
        """Return the mean number of flips in a look, the number of examples, and the usual flip rate, shape (2,) each.

        The first entry is of the examples that the judge failed in the accepted run, the second of those it passed. A
        flip is a decision that differs from that of the accepted run. The mean is over the looks since `day`; if there
        are none, the last look counts. The usual flip rate is how often an accepted run
        decides otherwise than most other accepted runs.
        """
        since = [flips for flips, looked in zip(self.flips, self.looked, strict=True) if looked >= day.isoformat()]
        sizes = np.maximum(np.array(self.sizes, dtype=np.float64), 1.0)
        return np.mean(since or self.flips[-1:], axis=0), sizes, np.array(self.own_flips)


def anchor_ids(accepted: Accepted) -> list[str]:
    """Return the ids of the accepted run's examples to ask the judge about again, ordered by hash."""
    ids = {rating.id for rating in accepted.ratings}
    return sorted(ids, key=lambda unit: (hash_share("anchors", unit), unit))[:MOST_ANCHORS]


def read_anchors(folder: Path) -> list[AnchorLook]:
    """Read the looks, in which the judge was asked again, from a calibration folder: each once, the earliest first.

    Raises:
        RatingError: A line isn't the record of a look.
    """
    path = folder / ANCHORS_FILE
    looks: dict[str, AnchorLook] = {}
    for line_number, line in json_lines(path, RatingError) if path.is_file() else ():
        try:
            look = AnchorLook.from_json(line)
        except (KeyError, TypeError, ValueError) as error:
            raise RatingError(f"isn't a look at accepted examples: {error!r}", path=path, line=line_number) from error
        looks.setdefault(f"{look.day} {look.at} {look.setting} {look.accepted}", look)
    return [looks[key] for key in sorted(looks)]


def add_anchor_look(folder: Path, look: AnchorLook) -> None:
    """Append a look, in which the judge was asked again, to the file of looks in a calibration folder.

    Raises:
        UsageError: The file can't be written.
    """
    path = folder / ANCHORS_FILE
    with writing(path):
        append_merged(path, [look.to_json()], folder, f"{ANCHORS_FILE} merge=union\n")


def setting_of(judge: str, rubric: Rubric) -> str:
    """Return a digest that identifies a judge together with a rubric, so that a change of either is noticed."""
    return digest(judge, rubric.fingerprint)


def weigh_looks(accepted: Accepted, grades: Sequence[Grade], samples: int, judge: str) -> tuple[float, ...]:
    """Record a judge's new grades as looks, and return the evidence after each look that the judge changed.

    A look is one time that the judge is asked again about the examples of its accepted runs.

    Args:
        accepted: The accepted runs.
        grades: The judge's new grades of their examples in this calibration; empty if it gave no new replies.
        samples: Number of samples that each grade combines.
        judge: The judge's fingerprint.

    Returns:
        The evidence that the judge moved, after each look that counts; empty if the judge isn't watched.
    """
    wanted = frozenset(anchor_ids(accepted))
    if accepted.path.name != ACCEPTED or len(wanted) < FEWEST_ANCHORS:
        return ()
    folder = accepted.path.parent
    setting = setting_of(judge, accepted.setting.rubric)
    recorded = [look for look in read_anchors(folder) if look.setting == setting]
    moment = datetime.now(UTC)
    looks = []
    of_accepted = [grade for grade in grades if grade.id in wanted and grade.error is None]
    for index, ratings in enumerate(_looks_in(of_accepted, accepted.setting.rubric, samples)):
        if len({rating.id for rating in ratings}) >= len(wanted) / 2:
            at = (moment + timedelta(microseconds=index)).isoformat(timespec="microseconds")
            looks.append(AnchorLook.of_ratings(accepted, ratings, at=at, day=at[:DAY], setting=setting))
    with suppress(UsageError):
        for look in looks:
            add_anchor_look(folder, look)
    return judge_moved(accepted, [*recorded, *looks]).after


def _looks_in(grades: Sequence[Grade], rubric: Rubric, samples: int) -> Iterator[list[Rating]]:
    """Yield the judge's ratings of each look (one time that it was asked about the examples) from its grades.

    If the rubric asks for one sample, each sample of the grades is a look. Otherwise all samples together are one look,
    or none if there are fewer than the rubric asks for.
    """
    if samples > rubric.samples == 1 and not rubric.is_of_pairs:
        for sample in range(samples):
            yield [_of_sample(grade, sample) for grade in grades if _has_samples(grade, samples)]
    elif samples >= rubric.samples:
        yield [rating for grade in grades for rating in ratings_of(grade, rubric, "judge")]


def _has_samples(grade: Grade, samples: int) -> bool:
    return all(len(verdict.votes) == samples for verdict in grade.verdicts.values())


def _of_sample(grade: Grade, sample: int) -> Rating:
    levels = {name: Rated(verdict.votes[sample]) for name, verdict in grade.verdicts.items()}
    return Rating(grade.id, "judge", "model", levels)


def judge_moved(
    accepted: Accepted, looks: Iterable[AnchorLook], since: date | None = None, begun: str | None = None
) -> AnchorWatch:
    """Compute the evidence that the judge has changed, from the looks at the examples of its accepted runs.

    Args:
        accepted: The accepted runs.
        looks: Looks at the examples of these runs, and at those of earlier accepted runs.
        since: The day from which looks count; None for all.
        begun: The time from which looks at earlier accepted runs count, as evidence that the judge had moved before the
            present runs were accepted; None to count no such looks.
    """
    if not accepted.ratings:
        return AnchorWatch()
    rubric = accepted.setting.rubric
    ids = anchor_ids(accepted)
    all_looks = list(looks)
    compared = [look for look in all_looks if look.accepted == accepted.digest]
    runs = [_decisions_and_levels(_accepted_run(accepted, ratings), ids, rubric) for ratings in accepted.runs]
    filling = compared[: max(0, FEWEST_ACCEPTED_RUNS - len(runs))]
    runs += [_decisions_and_levels(look, ids, rubric) for look in filling]
    decisions = np.array([decided for decided, _ in runs])
    majority = _majority(decisions)
    sides = [majority == side for side in (FAIL_SIDE, PASS_SIDE)]
    counted = [look for look in compared[len(filling) :] if since is None or look.day >= since.isoformat()]
    latest = [_decisions_and_levels(look, ids, rubric) for look in counted]
    flips = [_flips(decided, majority, sides) for decided, _ in latest]
    fails, passes = sides
    watch = AnchorWatch(
        sizes=(int(fails.sum()), int(passes.sum())),
        flips=tuple(flips),
        looked=tuple(look.day for look in counted),
        own_flips=(_own_flips(decisions[:, fails]), _own_flips(decisions[:, passes])),
        filling=len(filling),
    )
    if len(runs) < 2 or sum(watch.sizes) < FEWEST_ANCHORS:
        return watch
    still = [_most_flips_when_still(decisions[:, side]) for side in sides]
    before_acceptance = [
        _decisions_and_levels(look, ids, rubric)[0] for look in _looks_before(all_looks, accepted, begun)
    ]
    shared = [decided for decided in before_acceptance if _n_shared(decided, majority) >= FEWEST_ANCHORS]
    watch = replace(
        watch,
        otherwise_before=_otherwise_before(shared, majority, sides, still),
        is_unknown_before=bool(before_acceptance) and not shared,
    )
    if not latest:
        return watch
    before = [levels for _, levels in runs]
    shifts = {
        c.name: _shifts([run[c.name] for run in before], [run[c.name] for _, run in latest]) for c in rubric.criteria
    }
    moved = {name: float(np.nanmean(of[-1])) for name, of in shifts.items() if not np.isnan(of[-1]).all()}
    horizons = [slice(begin, begin + HORIZON) for begin in range(0, len(latest), HORIZON)]
    after = [
        _evidence(rubric, before, watch.sizes, still, flips[of], {name: all_of[of] for name, all_of in shifts.items()})
        for of in horizons
    ]
    return replace(watch, after=tuple(np.concatenate(after).tolist()), shifts=moved)


def _looks_before(looks: Sequence[AnchorLook], accepted: Accepted, begun: str | None) -> list[AnchorLook]:
    """Return the looks made before the present runs were accepted, if they had the present rubric and judge.

    Args:
        looks: All looks, in the order of their times.
        accepted: The present accepted runs.
        begun: The time from which looks count; None to count none.
    """
    if begun is None:
        return []
    compared = [look for look in looks if look.accepted == accepted.digest]
    settings = {look.setting for look in compared or looks[-1:]}
    return [
        look for look in looks if look.accepted != accepted.digest and look.setting in settings and look.at >= begun
    ]


def _n_shared(decided: Floats, majority: Floats) -> int:
    """Count the examples with a decision in a look and with a majority decision in the accepted runs.

    Args:
        decided: The judge's decisions in the look, nan if missing.
        majority: Its majority decisions in the accepted runs, on the same examples; nan if missing.
    """
    return int((~np.isnan(decided) & ~np.isnan(majority)).sum())


def _otherwise_before(
    earlier: Sequence[Floats], majority: Floats, sides: Sequence[Flags], still: Sequence[float]
) -> tuple[int, int] | None:
    """Count how often the judge decided differently in looks before the accepted runs, if it had moved by then.

    A decision is different if it isn't that of most accepted runs.

    Args:
        earlier: The decisions in looks before these runs were accepted, each of shape (n_examples,), nan if missing.
        majority: The decision of most accepted runs, shape (n_examples,), nan for a tie.
        sides: Two arrays of flags: of the examples that the accepted runs fail, and of those that they pass.
        still: For each of these two groups, the largest share of flips with which a judge counts as unchanged.

    Returns:
        The number of different decisions in the look that has most of them, and the number of examples that this look
        shares with the accepted runs; None if the looks don't show that the judge moved.
    """
    flips = [_flips(decided, majority, sides) for decided in earlier]
    sizes = [[int((~np.isnan(decided) & side).sum()) for side in sides] for decided in earlier]
    by_side = [
        evidence([decision_growth(flipped[side], size[side], still=still[side]) for flipped, size in looks])
        for side in (FAIL_SIDE, PASS_SIDE)
        if (looks := list(zip(flips, sizes, strict=True))[-HORIZON:]) and min(size[side] for _, size in looks) >= 2
    ]
    if not by_side or rings_in(np.mean(by_side, axis=0), LOOKS_ALARM) is None:
        return None
    return max((sum(flipped), sum(size)) for flipped, size in zip(flips, sizes, strict=True))


def _evidence(
    rubric: Rubric,
    before: Sequence[Mapping[str, Floats]],
    sizes: Sequence[int],
    still: Sequence[float],
    flips: Sequence[tuple[int, int]],
    shifts: Mapping[str, Sequence[Floats]],
) -> Floats:
    """Compute the evidence after each look that the judge changed: the mean of evidence by decisions and by levels.

    Args:
        rubric: The rubric.
        before: The levels in each accepted run, by criterion, each of shape (n_examples,).
        sizes: Number of examples that the accepted runs fail, and number that they pass.
        still: For accepted fails, and for accepted passes, the largest share of flips with which a judge counts as
            unchanged.
        flips: For each look, the number of flipped decisions among accepted fails, and among accepted passes.
        shifts: For each criterion and look, each example's level minus its mean level in the accepted runs.
    """
    by_decisions = [
        evidence([decision_growth(of_look[side], size, still=still[side]) for of_look in flips])
        for side, size in enumerate(sizes)
        if size >= 2
    ]
    by_levels = list(_level_evidence(rubric, before, shifts))
    parts = [np.mean(of_part, axis=0) for of_part in (by_decisions, by_levels) if of_part]
    return np.asarray(np.mean(parts, axis=0)) if parts else np.ones(len(flips))


def _accepted_run(accepted: Accepted, ratings: Sequence[Rating]) -> AnchorLook:
    """Convert an accepted run's ratings to a look, dated to the day when the run was accepted."""
    return AnchorLook.of_ratings(accepted, ratings, at=accepted.date, day=accepted.date, setting=accepted.digest)


def _decisions_and_levels(look: AnchorLook, ids: Sequence[str], rubric: Rubric) -> tuple[Floats, dict[str, Floats]]:
    """Return a look's decisions, and its levels by criterion as shares of the scale's range; nan if missing.

    Both are the judge's answers at that time about the given examples.
    """
    decided = np.array([float(look.passes[unit]) if unit in look.passes else np.nan for unit in ids])
    levels = {}
    for criterion in rubric.criteria:
        of_criterion = look.levels.get(criterion.name, {})
        levels[criterion.name] = np.array([of_criterion.get(unit, np.nan) for unit in ids]) / criterion.scale.span
    return decided, levels


def _majority(decisions: Floats) -> Floats:
    """Return, for each example, the decision of most accepted runs; nan for a tie."""
    with np.errstate(invalid="ignore"):
        passes = (decisions == 1).sum(axis=0) / np.maximum((~np.isnan(decisions)).sum(axis=0), 1)
    is_known = (~np.isnan(decisions)).any(axis=0) & (passes != 0.5)
    return np.where(is_known, (passes > 0.5).astype(np.float64), np.nan)


def _flips(decided: Floats, majority: Floats, sides: Sequence[Flags]) -> tuple[int, int]:
    has_flipped = ~np.isnan(decided) & (decided != majority)
    fails, passes = (int((has_flipped & side).sum()) for side in sides)
    return fails, passes


def _most_flips_when_still(runs: Floats) -> float:
    """Estimate the largest share of decisions that an unchanged judge flips, from how its accepted runs differ."""
    is_whole = ~np.isnan(runs).any(axis=0)
    return flips_when_still(runs[:, is_whole].T) if is_whole.sum() >= 2 else 0.5


def _own_flips(runs: Floats) -> float:
    """Return the mean share of decisions in an accepted run that differ from the majority of the other accepted runs.

    If the other runs tie on an example, that counts as half a difference. Only examples decided in every run count.

    Args:
        runs: Decisions of each run, 1 for pass and 0 for fail, shape (n_runs, n_examples), nan if missing.
    """
    is_whole = ~np.isnan(runs).any(axis=0)
    whole = runs[:, is_whole]
    if whole.shape[0] < 2 or not whole.shape[1]:
        return 0.0
    others = (whole.sum(axis=0) - whole) / (len(whole) - 1)
    return float(np.where(others == 0.5, 0.5, whole != (others > 0.5)).mean())


def _shifts(before: Sequence[Floats], latest: Sequence[Floats]) -> list[Floats]:
    """Return, for each look, each example's level minus its mean level in the accepted runs.

    Args:
        before: The examples' levels on a criterion in each accepted run, nan if missing.
        latest: The examples' levels on the criterion in each look, nan if missing.
    """
    counts = (~np.isnan(before)).sum(axis=0)
    mean = np.where(counts > 0, np.nansum(before, axis=0) / np.maximum(counts, 1), np.nan)
    return [levels - mean for levels in latest]


def _level_evidence(
    rubric: Rubric, before: Sequence[Mapping[str, Floats]], shifts: Mapping[str, Sequence[Floats]]
) -> Iterator[Floats]:
    """Yield the evidence after each look that the judge's levels moved: two arrays for each criterion.

    The first is the evidence that the levels rose, the second that they fell.

    Args:
        rubric: The rubric.
        before: Levels of each accepted run, by criterion.
        shifts: For each look, each example's level minus its mean level in the accepted runs, by criterion.
    """
    for criterion in rubric.criteria:
        runs = np.array([run[criterion.name] for run in before])
        is_whole = ~np.isnan(runs).any(axis=0)
        if is_whole.sum() < 2:
            continue
        whole = runs[:, is_whole]
        means = whole.mean(axis=1)
        within = float(whole.var(axis=0, ddof=1).sum()) / whole.shape[1] ** 2
        margin = level_margin(len(whole), float(means.var(ddof=1)), within)
        cut = 1.0 if criterion.scale.is_yes_no else LEVEL_CUT
        looks = [shift[is_whole & ~np.isnan(shift)] for shift in shifts[criterion.name]]
        growths = np.array([level_growths(look, margin, cut=cut) for look in looks]).swapaxes(0, 1)
        yield from evidence(growths)

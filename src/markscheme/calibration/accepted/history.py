"""Functions that compare a new run with the accepted runs of its rubric, and that add it to them."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from markscheme.calibration.accepted.acceptance import accept, accepting, joinable
from markscheme.calibration.accepted.further_files import RunBasis
from markscheme.calibration.calibration import Calibration
from markscheme.calibration.earlier_runs.accepted_basis import DRIFT_MARGIN, AcceptedBasis, why_incomparable
from markscheme.calibration.earlier_runs.comparing import LOOK_RECORDS
from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.calibration.earlier_runs.run_identity import (
    MOST_RUNS,
    Accepted,
    RunIdentity,
    changes_between,
    need_replay,
    submission_digest,
)
from markscheme.calibration.judge_runs import rated_by
from markscheme.calibration.options import AcceptingOptions
from markscheme.errors import BudgetError, ComparisonError, RatingError, RatingWarning, UsageError
from markscheme.files import append_text
from markscheme.fingerprint import fingerprint
from markscheme.grading import Grade
from markscheme.judges import cache_folder
from markscheme.judges.judge import GradingJudge, Usage, total
from markscheme.judges.options import AskOptions
from markscheme.judges.recorded import RecordedJudge
from markscheme.judges.remembering import Remembering
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rating
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.estimate import Reason

_AcceptedRun = TypeVar("_AcceptedRun")
COUNTED = "compared"
"""Folder in the cache with a file for each accepted run, which has one line per run compared with the accepted one."""


class AcceptedRuns(NamedTuple):
    """The accepted runs in a file. A new run is compared with them or, if it is accepted too, added to them.

    Attributes:
        path: The accepted.json of the accepted runs.
        accepting: Options on how the new run is compared with the accepted runs, and on whether it joins them.
        notify: Called with a sentence for the user.
    """

    path: Path
    accepting: AcceptingOptions
    notify: Callable[[str], None] | None

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Lock the accepted runs until the `with` block has asked the judge and added its run.

        Otherwise a run that another process adds meanwhile could get the same sample numbers.
        """

        def busy() -> None:
            if self.notify is not None:
                self.notify(f"waiting: another process is accepting a run in {self.path}")

        with accepting(self.path, busy):
            yield

    def before(self, current: RunIdentity, examples: Sequence[Example], more: int) -> int:
        """Count the accepted runs to which a new run will be added; the count is the new run's first sample number.

        Args:
            current: The setting of the new run.
            examples: The examples of the new run that have gold.
            more: Number of runs that are to be accepted.

        Raises:
            UsageError: With the new runs there would be more than may be kept.
        """
        accepted, _ = joinable(self.path, current, examples, start_over=self.accepting.replace, is_asked=False)
        before = 0 if accepted is None else len(accepted.runs)
        if before + more > MOST_RUNS:
            full = f"{before} runs are accepted in {self.path}; {more} more would exceed {MOST_RUNS}"
            raise UsageError(f"{full}: --accept --replace starts over")
        return before

    def since(
        self, rubric: Rubric, examples: ExampleSet, ratings: Sequence[Rating], *, of_other_examples: bool, count: bool
    ) -> AcceptedBasis | None:
        """Return the accepted runs and how a new run is to be compared with them; None if there is no accepted run.

        Args:
            rubric: The rubric of the new run.
            examples: The examples of the new run.
            ratings: The judge's ratings in the new run.
            of_other_examples: True if the user named examples other than the rubric's own dev split. Then, if the runs
                have nothing in common, a warning is given instead of an error, and None is returned.
            count: True to record the new run as one more comparison with the accepted runs. It is recorded only if the
                options ask for a check of drift and don't accept the run.

        Raises:
            ComparisonError: The accepted run has nothing in common with the new one, which isn't to be accepted in its
                place, and `of_other_examples` is False.
        """
        accepting = self.accepting
        accepted = loaded_unless_replaced(load_accepted, self.path, accepting=accepting.accept)
        if accepted is None:
            return None
        why = why_incomparable(accepted, rubric, examples.examples)
        if why is not None:
            _refuse(why, accepting, of_other_examples=of_other_examples)
            return None
        run = accepting.run_number or _run_number(
            accepted, ratings, count=count and accepting.check and not accepting.accept
        )
        planned = accepting.planned_runs
        if planned is not None and run > planned:
            more = f"this is comparison {run} with {self.path}, and {planned} were planned"
            likelier = "false alarms are likelier than planned; accept a new run"
            warnings.warn(f"{more}: {likelier}", RatingWarning, stacklevel=2)
            run = planned
        margin = accepting.drift_margin or DRIFT_MARGIN
        return AcceptedBasis(accepted, run, planned, margin, accepting=accepting.accept, start_over=accepting.replace)

    def replayed(
        self,
        since: AcceptedBasis,
        current: RunIdentity,
        examples: Sequence[Example],
        ask: AskOptions,
        *,
        judge: GradingJudge,
        opened: Callable[[], GradingJudge],
        close: bool,
    ) -> tuple[AcceptedBasis, Usage]:
        """Grade by the accepted rubric with today's judge if rubric and judge both changed, to separate their effects.

        Args:
            since: The accepted runs.
            current: The setting of this run.
            examples: The examples of this run.
            ask: How the judge is asked.
            judge: The judge of this run.
            opened: Function that opens the judge once more.
            close: True to close the judge at the end.

        Returns:
            `since`, to which the ratings are added if anything was graded, and the cost.
        """
        accepted = since.accepted
        replaying = _replaying_judge(judge, opened, may_ask=self.accepting.replay)
        if replaying is None or accepted is None or not need_replay(changes_between(accepted.setting, current)):
            return since, Usage()
        try:
            ratings, grades = rated_by(replaying, accepted.setting.rubric, examples, ask, what="replaying", close=close)
        except BudgetError as error:
            warnings.warn(f"{error}; nothing is replayed", RatingWarning, stacklevel=2)
            return since, Usage()
        return replace(since, replayed=tuple(ratings)), total(grade.usage for grade in grades)

    @staticmethod
    def with_looks(
        since: AcceptedBasis, current: RunIdentity, labelled: Sequence[Example], grades: Sequence[Grade], members: int
    ) -> AcceptedBasis:
        """Return the accepted runs with the evidence of drift from this and all earlier comparisons with them.

        Args:
            since: The accepted runs.
            current: The setting of this run.
            labelled: The examples of this run.
            grades: New grades of these examples, which count as one more comparison.
            members: Number of judges that each grade combines.
        """
        then = since.accepted
        if then is None or since.accepting:
            return since
        if any(change.key != "samples" for change in changes_between(then.setting, current)):
            return since
        unchanged = {e.id for e in labelled if then.submissions.get(e.id) == submission_digest(e)}
        of_accepted = [grade for grade in grades if grade.id in unchanged]
        judge = "" if current.identity is None else replace(current.identity, without=()).fingerprint
        samples = current.rubric.samples if members == 1 else then.setting.rubric.samples
        looks = (evidence for weigh in LOOK_RECORDS for evidence in weigh(then, of_accepted, samples, judge))
        return replace(since, looks=tuple(looks))

    def accept(self, calibrations: Sequence[Calibration], split: str | None, basis: "RunBasis | None") -> None:
        """Accept a run; if few examples are graded or the judge mustn't be used, only warn and accept nothing.

        Args:
            calibrations: The calibrations of the run, one for each judge.
            split: The split that was measured; None if the examples have no splits.
            basis: The examples of the run with their files, and its options; None if the run isn't from files.

        Raises:
            UsageError: There isn't exactly one calibration, since only one judge's runs are accepted.
        """
        if len(calibrations) != 1:
            names = ", ".join(calibration.rater.name for calibration in calibrations)
            raise UsageError(f"--accept keeps the run of one judge; there are {len(calibrations)}: {names}")
        (calibration,) = calibrations
        problem = why_not_accepted(calibration, force=self.accepting.force)
        if problem is not None:
            warnings.warn(f"not accepted: {problem}", RatingWarning, stacklevel=2)
            return
        accepted = accept(calibration, self.path, split=split, start_over=self.accepting.replace, basis=basis)
        if self.notify is not None:
            self.notify(f"accepted: {self.path}: {accepted}")


def loaded_unless_replaced(load: Callable[[Path], _AcceptedRun], path: Path, *, accepting: bool) -> _AcceptedRun | None:
    """Load the accepted run in a file; if it can't be read, but this run will replace it, warn and return None.

    Args:
        load: Function that loads the run in the file.
        path: The file.
        accepting: True if this run is to be accepted, and so replaces the file.

    Raises:
        RatingError: The file can't be read, and `accepting` is False.
    """
    try:
        return load(path)
    except RatingError as error:
        if not accepting:
            raise
        warnings.warn(f"not compared with the run accepted before: {error}", RatingWarning, stacklevel=2)
        return None


def _refuse(why: Reason, accepting: AcceptingOptions, *, of_other_examples: bool) -> None:
    """Raise an error about an accepted run that can't be compared, unless the new run is to replace it.

    Only a warning is given if the user named other examples and no accepted run.

    Args:
        why: The reason why the accepted run can't be compared.
        accepting: Options on the accepted run: which one is compared, and if the new run is accepted.
        of_other_examples: True if the user named other examples than the rubric's own.

    Raises:
        ComparisonError: The accepted run can't be compared.
    """
    if accepting.accept:
        return
    if accepting.accepted is None and of_other_examples:
        warnings.warn(f"not compared with the accepted run: {why}", RatingWarning, stacklevel=2)
        return
    raise ComparisonError(f"{why}; accept a new run with --accept")


def _run_number(accepted: Accepted, ratings: Sequence[Rating], *, count: bool) -> int:
    """Return which comparison with the accepted runs this is, from 1; ratings compared before keep their number.

    Args:
        accepted: The accepted runs.
        ratings: The ratings to compare.
        count: True to record new ratings, so that the next comparison has a higher number.
    """
    file = cache_folder() / COUNTED / f"{accepted.digest[:16]}.txt"
    levels = [[r.id, r.sample, {name: rated.level for name, rated in r.criteria.items()}, r.overall] for r in ratings]
    this = fingerprint(sorted(levels, key=lambda level: (level[0], level[1])))
    try:
        seen = file.read_text(encoding="ascii").split() if file.is_file() else []
        if this in seen:
            return seen.index(this) + 1
        if count:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            append_text(file, f"{this}\n")
        return len(seen) + 1
    except (OSError, UnicodeDecodeError) as error:
        problem = f"comparisons with the accepted run are not counted: {error}"
        warnings.warn(problem, RatingWarning, stacklevel=2)
        return 1


def _replaying_judge(
    judge: GradingJudge, reopened: Callable[[], GradingJudge], *, may_ask: bool
) -> GradingJudge | None:
    """Return today's judge to grade by the accepted rubric; None if it may not be asked and has no stored replies.

    Args:
        judge: Today's judge.
        reopened: Function that opens today's judge a second time.
        may_ask: True if the judge may be asked; False to use only its recorded or cached replies.
    """
    if may_ask:
        return reopened()
    if isinstance(judge, Remembering):
        return replace(judge, may_ask=False)
    return judge if isinstance(judge, RecordedJudge) else None


def why_not_accepted(calibration: Calibration, *, force: bool) -> Reason | None:
    """Return the reason why a run isn't accepted; None if it is.

    Args:
        calibration: The calibration of the run.
        force: True if the run is accepted even if the judge can neither gate nor be used for trends.
    """
    if calibration.counts.too_few_graded:
        return Reason("many-ungraded", {"examples": calibration.counts.not_graded})
    if not calibration.decision.is_usable and not force:
        return Reason("unusable", {"judge": calibration.rater.name, "use": calibration.decision.use})
    return None

"""A Calibration, everything a report shows, from a rubric, labelled examples and a judge's ratings."""

import math
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from markscheme.calibration.carried_labels import CarriedLabels
from markscheme.calibration.comparison.comparison import Comparison, compare
from markscheme.calibration.comparison.limits import ErrorLimits
from markscheme.calibration.comparison.policy import UseQuestion, VerdictName
from markscheme.calibration.comparison.trend import TrendEvidence, trend_asked
from markscheme.calibration.comparison.verdict import Decision
from markscheme.calibration.decision import by_old_words, decide
from markscheme.calibration.earlier_runs.comparing import COMPARE_RUNS
from markscheme.calibration.earlier_runs.run_identity import RunIdentity, template_fingerprint
from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.findings.diagnosis import findings_of
from markscheme.calibration.findings.finding import Finding
from markscheme.calibration.findings.kinds import STALE_LABELS
from markscheme.calibration.findings.slices import Slice, slices_of
from markscheme.calibration.findings.table import CAN_IMPROVE
from markscheme.calibration.further_figures import FURTHER_FIGURES
from markscheme.calibration.options import AcceptingOptions, LabelOptions
from markscheme.calibration.results import Reported
from markscheme.errors import NothingGraded
from markscheme.grading import MOST_UNGRADED
from markscheme.grading.receipt import Use
from markscheme.judges.judge import AskedWithout, Identity, Usage
from markscheme.judges.kinds import DEFAULT, kind_of, panel_names
from markscheme.judges.options import AskOptions
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import gold_of
from markscheme.ratings.rating import Declined, Rating
from markscheme.ratings.splits import Openings
from markscheme.rubrics.rubric import Rubric

if TYPE_CHECKING:
    from markscheme.calibration.earlier_runs.accepted_basis import AcceptedBasis, RunsCompared
    from markscheme.readers.tabular.reading import TableReading

TOO_FEW_GRADED = 5
"""Exit status where over a tenth of the examples couldn't be graded."""
_DIGEST = re.compile(r"\b[0-9a-f]{16}\b")


@dataclass(frozen=True)
class Rater:
    """The judge that was calibrated.

    Attributes:
        name: Its name in reports.
        fingerprint: The judge's fingerprint; "" if only its ratings are known.
        source: "live" if the judge was asked, "recorded" if a recording answered, "ratings" if its ratings were read.
        provenance: Source of recorded replies or ratings; None if it isn't known.
        identity: What identifies the judge; None if only its ratings are known.
        answered_by: Models that answered, by the names in their replies.
        ways: For each set of parameters that requests left out, since the server doesn't take them, the number of
            examples graded by replies to such requests.
        recording: The file of recorded replies that answered; None for any other judge.
        named: Shell arguments by which printed commands name the rubric, or the files; None means the rubric's name.
        options: Options that name the same judge or ratings to `calibrate` again, such as "--ratings judge.jsonl".
        examples: The file of examples that was named; None for the rubric's own.
        ask: How the judge was asked; None if its ratings were read.
        families: Families of options that say what the judge was compared with.
        has_rubric: True if `named` is a rubric, which `label` and `improve` need; Promptfoo's results have none.
        may_be_accepted: True if `--accept` can keep the run; a table's can't be compared with a later one.
        rated_table: If the ratings are from a table without a rubric, the table as it was read and the name of the
            criterion whose columns are compared ("" if the table has only one criterion); None for other ratings.
        members: Number of judges of a panel; 1 for any other judge.
        member_votes: Levels by the members of a panel, by example id and criterion; only where all members gave one.
    """

    name: str
    fingerprint: str
    source: Literal["live", "recorded", "ratings"]
    provenance: str | None = None
    identity: Identity | None = None
    answered_by: tuple[str, ...] = ()
    recording: Path | None = None
    named: str | None = None
    options: str | None = None
    examples: Path | None = None
    ask: AskOptions | None = None
    families: tuple[LabelOptions | AcceptingOptions, ...] = ()
    has_rubric: bool = True
    may_be_accepted: bool = True
    rated_table: "tuple[TableReading, str] | None" = None
    members: int = 1
    member_votes: Mapping[tuple[str, str], tuple[float, ...]] = field(default_factory=dict)
    ways: Mapping[AskedWithout, int] = field(default_factory=dict)

    @property
    def table(self) -> "TableReading | None":
        """The table that was calibrated, if there was no rubric; else None."""
        return None if self.rated_table is None else self.rated_table[0]

    @property
    def models(self) -> str:
        """Names of the model that was asked and of the models that answered."""
        model = (self.identity.model or self.identity.name) if self.identity else self.name
        return ", ".join(dict.fromkeys((model, *self.answered_by)))

    @property
    def proposer(self) -> str:
        """Name of a model that can propose new wordings, as a shell argument.

        It is this judge or, if the judge is a panel, its first member that can propose; the default judge if none can.

        Example:
            >>> [Rater(name, "", "live").proposer for name in ("local:m.gguf+openai:gpt-5", "local:m.gguf")]
            ['openai:gpt-5', 'anthropic']
        """
        kinds = {name: kind_of(name) for name in panel_names(self.name)}
        models = [name for name, kind in kinds.items() if kind is not None and kind.proposes]
        return shlex.quote(models[0]) if models else DEFAULT.name

    @property
    def samples(self) -> int:
        """Number of samples that an option asks for, else 1; if the run is accepted, each sample is kept as a run."""
        return 1 if self.ask is None else self.ask.samples or 1

    def setting(self, rubric: Rubric) -> RunIdentity:
        """Return everything that determines the rater's ratings, to compare with another run."""
        return RunIdentity(rubric, template_fingerprint(), self.name, self.identity, self.answered_by)


@dataclass(frozen=True)
class Counts:
    """Counts of examples, replies, quotes, labels and even splits of annotators.

    Quotes and even splits are counted per criterion, so that one example may have several.
    """

    examples: int
    graded: int
    abstained: int
    not_graded: int
    from_cache: int
    unread: int
    quotes: int
    quotes_not_found: int
    stale_labels: int
    set_aside: int
    even_splits: int

    @property
    def too_few_graded(self) -> bool:
        """True if more than a tenth of the examples could not be graded."""
        return self.not_graded > MOST_UNGRADED * self.examples


@dataclass(frozen=True, slots=True, repr=False)
class DecisionCounts:
    """The two-by-two table of pass and fail by gold and by the judge, with the number of examples in each cell.

    Attributes:
        true_passes: Number of examples that both pass.
        false_passes: Number of examples that the judge passes and gold fails.
        false_fails: Number of examples that gold passes and the judge fails.
        true_fails: Number of examples that both fail.

    Example:
        >>> DecisionCounts(90, 5, 3, 14)
                     gold passes  gold fails
        judge passes          90           5
        judge fails            3          14
        >>> DecisionCounts(90, 5, 3, 14).table
        ((90, 5), (3, 14))
    """

    true_passes: int
    false_passes: int
    false_fails: int
    true_fails: int

    @property
    def table(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The counts: a row for each decision of the judge and a column for each decision of gold, passes first."""
        return (self.true_passes, self.false_passes), (self.false_fails, self.true_fails)

    def __repr__(self) -> str:
        lines = ["             gold passes  gold fails"]
        for (passes, fails), name in zip(self.table, ("judge passes", "judge fails"), strict=True):
            lines.append(f"{name:<12} {passes:>11} {fails:>11}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the table as HTML for a notebook cell."""
        rows = zip(("judge passes", "judge fails"), self.table, strict=True)
        cells = "".join(f"<tr><th>{name}</th><td>{passes}</td><td>{fails}</td></tr>" for name, (passes, fails) in rows)
        return f"<table><tr><th></th><th>gold passes</th><th>gold fails</th></tr>{cells}</table>"


@dataclass(frozen=True, repr=False)
class Calibration(Reported):
    """A judge compared with gold labels, with the verdict on the judge, the findings and the figures that follow.

    Attributes:
        rubric: The rubric by which the judge graded.
        rater: The judge.
        comparison: The judge compared with gold.
        decision: The verdict, what the judge may therefore decide, and why.
        findings: Findings on the judge's faults, those that cost most agreement first.
        counts: Numbers of examples, replies, quotes and labels, by outcome.
        cost: Cost of asking the judge.
        judge_ratings: The judge's ratings.
        labelled: All examples of the set with the labels that count; only a part of them may have been compared.
        baseline: The comparison with the accepted runs; None if there are none.
        repeats: Ratings of further runs of the same judge.
        slices: Groups of examples on which the judge does worse, or better, than on the rest.
        openings: Number of times that a command used held-out labels; None if none are held out.
        part: The split whose examples were compared, and the number of labelled examples in the whole set; None if all
            examples were compared.
        carried: The set's labels, some of them given before a rewording, and which of them count; None if no labels
            are from before a rewording.
        target_is_default: True if neither an option nor the rubric's file sets the target.
        settings_kept: True if the setting of judge and rubric is on record with all other settings tried on these
            labels; None if the labels compared aren't people's, or no such record is kept.
    """

    rubric: Rubric
    rater: Rater
    comparison: Comparison
    decision: Decision
    findings: tuple[Finding, ...]
    counts: Counts
    cost: Usage
    judge_ratings: RatingCodes
    labelled: ExampleSet
    baseline: "RunsCompared | None" = None
    repeats: tuple[Rating, ...] = ()
    slices: tuple[Slice, ...] = ()
    openings: Openings | None = None
    part: tuple[str, int] | None = None
    target_is_default: bool = False
    carried: CarriedLabels | None = None
    settings_kept: bool | None = None

    def __repr__(self) -> str:
        return f"<Calibration of {self.rater.name} on {self.rubric.name}: {self.use}, {self.verdict}>"

    @property
    def verdict(self) -> VerdictName:
        """Verdict on the judge's agreement with gold: ok, adjust, labels-disagree or not-enough-labels."""
        return self.decision.verdict

    @property
    def use(self) -> Use:
        """Use to which the judge may be put: gate (decide alone), trend (averages of its scores), explore or none."""
        return self.decision.use

    @property
    def labels_needed(self) -> int | None:
        """Number of labels to add to decide an open verdict; None if it isn't open, or no number would decide it."""
        return self.decision.labels_needed

    def measured(self, name: str) -> Any:
        """Return the figures that a feature adds to the report, computed once; None if no figures have this name.

        Args:
            name: The name under which the table of measured parts has the figures.
        """
        if name not in self._measured:
            measure = next((measure for part_name, measure in FURTHER_FIGURES if part_name == name), None)
            self._measured[name] = None if measure is None else measure(self)
        return self._measured[name]

    @cached_property
    def _measured(self) -> dict[str, Any]:
        """Cache of the figures that features have computed from this calibration, by name."""
        return {}

    @property
    def most_wrong(self) -> ErrorLimits:
        """The limits on the judge's shares of false passes and false fails, as options or the rubric set them."""
        return self.decision.most_wrong

    def after(self, settings: int, *, on_record: bool | None = None) -> Self:
        """Return the calibration with wider intervals, to account for the settings that were tried on the same labels.

        Args:
            settings: Number of settings that were tried, including the one of this calibration.
            on_record: True if all these settings are on record, False if recording failed; None if no record of tried
                settings is kept.
        """
        if settings == self.comparison.settings:
            return replace(self, settings_kept=on_record)
        comparison = replace(self.comparison, settings=settings)
        decision = decision_of(
            comparison, self.decision.target, self.findings, self.baseline, self.most_wrong, self.slices
        )
        return replace(self, comparison=comparison, decision=decision, settings_kept=on_record)

    @property
    def ratings(self) -> list[dict[str, Any]]:
        """The judge's ratings next to gold, a row of plain values for each example, for pandas or polars.

        A row has `id`, `group`, `rater`, `score`, `gold_score`, `pass`, `gold_pass` and `error`, and for each criterion
        `level.NAME`, `gold_level.NAME` and `reason.NAME`; None where there is no value. Several samples are combined.
        """
        return list(_rows(self.comparison, self.rater.name))

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The calibrated table's rows as dicts: id, gold, judge, whether the two agree, and the decision of each.

        Raises:
            TypeError: The calibration isn't of a table.
        """
        if self.rater.rated_table is None:
            raise TypeError("`rows` are those of a table; `ratings` are those of any calibration")
        table, criterion = self.rater.rated_table
        return list(_frames().rows_of(table, {criterion: self.comparison}))

    def to_frame(self) -> Any:
        """Return a data frame with a row per example; if a table was calibrated, results are added to its columns.

        For any other calibration the columns are `id`, `text`, `gold` and `judge` as scores, `gold_pass` and
        `judge_pass`, and `NAME.gold` and `NAME.judge` for each criterion. Texts of held-out examples are left out.

        Raises:
            UsageError: A new frame is needed, and neither pandas nor polars is installed.
        """
        if self.rater.table is None:
            return _frames().frame_of_examples(self.comparison)
        return _frames().frame_of(self.rater.table, self.rows)

    @property
    def confusion(self) -> DecisionCounts | None:
        """Counts of examples by gold's and the judge's decision; None if nothing says which responses pass."""
        if not self.rubric.has_gate_question:
            return None
        gold = self.comparison.reference.decisions
        judge = self.comparison.passes
        return DecisionCounts(*(int(np.sum((judge == j) & (gold == g))) for j in (1, 0) for g in (1, 0)))

    @property
    def false_passes(self) -> list[Any]:
        """Ids, or a data frame's index labels, of the examples that the judge passes and people fail."""
        return self._ids_in_source(self.comparison.false_passes)

    @property
    def false_fails(self) -> list[Any]:
        """Ids, or a data frame's index labels, of the examples that the judge fails and people pass."""
        return self._ids_in_source(self.comparison.false_fails)

    def _ids_in_source(self, ids: Sequence[str]) -> list[Any]:
        return list(ids) if self.rater.table is None else self.rater.table.as_in_source(ids)

    @property
    def reasons_not_graded(self) -> dict[str, str]:
        """Reasons why examples have no score, by example id; held-out examples are omitted."""
        held_out = self.comparison.gold.held_out_ids
        return {unit: reason for unit, reason in self.all_reasons_not_graded.items() if unit not in held_out}

    @property
    def all_reasons_not_graded(self) -> dict[str, str]:
        """Reasons why examples have no score, by example id; those of held-out examples may quote their texts."""
        comparison = self.comparison
        ungraded = np.flatnonzero(np.isnan(comparison.graded_by)).tolist()
        rated = ((comparison.ids[index], comparison.judge.rating(index)) for index in ungraded)
        return {
            unit: _DIGEST.sub("…", _why_no_score(rating, self.rubric)) if rating else "the judge did not rate it"
            for unit, rating in rated
        }

    @property
    def exit_status(self) -> int:
        """Exit status: 0 ok on human labels, 1 adjust, 4 too few labels, disputed or not human, 5 too many ungraded."""
        return self.exit_status_for(None)

    def exit_status_for(self, required: UseQuestion | None) -> int:
        """Return the exit status for the verdict, or for the question "gate" or "trend"; 5 if too many are ungraded.

        Args:
            required: The question that decides: "gate" or "trend"; None means the verdict.
        """
        return TOO_FEW_GRADED if self.counts.too_few_graded else self.decision.exit_status(required)

    @cached_property
    def commands(self) -> Commands:
        """Builder of the commands to suggest after this calibration."""
        rater = self.rater
        return Commands(
            rubric=rater.named or self.rubric.name,
            judge=rater.options,
            model=rater.proposer,
            asks=rater.source != "ratings",
            has_rubric=rater.has_rubric,
            asks_together=self.rubric.strategy != "per_criterion" and len(self.rubric.criteria) > 1,
            is_usable=self.decision.is_usable,
            can_improve=any(suffice(self.rubric, self.labelled, self.comparison.gold) for suffice in CAN_IMPROVE),
            has_unlabelled=self.labelled.n_unlabelled > 0,
        ).after(rater.examples, rater.ask, *rater.families)


def _frames() -> Any:
    from markscheme.calibration import table_frames  # few results are asked for as rows or as a frame

    return table_frames


def _why_no_score(rating: Rating, rubric: Rubric) -> str:
    """Say why a rating has no score: its error, the judge's reason for giving no level, or a missing level."""
    if rating.error is not None:
        return rating.error
    for criterion in rubric.criteria:
        rated = rating.criteria.get(criterion.name)
        if rated is None:
            return f"no level on {criterion.name}"
        if rated.level is None:
            return rated.reason or f"{rated.declined or 'no level'} on {criterion.name}"
    of_one = rubric.compares == "responses"
    return "no score" if of_one else "the answers in the two orders contradict each other, with no tie"


def _rows(comparison: Comparison, rater: str) -> Iterator[dict[str, Any]]:
    gold = comparison.gold
    judge = comparison.judge
    columns = {
        "score": judge.scores,
        "gold_score": gold.scores,
        "pass": judge.decisions,
        "gold_pass": gold.decisions,
        **{f"level.{name}": levels for name, levels in judge.levels.items()},
        **{f"gold_level.{name}": levels for name, levels in gold.levels.items()},
    }
    values: dict[str, list[Any]] = {name: list(map(_value, column.tolist())) for name, column in columns.items()}
    for criterion in comparison.rubric.criteria:
        if criterion.scale.coded:  # a category has a label, and no value
            for name in (f"level.{criterion.name}", f"gold_level.{criterion.name}"):
                values[name] = [None if code is None else criterion.scale.level_name(code) for code in values[name]]
    for index, example in enumerate(gold.examples):
        rating = judge.rating(index)
        row = {name: column[index] for name, column in values.items()}
        decisions = {name: None if row[name] is None else bool(row[name]) for name in ("pass", "gold_pass")}
        answers = {} if rating is None else rating.criteria
        yield {
            "id": example.id,
            "group": example.group or None,
            "rater": rater,
            **row,
            **decisions,
            **{f"reason.{name}": answers[name].reason if name in answers else None for name in judge.levels},
            "error": None if rating is None else rating.error,
        }


def _value(figure: float) -> float | None:
    return None if math.isnan(figure) else round(figure, 12)


def calibration_of(
    rubric: Rubric,
    examples: ExampleSet,
    ratings: Sequence[Rating],
    rater: Rater,
    *,
    options: LabelOptions = LabelOptions(),
    cost: Usage | None = None,
    from_cache: int = 0,
    since: "AcceptedBasis | None" = None,
    repeats: Sequence[Rating] = (),
    trend: TrendEvidence | None = None,
) -> Calibration:
    """Make a calibration from a judge's ratings of labelled examples.

    Args:
        rubric: The rubric by which the examples were labelled and rated.
        examples: The examples with their labels.
        ratings: The judge's ratings.
        rater: The judge.
        options: The settings of this run.
        cost: Cost of asking the judge.
        from_cache: Number of replies that came from the cache.
        since: The accepted run to compare with; None if there is none.
        repeats: Ratings from further runs of the judge over the same examples, each with a sample number of its own.
            They show how often the judge changes its answers, and count in no figure of agreement.
        trend: Evidence on whether averages of another figure than the score may be shown over time; None to compute it
            for the figure that the setting `trend_on` names, in the options or in the rubric.

    Raises:
        NothingGraded: The judge failed on every example.
        ComparisonError: No labels, no example rated by both, or no example in common with the accepted run.
        UsageError: `trend_on` names a figure whose trends can't be shown.
    """
    ratings = RatingCodes.of(ratings)
    errors = [header.error for header, _ in ratings.header_counts()]
    if errors and all(errors) and all(answer.level is None for _, answer, _ in ratings.answer_counts()):
        raise NothingGraded([error for rating in ratings if (error := rating.error)])
    truth = gold_of(examples, rubric, kind=options.gold, by=options.gold_by)
    comparison = compare(truth.judged(rubric, ratings), of=options.of, tolerance=options.tolerance)
    evidence = trend or trend_asked(comparison.table, (comparison.judge_name, comparison.gold_name), options)
    comparison = replace(comparison, trend=evidence)
    slices = slices_of(comparison)
    every_run = ratings.joined(repeats) if repeats else ratings
    findings = findings_of(comparison, every_run, slices=slices, elsewhere=rater.source == "ratings")
    baseline: RunsCompared | None = None
    if since is not None:
        compare_runs = next(iter(COMPARE_RUNS), None)
        baseline = None if compare_runs is None else compare_runs(since, rater.setting(rubric), comparison, ratings)
    findings = findings_since(baseline, findings)
    return Calibration(
        rubric=rubric,
        rater=replace(rater, families=(options, *rater.families)),
        comparison=comparison,
        decision=decision_of(comparison, options.target, findings, baseline, ErrorLimits.of(options, rubric), slices),
        findings=findings,
        counts=_counts(comparison, examples, from_cache),
        cost=cost or Usage(),
        judge_ratings=ratings,
        labelled=examples,
        baseline=baseline,
        repeats=tuple(repeats),
        slices=slices,
        target_is_default=rater.table is not None and options.target is None,
    )


def findings_since(baseline: "RunsCompared | None", findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Return the findings on a run, with those of its comparison with earlier runs added.

    Findings on changes since the earlier runs are put before `findings`; others, such as that runs differ much, after.

    Args:
        baseline: The comparison with earlier runs; None if there is none, and then nothing is added.
        findings: The findings on this run.
    """
    if baseline is None:
        return findings
    changes = tuple(finding for finding in baseline.findings if finding.kind.cause == "change")
    return (*changes, *findings, *(finding for finding in baseline.findings if finding not in changes))


def by_current_words(calibration: Calibration, carried: CarriedLabels) -> Calibration:
    """Return the calibration with the judge's use lowered if it depends on labels from before a rewording.

    After a rewording, only some labels count for a gate. If the judge can gate by all labels, but not by those alone,
    its use is lowered. If enough examples were labelled again and the new labels agree with the old ones, the finding
    on old labels is dropped, since there is nothing left to label.

    Args:
        calibration: The calibration by all labels.
        carried: The labels, some of them given under an earlier wording of a criterion.
    """
    findings = calibration.findings
    if carried.state == "old labels count":
        findings = tuple(finding for finding in findings if finding.kind != STALE_LABELS)
    calibration = replace(calibration, carried=carried, findings=findings)
    comparison = calibration.comparison
    counts = np.array([unit in carried.for_gate for unit in comparison.ids], dtype=bool)
    if calibration.use != "gate" or counts.all():
        return calibration
    decision = calibration.decision
    if counts.any():
        of_current = comparison.on(counts)
        most_wrong = calibration.most_wrong
        if decide(of_current, target=decision.target, findings=findings, most_wrong=most_wrong).use == "gate":
            return calibration
    return replace(calibration, decision=by_old_words(decision, carried.sentence))


def decision_of(
    comparison: Comparison,
    target: float | None,
    findings: Sequence[Finding],
    baseline: "RunsCompared | None",
    most_wrong: ErrorLimits | None = None,
    slices: Sequence[Slice] = (),
) -> Decision:
    """Decide what a judge may be used for; an alarm about drift since the accepted runs is part of the evidence.

    Args:
        comparison: The judge compared with gold.
        target: Share of examples on which the judge must agree, 0 to 1; None means the rubric's.
        findings: The findings that count.
        baseline: The comparison with the accepted runs; None if there are none.
        most_wrong: Limits on wrong decisions; None means the rubric's.
        slices: The judge's performance on slices of the examples.
    """
    drifted = baseline.headline if baseline is not None and baseline.alarm else None
    return decide(comparison, target=target, findings=findings, drifted=drifted, most_wrong=most_wrong, slices=slices)


def _counts(comparison: Comparison, examples: ExampleSet, from_cache: int) -> Counts:
    answers = [(answer, times) for _, answer, times in comparison.judged.answer_counts()]
    declined: Counter[Declined | None] = Counter()
    for answer, times in answers:
        declined[answer.declined] += times
    graded = int((comparison.graded_by == comparison.graded_by).sum())
    n = len(comparison.gold.examples)
    return Counts(
        examples=n,
        graded=graded,
        abstained=declined["abstained"],
        not_graded=n - graded,
        from_cache=from_cache,
        unread=declined["unread"],
        quotes=sum(times for answer, times in answers if answer.quote is not None),
        quotes_not_found=sum(n for answer, n in answers if answer.quote is not None and answer.quote_found is False),
        stale_labels=examples.stale,
        set_aside=comparison.gold.set_aside,
        even_splits=len(comparison.gold.even_splits),
    )

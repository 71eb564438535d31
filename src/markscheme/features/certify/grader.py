"""Grader by a certificate: asks stages one after the other until one is as certain as the certificate requires."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from shlex import quote

from markscheme.features.certify.judges import CertifiedJudges
from markscheme.grading.by_criterion import GradeOptions, SubmissionGrader
from markscheme.grading.grades import DecidedBy, Fingerprints, Grade
from markscheme.grading.score import certainty_of
from markscheme.grading.strategies import fingerprints_of, strategy_of
from markscheme.judges.all_calls import all_or_first_error
from markscheme.judges.judge import total
from markscheme.options.in_force import with_reading_options
from markscheme.prompts.prompt import Prompt
from markscheme.prompts.submission import Submission
from markscheme.rubrics.rubric import Rubric

NOT_CERTAIN = "no judge is certain enough"
"""Reason why a person should decide, if rubric, judges and labels are still those that were certified."""


def certified_grader(rubric: Rubric, judges: CertifiedJudges, options: GradeOptions) -> "Certified":
    """Make a grader from a certificate's judges; each judge is asked by the strategy of the rubric."""
    strategy = strategy_of(rubric)
    stages = [[strategy.grader(rubric, judge, options) for judge in members] for members in judges.stages]
    return Certified(rubric, judges, stages)


class Certified:
    """Grader that asks judges in turn until one is as certain as a certificate requires; if none is, a person decides.

    Attributes:
        rubric: The rubric to grade by.
        judges: The certificate, with its judges as they were opened.
        stages: The graders of each stage: one for a judge, or one for each member of a panel.
    """

    def __init__(self, rubric: Rubric, judges: CertifiedJudges, stages: Sequence[Sequence[SubmissionGrader]]) -> None:
        self.rubric = rubric
        self.judges = judges
        self.stages = stages

    @cached_property
    def fingerprints(self) -> Fingerprints:
        """Digests of the rubric, its prompts and the judges with their certificate."""
        return fingerprints_of(self.rubric, self.judges)

    def prompts(self, submission: Submission) -> list[Prompt]:
        """Return the prompts of the judge or panel that is asked first, since it is asked about every submission."""
        return self.stages[0][0].prompts(submission)

    def ungraded(self, submission: Submission, why: str) -> Grade:
        """Make a Grade without a score, with the reason why there is none."""
        return replace(self.stages[0][0].ungraded(submission, why), fingerprints=self.fingerprints)

    async def grade(self, submission: Submission) -> Grade:
        """Grade by the first judge or panel that is certain enough; if none is, by the last, for a person to decide."""
        void = self.judges.why_void(self.fingerprints.rubric, self.fingerprints.prompt)
        differs = [void] if void else []
        every: list[Grade] = []
        shown = None
        decided_by = DecidedBy(None, "", None, self._why_ask(differs))
        indices = range(len(self.stages))
        for index in indices[-1:] if void else indices:
            record = self.judges.file.stages[index]
            grades = await all_or_first_error(grader.grade(submission) for grader in self.stages[index])
            every += grades
            decision = stage_decision(grades, record.certainty, self.rubric)
            if decision is None:
                continue
            shown, passed, certainty = decision
            models = sorted({model for grade in grades for model in grade.models})
            why_not = void or self.judges.why_not(index, models, [grade.asked_without for grade in grades])
            differs += [why_not] if why_not and why_not != void else []
            stands = certainty is not None and record.stands(certainty, passed=passed)
            if stands and not why_not:
                decided_by = DecidedBy(index + 1, record.judge, certainty)
                break
            decided_by = DecidedBy(None, record.judge, certainty, self._why_ask(differs))
        return self._as_decided(shown or every[-1], every, decided_by)

    def _why_ask(self, differs: Sequence[str]) -> str:
        """Return why a person should decide: something changed since certification, or no judge is certain enough.

        Args:
            differs: Phrases on what changed since certification; empty if nothing did.
        """
        if not differs:
            return NOT_CERTAIN
        judges = quote(",".join(stage.judge for stage in self.judges.file.stages))
        command = with_reading_options(f"markscheme certify {quote(self.rubric.name)} --judge {judges} --write")
        return f"{'; '.join(differs)}; certify it again: `{command}`"

    def _as_decided(self, shown: Grade, every: Sequence[Grade], decided_by: DecidedBy) -> Grade:
        """Return the grade to show, with the cost of all stages asked, and with the stage that decided, if any did.

        Args:
            shown: The grade of the stage that decided; if people decide, that of the last stage that gave a decision.
            every: The grades by all judges that were asked.
            decided_by: The stage that decided; people if no stage did.
        """
        replies: Counter[str] = Counter()
        for grade in every:
            replies.update(grade.replies)
        scored = None if shown.scored is None else replace(shown.scored, doubtful=decided_by.stage is None)
        return replace(
            shown,
            scored=scored,
            usage=total(grade.usage for grade in every),
            replies=replies,
            spared_tokens=sum(grade.spared_tokens for grade in every),
            models=tuple(sorted({model for grade in every for model in grade.models})),
            fingerprints=self.fingerprints,
            decided_by=None if shown.error is not None else decided_by,
        )


def stage_decision(grades: Sequence[Grade], signal: str, rubric: Rubric) -> tuple[Grade, bool, float | None] | None:
    """Return a stage's decision and its certainty, from its judge's or panel's grades; None if a grade has no decision.

    Args:
        grades: One grade, or one from each member of a panel.
        signal: The signal that ranks the stage's decisions: "probability", "distance" or "votes".
        rubric: The rubric by which it was graded.

    Returns:
        The grade to show to readers, which for a panel is that of a judge that decides with the majority; True if the
        stage passes the response; and the certainty of the decision, None if it can't be ranked.
    """
    scores = [grade.scored for grade in grades if grade.scored is not None and grade.scored.passed is not None]
    if len(scores) < len(grades):
        return None
    if signal != "votes":
        (grade,) = grades
        (score,) = scores
        passed = bool(score.passed)
        certainty = score.certainty if score.chance is not None else None
        if signal == "distance":
            certainty = certainty_of(None, score.score, rubric, passed=passed)
        return grade, passed, certainty
    share = sum(bool(score.passed) for score in scores) / len(scores)
    passed = share > 1 / 2
    like_most = [grade for grade, score in zip(grades, scores, strict=True) if bool(score.passed) == passed]
    with_reasons = [grade for grade in like_most if any(verdict.reason for verdict in grade.verdicts.values())]
    shown, *_ = [*with_reasons, *like_most, *grades]
    return shown, passed, None if share == 1 / 2 else max(share, 1 - share)

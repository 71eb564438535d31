"""Result of a run of `improve`: wordings tried, the test on held-out labels, and the labels needed for an answer."""

from dataclasses import dataclass

from markscheme.features.improve.candidates import Wording
from markscheme.features.improve.confirmation import FinalistsResult
from markscheme.features.improve.search import Search
from markscheme.features.improve.selection import (
    PLANNED_GAIN,
    PLANNED_SD,
    chance_to_find,
    held_out_needed,
    labels_needed,
)
from markscheme.features.improve.trial import TrialPart
from markscheme.judges.cost import Cost
from markscheme.judges.judge import Usage
from markscheme.phrases import counted, number, percent
from markscheme.report.figures import points
from markscheme.rubrics.rubric import Rubric

PLANNED_AGREEMENT = 0.10
"""The gain in agreement that corresponds to a planned gain in MAE."""


@dataclass(frozen=True)
class ImprovementRun:
    """Result of a run of `improve`: wordings tried, the test on held-out labels, and the change to the rubric's file.

    Attributes:
        search: The wordings tried on dev examples, and those refused.
        judge: Name of the judge.
        proposer: Name of the model that wrote new words; "" if all came from files.
        sealed: The labelled examples of the test: the held-out part or, if `outside` is true, all examples.
        answer: The result of the test on the labels of `sealed`; None if they weren't used.
        outside: True if the user stated that the wordings were written without any of the labels.
        usage: Tokens and cost of the run, proposals included.
        graded: Number of examples graded.
        diff: The lines of the rubric's file that change; None if no wording is adopted.
        written: True if the change was written into the file.
        parts_written: True if this run wrote into the file of examples which part each belongs to.
    """

    search: Search
    judge: str
    proposer: str
    sealed: TrialPart
    answer: FinalistsResult | None
    outside: bool
    usage: Usage
    graded: int
    diff: str | None = None
    written: bool = False
    parts_written: bool = False

    @property
    def adopted(self) -> Wording | None:
        """The wording that the test on held-out labels confirmed; None if it confirmed none."""
        return None if self.answer is None else self.answer.adopted

    @property
    def finalists(self) -> tuple[Wording, ...]:
        """The best wordings on dev, which were tested on held-out labels or would be if the user allows the test."""
        return tuple(tried.wording for tried in self.search.tried) if self.outside else self.search.finalists

    @property
    def because(self) -> str:
        """One or two sentences on why a wording was adopted, or why the user's wording stays."""
        return " ".join(filter(None, self.because_in_parts))

    @property
    def because_in_parts(self) -> tuple[str, str]:
        """What the run comes to, as a sentence, and what follows from it; "" if nothing does."""
        if self.answer is None:
            return self._on_dev()
        if self.answer.adopted is not None:
            return self._adopted(self.answer, self.answer.adopted.name)
        if self.answer.why == "not graded":
            return f"Yours stays: under {_names(self.finalists)} over a tenth of the examples are not graded.", ""
        if self.answer.why == "same scores":
            compared = "scores" if self.search.dev.decided is None else "decisions"
            return f"Yours stays: {_names(self.finalists)} gives the same {compared} as yours on every example.", ""
        answer = self.answer
        where = self._where(self.answer)
        whose = "The labels" if self.outside else "The held-out labels"
        if self.search.dev.decided is not None:
            stays = f"{whose} don't confirm any of the candidates; yours stays."
            return stays, f"They were compared by people's own decisions on {where}."
        return (
            f"{whose} don't confirm any of the new wordings; yours stays.",
            f"With {where} a gain of {number(PLANNED_AGREEMENT)} in agreement ({PLANNED_GAIN:g} in MAE) is found with "
            f"a probability of {percent(self._chance_to_find(answer))}{'' if self._spread is None else ' here'}.",
        )

    @property
    def _spread(self) -> float | None:
        """Standard deviation of the gain over dev tasks, averaged over the finalists (the best wordings), or None."""
        spreads = [tried.spread for tried in self.search.tried if tried.spread and tried.wording in self.finalists]
        return sum(spreads) / len(spreads) if spreads else None

    def _chance_to_find(self, answer: FinalistsResult) -> float:
        """Compute the probability that the test on held-out labels confirms a gain of `PLANNED_GAIN`.

        Gains are assumed to differ between tasks as much as on dev.

        Args:
            answer: The result of the test, with the number of tasks and the significance level.
        """
        return chance_to_find(answer.tasks, answer.alpha, self._spread or PLANNED_SD)

    def _on_dev(self) -> tuple[str, str]:
        tried = len(self.search.tried)
        dev = f"the {self.search.dev.n} dev examples"
        if not tried:
            return "No candidate could be tried; yours stays.", "The held-out labels were not used."
        if not self.finalists:
            what = "The new wording did not do" if tried == 1 else f"None of {tried} wordings did"
            return f"{what} better than yours on {dev}.", "The held-out labels were not used."
        return (
            f"{_names(self.finalists)} did better than yours on {dev}, which chose among {counted(tried, 'wording')}.",
            f"Only the {self.sealed.n} held-out examples can confirm it.",
        )

    def _adopted(self, answer: FinalistsResult, name: str) -> tuple[str, str]:
        where = self._where(answer)
        if answer.raw is not None and answer.decisions_gain is not None:
            expected = points(answer.decisions_gain)
            more = f"On the {where}, {name} decides as people do on {percent(answer.raw)} more than yours."
            return more, f"It was selected for doing well, so expect {expected} points on new ones."
        gain = answer.gain
        if answer.raw is None or gain is None:
            return f"{name} was confirmed on {where} by an earlier run; the judge's replies have changed since.", ""
        vouched = "; you vouch that it was written without these labels" if self.outside else ""
        drop = f"On the {where}, {name}'s MAE is {number(answer.raw, 3)} lower{vouched}."
        limits = "" if gain.low is None else f" (95% CI {number(gain.low, 3)} to {number(gain.high, 3)})"
        return drop, f"It was selected for doing well, so expect {number(gain.value, 3)}{limits} on new ones."

    def _where(self, answer: FinalistsResult) -> str:
        kind = "labelled" if self.outside else "held-out"
        return examples_in_words(answer, f"{kind} example")


@dataclass(frozen=True)
class ImprovementPlan:
    """Labels and calls that a run of `improve` would need, and their cost.

    Attributes:
        rubric: The rubric.
        dev: The number of dev examples, and the number of tasks that these belong to.
        sealed: The number of held-out examples, and the number of tasks that these belong to.
        opening: Ordinal of the next test on the held-out labels, from 1.
        alpha: Significance level of that test.
        candidates: Largest number of wordings to try.
        graded: Largest number of examples to grade.
        cost: Cost of grading these examples.
        to_gate: Sentence from the last calibration that says how many labels the verdict needs; None before the first
            calibration.
    """

    rubric: Rubric
    dev: tuple[int, int]
    sealed: tuple[int, int]
    opening: int
    alpha: float
    candidates: int
    graded: int
    cost: Cost
    to_gate: str | None = None

    @property
    def needed(self) -> tuple[int, int]:
        """Numbers of held-out tasks and of all tasks needed to find a gain of 0.10 in agreement with 80% chance."""
        held_out = held_out_needed(self.alpha)
        return held_out, labels_needed(held_out)


def examples_in_words(part: TrialPart | FinalistsResult, kind: str = "example") -> str:
    """Return a phrase such as "30 examples in 12 tasks"; tasks are left out if each has one example.

    Args:
        part: The examples, or a result with their number.
        kind: Noun for the examples, in the singular.
    """
    tasks = f" in {part.tasks} tasks" if part.tasks < part.n else ""
    return f"{counted(part.n, kind)}{tasks}"


def _names(wordings: tuple[Wording, ...]) -> str:
    return " and ".join(wording.name for wording in wordings)

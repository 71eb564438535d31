"""The labels that a rubric can be tuned by."""

from dataclasses import dataclass
from pathlib import Path

from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.labelled_examples import labelled_examples
from markscheme.errors import UsageError
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.splits import warn_of_split_groups
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.least_labels import LEAST_FOR_MARK, LEAST_FOR_WEIGHTS, LEAST_OF_EACH


@dataclass(frozen=True)
class TuningLabels:
    """The labels that a rubric can be tuned by.

    Attributes:
        every: All examples with the labels that count.
        folder: The rubric's calibration folder; None where there is none.
    """

    every: ExampleSet
    folder: Path | None

    @classmethod
    def of(cls, rubric: Rubric, examples: Path | None = None) -> "TuningLabels":
        """A rubric's own labels, or those in a file.

        Raises:
            UsageError: The rubric compares pairs, or there are no examples.

        Warns:
            RatingWarning: Examples of one group are in both parts.
        """
        if rubric.is_of_pairs:
            raise UsageError(
                f"{rubric.name} compares pairs, which neither pass nor fail, and get no mark to tune by; change its "
                f"weights and `tie_within` by hand, and see the effect: {Commands.on(rubric.name).calibrate()}"
            )
        every, folder = labelled_examples(rubric, examples)
        warn_of_split_groups(every)
        return cls(every, folder)

    @property
    def dev(self) -> ExampleSet:
        """The examples that aren't held out."""
        return self.every.part(None)

    @property
    def lacks(self) -> str:
        """What is missing where no example is labelled; "" where one is."""
        if self.dev.labels:
            return ""
        return (
            f"no example in {self.every.path} is labelled{self.every.searched}; weights need {LEAST_FOR_WEIGHTS} "
            f"examples with an overall mark, a pass mark {LEAST_FOR_MARK} with {LEAST_OF_EACH} passes and "
            f"{LEAST_OF_EACH} fails"
        )

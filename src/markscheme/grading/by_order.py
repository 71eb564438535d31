"""Ask about a pair of responses in each order in which a judge may see it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from markscheme.grading.by_criterion import AroundGrader, ByCriterion, in_orders, worst
from markscheme.grading.exchange import Exchange
from markscheme.grading.grades import Grade
from markscheme.grading.verdict import Outcome, combine
from markscheme.prompts.prompt import Prompt
from markscheme.prompts.submission import Submission
from markscheme.rubrics.preference import ShownOrder


class ByOrder(AroundGrader):
    """A grader of pairs, which asks a wrapped grader about each pair in one order or in both.

    Attributes:
        orders: Number of orders in which a pair is shown: 1 for the stored order only, or 2.
    """

    def __init__(self, grader: ByCriterion, orders: int) -> None:
        super().__init__(grader)
        self.grader: ByCriterion = grader
        self.orders = orders

    def prompts(self, submission: Submission) -> list[Prompt]:
        """Return the prompts about a pair, for each order in which the pair is to be shown."""
        return [prompt for version in in_orders(submission, self.orders) for prompt in self.grader.prompts(version)]

    async def grade(self, submission: Submission) -> Grade:
        """Grade a pair: if it is shown in both orders, each criterion gets the median of its two outcomes."""
        versions = in_orders(submission, self.orders)
        exchanges = await self.grader.ask(*versions)
        grade = self.grader.settled(submission, exchanges, combine if len(versions) > 1 else worst)
        if not grade.outcomes:
            return grade
        by_order: dict[ShownOrder, Mapping[str, Outcome]] = {
            "second-first" if version.turned else "first-second": readings
            for version, readings in zip(versions, _by_version(exchanges, len(versions)), strict=True)
        }
        return replace(grade, by_order=by_order)


def _by_version(exchanges: Sequence[Exchange[Outcome]], n_versions: int) -> list[dict[str, Outcome]]:
    """Return the outcomes by criterion for each order in which a pair was shown: first the stored order.

    Args:
        exchanges: All exchanges about the stored order, then as many about the swapped one.
        n_versions: Number of orders asked about, 1 or 2.
    """
    n_passes = len(exchanges) // n_versions
    readings = [exchange.readings for exchange in exchanges]
    by_version = [readings[first : first + n_passes] for first in range(0, len(readings), n_passes)]
    return [{name: outcome for outcomes in passes for name, outcome in outcomes.items()} for passes in by_version]

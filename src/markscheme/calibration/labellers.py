"""Names for those who gave the labels, in sentences about a judge."""

from typing import NamedTuple

from markscheme.calibration.comparison.comparison import Comparison


class Labeller(NamedTuple):
    """The name for those who gave the labels, as the subject of a sentence, such as "people".

    Attributes:
        name: "people", "the labels", or the name of a table's column.
        is_one: True if the verb after the name is in the singular.
    """

    name: str
    is_one: bool = False

    def fail(self) -> str:
        """Return the clause for fails, such as "people fail", from the name of those who gave the labels.

        Example:
            >>> Labeller("people").fail(), Labeller("reviewer_ben", is_one=True).fail()
            ('people fail', 'reviewer_ben fails')
        """
        return f"{self.name} {'fails' if self.is_one else 'fail'}"

    def passing(self) -> str:
        """Return the clause for passes, such as "people pass", from the name of those who gave the labels."""
        return f"{self.name} {'passes' if self.is_one else 'pass'}"

    @property
    def again(self) -> "Labeller":
        """Word for the labeller at its second mention in a sentence: "they", or the name again if it is singular."""
        return self if self.is_one else Labeller("they")


def labeller_of(comparison: Comparison) -> Labeller:
    """Return the name for those who gave the labels: "people", "the labels" or, in a table, a person's column."""
    if not comparison.gold.has_people:
        return Labeller("the labels")
    annotators = comparison.table.annotators
    if comparison.rubric.table_of is not None and len(annotators) == 1:
        return Labeller(annotators[0].name, is_one=True)
    return Labeller("people")

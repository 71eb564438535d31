"""The sentence on which version of a rubric decides more as people do."""

import pytest

from markscheme.features.compare.versions.comparison import CriterionAgreement, VersionComparison
from markscheme.features.compare.versions.paired_decisions import PairedDecisions
from markscheme.features.compare.versions.sides import RubricVersion
from markscheme.features.compare.versions.view_versions import view
from markscheme.report.document import Callout, Table
from markscheme.rubrics.rubric import Criterion, Rubric

RUBRIC = Rubric((Criterion(1.0, "It is polite."),))


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (100, 200, "80% against 40%, +40 points (+5 to +13)"),
        (114, 136, "54.4% against 45.6%, +8.8 points (+5.0 to +13.0)"),
    ],
)
def test_the_printed_gain_in_right_decisions_of_a_new_version_equals_the_difference_of_the_printed_shares(
    before: int, after: int, says: str
) -> None:
    decisions = PairedDecisions(250, before, after, after - before, 0, settings=1, low=0.05, high=0.13)
    old = RubricVersion("old.yaml", RUBRIC)
    new = RubricVersion("new.yaml", RUBRIC)
    compared = VersionComparison(old, new, decisions, {}, (), left_out=0, labelled=250, undecided=0, judges=None)
    answer = next(block for block in view(compared).blocks if isinstance(block, Callout))
    assert answer.head == f"new.yaml decides more as people do: {says}."


def test_the_printed_change_in_agreement_on_a_reworded_criterion_equals_that_of_the_printed_shares() -> None:
    decisions = PairedDecisions(250, 100, 200, 100, 0, settings=1, low=0.05, high=0.13)
    reworded = Rubric((Criterion(1.0, "It is polite.", threshold=0.7),))
    agreement = CriterionAgreement(250, None, 114 / 250, 136 / 250, 0.05, 0.13)
    old, new = RubricVersion("old.yaml", RUBRIC), RubricVersion("new.yaml", reworded)
    compared = VersionComparison(
        old, new, decisions, {"polite": agreement}, (), left_out=0, labelled=250, undecided=0, judges=None
    )
    changes, shares = (block for block in view(compared).blocks if isinstance(block, Table))
    assert (changes.headings[0], shares.headings[0]) == ("Changed", "Same level as people")
    assert shares.rows[0][1:] == ("45.6%", "54.4%", "+8.8 (+5.0 to +13.0)")

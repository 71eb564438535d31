"""The table of findings: a feature adds a kind of finding by a single row with its rule."""

from collections.abc import Iterator

import pytest

from markscheme.calibration.findings.diagnosis import finding_kinds
from markscheme.calibration.findings.finding import Finding
from markscheme.calibration.findings.kinds import FindingKind
from markscheme.calibration.findings.table import FINDINGS, ExaminedJudge, FindingRow
from markscheme.rubrics.keys import SubjectKind
from markscheme.seam import Feature, features, offer
from tests.calibration.findings.test_findings import MADE
from tests.calibration.made import kind_of

SLOW = FindingKind("slow", "takes its time", cause="runs", fixed_by="judge", stage="judge")


def find_slow(examined: ExaminedJudge) -> Iterator[Finding]:
    yield Finding(SLOW, None, "low", f"the judge rated {len(examined.ratings)} responses.")


@pytest.fixture
def added(request: pytest.FixtureRequest) -> Iterator[None]:
    """Offer a feature that adds a finding on judges of responses, or of pairs, as the test's parameter says."""
    before = features()
    rated: tuple[SubjectKind, ...] = (request.param,)
    row = FindingRow((SLOW,), 65, find_slow, rated=rated)
    offer(lambda: (*before, Feature("clock", FINDINGS(lambda: [row]))))
    yield
    offer(lambda: before)


@pytest.mark.parametrize("added", ["responses"], indirect=True)
@pytest.mark.usefixtures("added")
def test_a_kind_of_finding_that_a_feature_adds_is_reported_and_sorted_among_the_core_s_kinds() -> None:
    (finding,) = MADE.find(MADE.judge)
    assert (finding.code, finding.message) == ("slow", "the judge rated 100 responses.")
    assert kind_of("slow") is SLOW
    steps = [kind.step for kind in finding_kinds()]
    assert steps == sorted(steps)


@pytest.mark.parametrize("added", ["pairs"], indirect=True)
@pytest.mark.usefixtures("added")
def test_a_rule_that_looks_for_findings_on_pairs_of_responses_is_not_applied_to_single_responses() -> None:
    assert MADE.find(MADE.judge) == []
    assert kind_of("slow") is SLOW


def test_a_kind_of_finding_that_a_feature_adds_is_unknown_without_the_feature() -> None:
    assert kind_of("slow") is None

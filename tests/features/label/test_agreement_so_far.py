"""A rater's agreement with other people: over whole fives of what they labelled themselves, and nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from markscheme import Rubric
from markscheme.features.label.disputes import AGREEMENT_STEP, AgreementSoFar, agreement_so_far
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Declined, Rated, Rating

RUBRIC = Rubric.from_dict(
    [{"weight": 1, "requirement": "A"}, {"weight": 1, "description": "B", "not_applicable": True}]
)
IDS = [f"e{i}" for i in range(12)]
UNDER = RUBRIC.criterion("c2").fingerprint


def rating_of(
    rater: str,
    id: str,
    level: float | None,
    *,
    kind: Kind = "human",
    sample: int = 0,
    declined: Declined | None = None,
    under: str = UNDER,
) -> Rating:
    return Rating(id, rater, kind, {"c2": Rated(level, declined=declined, under=under)}, sample=sample)


def counted(*ratings: Rating, ids: list[str] | None = None) -> AgreementSoFar:
    first, second = agreement_so_far(ratings, RUBRIC, "ann", IDS if ids is None else ids)
    assert (first.criterion, first.examples, second.criterion) == ("c1", 0, "c2")
    return second


def both(n: int, *, apart: int = 0) -> list[Rating]:
    """Make ratings by Ann and Ben on n examples; they disagree on the first few."""
    ann = [rating_of("ann", id, 3.0) for id in IDS[:n]]
    return [*ann, *(rating_of("ben", id, 2.0 if place < apart else 3.0) for place, id in enumerate(IDS[:n]))]


def test_an_annotator_s_agreement_with_others_is_shown_from_five_labels_on_and_updated_every_five_labels() -> None:
    assert counted(*both(4)) == AgreementSoFar("c2", 0, 0, 0)
    assert counted(*both(5, apart=2)) == counted(*both(9, apart=2)) == AgreementSoFar("c2", 5, 5, 3)
    assert counted(*both(10, apart=2)) == AgreementSoFar("c2", 10, 10, 8)


def test_an_annotator_s_label_is_compared_with_each_label_by_other_annotators_on_the_same_response() -> None:
    eve = [rating_of("eve", id, 2.0) for id in IDS[:3]]
    assert counted(*both(5, apart=1), *eve) == AgreementSoFar("c2", 5, 8, 4)


def test_the_agreement_shown_while_labelling_leaves_out_responses_that_the_annotator_has_not_labelled() -> None:
    ben = [rating_of("ben", id, 1.0) for id in IDS]
    assert counted(*both(5), *ben[6:]) == counted(*both(5))
    assert counted(*both(12), ids=IDS[:4]).examples == 0


def test_agreement_shown_while_labelling_ignores_judges_and_repeated_labels_and_labels_of_another_wording() -> None:
    others = [
        *(rating_of("gpt", id, 1.0, kind="model") for id in IDS),
        *(rating_of("ben", id, 1.0, sample=1) for id in IDS[:5]),
        *(rating_of("eve", id, 1.0, under="another wording") for id in IDS),
        *(rating_of("kim", id, None, declined="abstained") for id in IDS),
    ]
    assert counted(*others, *both(5)) == AgreementSoFar("c2", 5, 5, 5)


def test_two_annotators_agree_if_both_say_that_a_criterion_does_not_apply() -> None:
    none = [rating_of(who, id, None, declined="not applicable") for who in ("ann", "ben") for id in IDS[:5]]
    assert counted(*none) == AgreementSoFar("c2", 5, 5, 5)


@given(levels=st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), max_size=12))
def test_the_agreement_shown_while_labelling_counts_the_earliest_labels_up_to_a_multiple_of_five(
    levels: list[tuple[int, int]],
) -> None:
    ratings = [
        rating_of(who, id, float(level))
        for id, pair in zip(IDS, levels, strict=False)
        for who, level in zip(("ann", "ben"), pair, strict=True)
    ]
    n = len(levels) // AGREEMENT_STEP * AGREEMENT_STEP
    assert counted(*ratings) == AgreementSoFar("c2", n, n, sum(a == b for a, b in levels[:n]))

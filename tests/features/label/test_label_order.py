"""The order in which a rater sees responses, and which are shown a second time."""

from hypothesis import given
from hypothesis import strategies as st

from markscheme.features.label.label_order import LEAST_BETWEEN, RESPONSES_PER_REPEAT, Step, steps_of

IDS = [f"e{i}" for i in range(100)]


def test_the_order_in_which_responses_are_labelled_depends_only_on_rater_and_seed() -> None:
    assert steps_of(IDS, rater="ann", seed=1) == steps_of(IDS[::-1], rater="ann", seed=1)
    assert len({steps_of(IDS, rater=rater, seed=seed) for rater in ("ann", "ben") for seed in (1, 2)}) == 4


@given(n=st.integers(1, 150), seed=st.integers(1, 50))
def test_every_response_is_shown_once_and_one_in_twenty_is_shown_a_second_time_well_after_the_first(
    n: int, seed: int
) -> None:
    ids = [f"e{i}" for i in range(n)]
    steps = steps_of(ids, rater="ann", seed=seed)
    assert sorted(step.id for step in steps if step.sample == 0) == sorted(ids)
    again = [step for step in steps if step.sample == 1]
    assert len(again) == len({step.id for step in again}) == n // RESPONSES_PER_REPEAT
    assert all(steps.index(step) - steps.index(Step(step.id)) >= LEAST_BETWEEN for step in again)


def test_adding_a_response_does_not_change_the_order_in_which_earlier_responses_are_labelled() -> None:
    before = [step.id for step in steps_of(IDS[:-1], rater="ann", seed=1, again=False)]
    after = [step.id for step in steps_of(IDS, rater="ann", seed=1, again=False) if step.id != IDS[-1]]
    assert before == after

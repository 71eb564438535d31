"""Several samples of each judge in a comparison."""

import pytest

from markscheme.features.compare.choice import Contender, choose
from markscheme.ratings.gold import gold_of
from tests.calibration.comparison.test_comparison import YES_NO, sampled


@pytest.mark.parametrize("samples", [[0, 1, 2], [1, 2], [1], [0, 1]])
def test_recording_pass_or_fail_with_a_judge_s_samples_changes_no_figure_of_a_comparison(
    samples: list[int],
) -> None:
    labelled, with_pass = sampled(samples, with_pass=True)
    _, without = sampled(samples, with_pass=False)
    truth = gold_of(labelled, YES_NO)
    choice = choose(YES_NO, [Contender("with", tuple(with_pass)), Contender("without", tuple(without))], truth)
    (pair,) = choice.pairs
    assert not pair.flips
    assert pair.false_passes[0] == pair.false_passes[1]
    for figure in pair.figures.values():
        assert figure.first == figure.second

"""Figures of 999 pairs of responses that three people and two judges compared, from the published PandaLM test set.

Source: WeOpenML/PandaLM, data/testset-v1.json and the judges' files (ICLR 2024), Apache-2.0. Strengths are Davidson's,
with 95 % intervals by leaving out each of the 170 prompts.
"""

from collections.abc import Mapping

SYSTEMS = ("bloom-7b", "cerebras-gpt-6.7B", "llama-7b", "opt-7b", "pythia-6.9b")
PEOPLE_STRENGTHS = (
    (-0.021, -0.266, 0.224),
    (-0.607, -0.870, -0.343),
    (0.819, 0.536, 1.102),
    (-0.274, -0.514, -0.035),
    (0.083, -0.162, 0.327),
)
"""Log strength, low and high of each system, by the majority of three people."""
PEOPLE_LOG_TIE = -1.381
JUDGE_STRENGTHS = (0.072, -0.594, 0.729, -0.221, 0.015)
"""The same of gpt-3.5-turbo, without intervals."""
JUDGE_LOG_TIE = -2.454
AGREEMENT: Mapping[str, tuple[float, int, float, float]] = {
    "gpt-3.5-turbo": (0.7156, 974, 0.4932, 0.5886),
    "pandalm-7b": (0.6677, 999, 0.4360, 0.5050),
}
"""Agreement with people, pairs with both, Cohen's kappa and quadratic kappa, each pair with its mirror image."""

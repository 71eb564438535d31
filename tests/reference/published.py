"""Rating tables that everyone may see, with the figures printed beside them.

Each figure is as its source prints it: `decimals` digits, no more. Ratings stand in rows of units; `nan` is a rating
that was not given. Tables and figures are facts from the books and papers named.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

nan = float("nan")


@dataclass(frozen=True)
class Figure:
    """One published figure of a table: the statistic, its weights or metric, and the value as printed."""

    statistic: str
    weights: str | tuple[tuple[float, ...], ...]
    value: float
    decimals: int


@dataclass(frozen=True)
class Published:
    """A table of ratings, the levels of its scale, what its source prints, and the source."""

    name: str
    source: str
    ratings: npt.NDArray[np.float64]
    levels: tuple[float, ...]
    figures: tuple[Figure, ...]


def from_contingency(counts: list[list[int]]) -> npt.NDArray[np.float64]:
    """Ratings of two raters, shape (n_units, 2), from how often each pair of levels occurred."""
    rows = [(i, j) for i, row in enumerate(counts) for j, count in enumerate(row) for _ in range(count)]
    return np.array(rows, dtype=np.float64)


def from_counts(counts: list[list[int]]) -> npt.NDArray[np.float64]:
    """Ratings, shape (n_units, n_raters), from how many raters put each unit on each level; order is arbitrary."""
    widest = max(sum(row) for row in counts)
    rows = []
    for row in counts:
        levels = [float(level) for level, count in enumerate(row) for _ in range(count)]
        rows.append(levels + [nan] * (widest - len(levels)))
    return np.array(rows)


KRIPPENDORFF_2011 = Published(
    "four observers, twelve units, missing ratings",
    "Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C",
    np.array(
        [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
            [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
        ]
    ).T,
    (1, 2, 3, 4, 5),
    (
        Figure("krippendorff_alpha", "nominal", 0.743, 3),
        Figure("krippendorff_alpha", "ordinal", 0.815, 3),
        Figure("krippendorff_alpha", "interval", 0.849, 3),
        Figure("krippendorff_alpha", "ratio", 0.797, 3),
    ),
)

GWET_FOUR_RATERS = Published(
    "nearly the same ratings under other ideas of chance",
    "Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition, table 2.10 and section 2.5",
    np.array(
        [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, nan],
            [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
        ]
    ).T,
    (1, 2, 3, 4, 5),
    (
        Figure("percent_agreement", "identity", 0.81818, 5),
        Figure("gwet_ac1", "identity", 0.77544, 5),
        Figure("fleiss_kappa", "identity", 0.76117, 5),
        Figure("conger_kappa", "identity", 0.76282, 5),
        Figure("brennan_prediger", "identity", 0.77273, 5),
        Figure("krippendorff_alpha", "identity", 0.74342, 5),
    ),
)

GWET_ABSTRACTORS = Published(
    "two abstractors of pregnancy records",
    "Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition, chapter 2; figures of the author's R package",
    from_contingency([[13, 0, 0], [0, 20, 7], [0, 4, 56]]),
    (0, 1, 2),
    (
        Figure("cohen_kappa", "identity", 0.7964094, 7),
        Figure("scott_pi", "identity", 0.7962397, 7),
        Figure("gwet_ac1", "identity", 0.8493305, 7),
        Figure("brennan_prediger", "identity", 0.835, 7),
        Figure("krippendorff_alpha", "identity", 0.7972585, 7),
        Figure("percent_agreement", "identity", 0.89, 7),
    ),
)

GWET_TWO_RATERS_WITH_GAPS = Published(
    "two raters, eleven units, missing ratings on either side",
    "Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition, example 3.2 with errata",
    np.array(
        [
            [1, nan],
            [2, 3],
            [3, 3],
            [3, 3],
            [2, 2],
            [2, nan],
            [1, 1],
            [1, 2],
            [2, 2],
            [2, 2],
            [nan, 3],
        ]
    ),
    (1, 2, 3),
    (
        Figure("weighted_kappa", "quadratic", 0.7772, 4),
        Figure("gwet_ac2", "quadratic", 0.8261, 4),
        Figure("fleiss_kappa", "quadratic", 0.7673, 4),
        Figure("krippendorff_alpha", "quadratic", 0.7581, 4),
        Figure("brennan_prediger", "quadratic", 0.8125, 4),
    ),
)

FLEISS_1971 = Published(
    "thirty patients, six psychiatrists, five diagnoses",
    "Fleiss (1971), Psychological Bulletin 76(5), 378-382. doi:10.1037/h0031619",
    from_counts(
        [
            [0, 0, 0, 6, 0],
            [0, 3, 0, 0, 3],
            [0, 1, 4, 0, 1],
            [0, 0, 0, 0, 6],
            [0, 3, 0, 3, 0],
            [2, 0, 4, 0, 0],
            [0, 0, 4, 0, 2],
            [2, 0, 3, 1, 0],
            [2, 0, 0, 4, 0],
            [0, 0, 0, 0, 6],
            [1, 0, 0, 5, 0],
            [1, 1, 0, 4, 0],
            [0, 3, 3, 0, 0],
            [1, 0, 0, 5, 0],
            [0, 2, 0, 3, 1],
            [0, 0, 5, 0, 1],
            [3, 0, 0, 1, 2],
            [5, 1, 0, 0, 0],
            [0, 2, 0, 4, 0],
            [1, 0, 2, 0, 3],
            [0, 0, 0, 0, 6],
            [0, 1, 0, 5, 0],
            [0, 2, 0, 1, 3],
            [2, 0, 0, 4, 0],
            [1, 0, 0, 4, 1],
            [0, 5, 0, 1, 0],
            [4, 0, 0, 0, 2],
            [0, 2, 0, 4, 0],
            [1, 0, 5, 0, 0],
            [0, 0, 0, 0, 6],
        ]
    ),
    (0, 1, 2, 3, 4),
    (Figure("fleiss_kappa", "identity", 0.430, 3),),
)

FOURTEEN_RATERS = Published(
    "ten subjects, fourteen raters, five categories",
    "the worked example of the encyclopaedia articles on Fleiss' kappa",
    from_counts(
        [
            [0, 0, 0, 0, 14],
            [0, 2, 6, 4, 2],
            [0, 0, 3, 5, 6],
            [0, 3, 9, 2, 0],
            [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0],
            [3, 2, 6, 3, 0],
            [2, 5, 3, 2, 2],
            [6, 5, 2, 1, 0],
            [0, 2, 2, 3, 7],
        ]
    ),
    (0, 1, 2, 3, 4),
    (Figure("fleiss_kappa", "identity", 0.210, 3),),
)

COHEN_1968 = Published(
    "two hundred diagnoses, disagreements of unequal cost",
    "Cohen (1968), Psychological Bulletin 70(4), 213-220. doi:10.1037/h0026256",
    from_contingency([[88, 14, 18], [10, 40, 10], [2, 6, 12]]),
    (0, 1, 2),
    (
        Figure("cohen_kappa", "identity", 0.492, 3),
        Figure("weighted_kappa", ((1, 5 / 6, 1 / 2), (5 / 6, 1, 0), (1 / 2, 0, 1)), 0.348, 3),
        Figure("weighted_kappa", ((1, 5 / 6, 1 / 3), (5 / 6, 1, 0), (2 / 3, 2 / 3, 1)), 0.353, 3),
    ),
)

TABLES = (
    KRIPPENDORFF_2011,
    GWET_FOUR_RATERS,
    GWET_ABSTRACTORS,
    GWET_TWO_RATERS_WITH_GAPS,
    FLEISS_1971,
    FOURTEEN_RATERS,
    COHEN_1968,
)

SHROUT_FLEISS_1979 = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])
"""Six targets, four judges: Shrout and Fleiss (1979), Psychological Bulletin 86(2), 420-428, table 2."""

SHROUT_FLEISS_TABLE_4 = {
    "icc_1_1": 0.17,
    "icc_2_1": 0.29,
    "icc_3_1": 0.71,
    "icc_1_k": 0.44,
    "icc_2_k": 0.62,
    "icc_3_k": 0.91,
}

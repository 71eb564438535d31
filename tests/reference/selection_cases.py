"""Worked figures of choosing among candidate wordings: bounds, tests, gains, parts, calls and labels needed.

They were computed once, away from this package, with plain numpy and scipy; no recipe draws a random number.
"""

from dataclasses import dataclass

BOUND_TOLERANCE = 0.001

BOUNDS = [
    (0.0, 52, 0.05, 1.9995267147),
    (0.5, 52, 0.05, 1.9575672921),
    (0.8, 52, 0.05, 1.8833135797),
    (0.5, 26, 0.05, 2.0005055658),
    (0.5, 52, 0.025, 2.2735303828),
    (0.95, 132, 0.0125, 2.3785735601),
]
"""Correlation of the two columns, degrees of freedom, alpha, and what the larger t has to exceed."""

SECOND = (
    0.084, -0.07, -0.065, 0.022, -0.197, 0.032, 0.109, 0.129, 0.064, 0.096, -0.083, 0.007, -0.106, 0.106, -0.062,
    -0.128, -0.116, -0.104, 0.195, -0.136, 0.092, -0.035, -0.046, 0.132,
)  # fmt: skip
WEAK = (
    0.125, 0.205, 0.139, 0.071, -0.112, -0.12, 0.11, 0.082, -0.169, 0.125, -0.26, 0.099, 0.038, 0.129, -0.035, 0.122,
    0.01, -0.139, 0.152, 0.112, 0.036, 0.023, -0.033, 0.095,
)  # fmt: skip
STRONG = (
    0.155, 0.235, 0.169, 0.101, -0.082, -0.09, 0.14, 0.112, -0.139, 0.155, -0.23, 0.129, 0.068, 0.159, -0.005, 0.152,
    0.04, -0.109, 0.182, 0.142, 0.066, 0.053, -0.003, 0.125,
)  # fmt: skip


@dataclass(frozen=True)
class SelectionCase:
    """Worked example of choosing a wording: differences of one or two finalists, and the held-out test's results."""

    name: str
    columns: tuple[tuple[float, ...], ...]
    alpha: float
    means: tuple[float, ...]
    errors: tuple[float, ...]
    t: tuple[float, ...]
    correlation: float | None
    critical: float
    best: int | None


TESTS = [
    SelectionCase(
        "two finalists, first opening, none adopted",
        (WEAK, SECOND),
        0.05,
        (0.0335416667, -0.0033333333),
        (0.0242110272, 0.0216077236),
        (1.3853880054, -0.1542658261),
        0.3327086955,
        2.0349022827,
        None,
    ),
    SelectionCase(
        "two finalists, first opening, one adopted",
        (STRONG, SECOND),
        0.05,
        (0.0635416667, -0.0033333333),
        (0.0242110272, 0.0216077236),
        (2.6244928053, -0.1542658261),
        0.3327086955,
        2.0349022827,
        0,
    ),
    SelectionCase(
        "the same at the third opening",
        (STRONG, SECOND),
        0.0125,
        (0.0635416667, -0.0033333333),
        (0.0242110272, 0.0216077236),
        (2.6244928053, -0.1542658261),
        0.3327086955,
        2.692205466,
        None,
    ),
    SelectionCase(
        "one finalist above the default on dev",
        (STRONG,),
        0.05,
        (0.0635416667,),
        (0.0242110272,),
        (2.6244928053,),
        None,
        1.7138715277,
        0,
    ),
]
OPENINGS = {1: 0.05, 2: 0.025, 3: 0.0125, 4: 0.00625, 8: 0.000390625}
PARTS = {40: (13, 27), 60: (20, 40), 80: (27, 53), 120: (40, 80), 200: (67, 133)}
"""Labelled tasks: dev and held out."""
QUESTIONS = [
    (2, 80, 160, 1.0),
    (3, 80, 173, 0.7208333333),
    (5, 80, 213, 0.5325),
    (10, 80, 306, 0.3825),
    (20, 80, 506, 0.31625),
    (10, 160, 609, 0.380625),
]
"""Candidates, tasks, examples graded, and that as a share of grading every candidate on everything."""
NEEDED = [(0.157, 0.038, 132), (0.1, 0.038, 55), (0.5, 0.1, 192)]
"""Scatter of the differences, gain, and held-out tasks needed to find it with 80% probability, give or take one."""
TASKS = (("a", "a", "b", "b", "c"), (0.1, 0.06, -0.02, 0.04, 0.08), (0.08, 0.01, 0.08))
"""Task of each example, differences, and the mean of each task."""
COPIED_FROM = "The parcel was sent on Monday by our partner in Lyon and it should reach you before the weekend."
COPY = "Names when the parcel was sent on Monday by our partner in Lyon."
OWN_WORDS = "Says when the parcel should reach the customer."
COPIED_RUNS = (
    "parcel was sent on monday by our partner",
    "sent on monday by our partner in lyon",
    "the parcel was sent on monday by our",
    "was sent on monday by our partner in",
)
"""The runs of eight words that COPY has from COPIED_FROM."""

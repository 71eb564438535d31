"""Worked figures of shares under groups, verdicts, group rates, drift among runs and slices.

They were computed once, away from this package, with plain numpy and scipy: the correlation within groups by
quadrature on a grid of 240 shares by 96 correlations, everything else in closed form. `tolerance` says how far a
figure that depends on that grid may be off; the others hold to the printed digit.
"""

from dataclasses import dataclass
from math import nan

GRID_TOLERANCE = 0.002
CORRELATION_TOLERANCE = 0.003


@dataclass(frozen=True)
class ShareCase:
    """Worked example of a share: hits per group and the share's bounds, None for fewer than five groups."""

    name: str
    hits: tuple[int, ...]
    sizes: tuple[int, ...]
    correlation: float
    lower90: float | None
    upper90: float | None
    low95: float | None
    high95: float | None
    support: str = "plain"


@dataclass(frozen=True)
class MeanCase:
    """Worked example of a mean: how often each difference occurred, and the bounds of the mean, without groups."""

    name: str
    counts: dict[float, int]
    value: float
    lower90: float
    upper90: float
    upper95: float


SHARES = [
    ShareCase("no groups, 45 of 50", (1,) * 45 + (0,) * 5, (1,) * 50, 0.0, 0.8224, 0.9506, 0.7819, 0.9667),
    ShareCase("no groups, all of 60", (1,) * 60, (1,) * 60, 0.0, 0.9624, 1.0, 0.9404, 1.0),
    ShareCase("ten of ten, all agree", (10,) * 10, (10,) * 10, 0.5891, 0.8878, 1.0, 0.832, 1.0),
    ShareCase("ten of ten, one miss", (10,) * 9 + (9,), (10,) * 10, 0.3787, 0.8878, 1.0, 0.832, 1.0),
    ShareCase(
        "ten of ten, one bad group",
        (10, 9, 10, 9, 10, 10, 2, 10, 9, 10),
        (10,) * 10,
        0.5065,
        0.7319,
        0.9707,
        0.6542,
        0.9866,
    ),
    ShareCase(
        "unequal groups",
        (1, 2, 3, 5, 8, 9, 4, 2, 1, 0, 6, 12),
        (1, 2, 4, 5, 8, 10, 6, 2, 1, 1, 7, 14),
        0.094,
        0.7674,
        0.9361,
        0.7158,
        0.9574,
    ),
    ShareCase("thirty pairs", (2,) * 20 + (1,) * 7 + (0,) * 3, (2,) * 30, 0.3676, 0.683, 0.8627, 0.6331, 0.8933),
    ShareCase(
        "ten of ten, misses spread evenly",
        (9, 9, 9, 9, 9, 9, 8, 9, 9, 9),
        (10, 10, 10, 10, 10, 10, 10, 10, 10, 10),
        0.0234,
        0.8322,
        0.9323,
        0.8019,
        0.9482,
        "plain",
    ),
    ShareCase(
        "six groups", (8, 7, 8, 6, 8, 5), (8, 8, 8, 8, 8, 8), 0.2786, 0.7024, 0.9657, 0.6193, 0.9841, "approximate"
    ),
    ShareCase("four groups", (20, 18, 19, 20), (20, 20, 20, 20), 0.2665, None, None, None, None, "withheld"),
]

MEANS = [
    MeanCase("judge minus constant", {-1.0: 5, 0.0: 30, 1.0: 25}, 0.3333, 0.2042, 0.4487, 0.4789),
    MeanCase("never different", {0.0: 40}, 0.0, -0.0604, 0.0604, 0.0735),
    MeanCase("few discordant", {-1.0: 2, 0.0: 95, 1.0: 3}, 0.01, -0.0329, 0.0526, 0.0628),
    MeanCase(
        "judge minus person",
        {-1.0: 2, -2 / 3: 8, -1 / 3: 20, 0.0: 34, 1 / 3: 12, 2 / 3: 3, 1.0: 1},
        -0.0875,
        -0.1537,
        -0.0183,
        -0.0022,
    ),
]

GROUPED_DIFFERENCES = (
    (1.0, 1.0, 0.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, -1.0, -1.0, 0.0, 1.0, 0.0),
    (0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5),
)
GROUPED_MEAN = (0.1667, -0.2323, 0.5246, 0.6264)
"""Differences and their groups; their mean, its one-sided 90 % bounds and the upper 95 % bound."""

LABELS_FOR_SHARES = [
    ("15 of 20", 15, 20, 0.8, 1.0, 1, (0.1208, 0.2487, 0.3276, 0.3809, 0.4587, 0.5311, 0.6133, 0.6581, 0.7201), 160),
    ("23 of 25", 23, 25, 0.8, 1.0, 1, (0.4836, 0.6543, 0.7163, 0.7481, 0.8111, 0.8414, 0.8712, 0.8862, 0.9074), 40),
    (
        "27 of 30 (a user's judge)",
        27,
        30,
        0.8,
        1.0,
        1,
        (0.3941, 0.5601, 0.626, 0.6627, 0.7402, 0.7792, 0.8025, 0.8389, 0.8682),
        40,
    ),
    ("26 of 30", 26, 30, 0.8, 1.0, 1, (0.0898, 0.2704, 0.3615, 0.4198, 0.5305, 0.5942, 0.6402, 0.7, 0.753), 120),
    ("82 of 100", 82, 100, 0.8, 1.0, 1, (0.0, 0.0012, 0.0121, 0.05, 0.1174, 0.1755, 0.2604, 0.3231, 0.4166), 480),
    ("85 of 100", 85, 100, 0.8, 1.0, 1, (0.0482, 0.1622, 0.2296, 0.3623, 0.4643, 0.5245, 0.5924, 0.6311, 0.6919), 160),
    ("87 of 100", 87, 100, 0.8, 1.0, 1, (0.5012, 0.5586, 0.5883, 0.6933, 0.7497, 0.7807, 0.8139, 0.8317, 0.8619), 20),
    ("75 of 100", 75, 100, 0.8, 1.0, 1, (0.059, 0.1476, 0.2802, 0.3175, 0.4173, 0.48, 0.5539, 0.621, 0.6778), 240),
    ("162 of 200", 162, 200, 0.8, 1.0, 1, (0.0, 0.0, 0.0002, 0.0015, 0.0121, 0.0304, 0.0894, 0.1328, 0.2297), None),
    ("1798 of 2239: at the target", 1798, 2239, 0.8, 1.0, 1, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0001), None),
    (
        "87 of 100, design effect 2",
        87,
        100,
        0.8,
        2.0,
        1,
        (0.0, 0.0833, 0.2676, 0.2651, 0.4667, 0.503, 0.6011, 0.6132, 0.6842),
        160,
    ),
    (
        "87 of 100, five settings",
        87,
        100,
        0.8,
        1.0,
        5,
        (0.0, 0.1221, 0.348, 0.4129, 0.4909, 0.5919, 0.6963, 0.7235, 0.7979),
        160,
    ),
    (
        "44 of 50, target .9",
        44,
        50,
        0.9,
        1.0,
        1,
        (0.0248, 0.0715, 0.1079, 0.1778, 0.2562, 0.3128, 0.4139, 0.4637, 0.5568),
        480,
    ),
]
"""Hits, labels, target, design effect, settings, the chance with 20, 40, …, 480 more, and the number named."""

LABELS_FOR_MEANS = [
    ("gain .05", 0.05, 0.0, 0.5, 100, (0.0266, 0.1097, 0.1848, 0.2447, 0.3317, 0.3918, 0.4701, 0.5199, 0.5811), 320),
    ("gain .02", 0.02, 0.0, 0.5, 100, (0.0003, 0.0094, 0.0303, 0.0558, 0.1061, 0.1493, 0.215, 0.2619, 0.3246), None),
    (
        "judge minus person 0 against -.10",
        0.0,
        -0.1,
        0.4,
        40,
        (0.4868, 0.6088, 0.6704, 0.709, 0.7562, 0.7846, 0.818, 0.8375, 0.8599),
        40,
    ),
]
"""Mean, bound, spread, labels, the chance with each number, and the number named."""

LABELS_FOR_LIMITS = [
    (
        "0 of 12 fails, one response in five fails",
        0,
        12,
        0.1,
        0.2,
        (0.0, 0.0002, 0.0006, 0.0025, 0.5881, 0.5333, 0.6472, 0.6994, 0.7506),
        120,
    ),
    (
        "0 of 30 fails, two in five",
        0,
        30,
        0.1,
        0.4,
        (0.8893, 0.8087, 0.9142, 0.8785, 0.9031, 0.9156, 0.9281, 0.9502, 0.9601),
        20,
    ),
    (
        "1 of 40 fails, two in five",
        1,
        40,
        0.1,
        0.4,
        (0.0, 0.602, 0.4924, 0.6931, 0.7331, 0.7559, 0.7813, 0.84, 0.8668),
        40,
    ),
    (
        "3 of 12 fails, limit .30",
        3,
        12,
        0.3,
        0.2,
        (0.0, 0.0007, 0.0033, 0.0562, 0.1636, 0.1779, 0.2985, 0.374, 0.4748),
        480,
    ),
    (
        "0 of 4 fails, one in twenty",
        0,
        4,
        0.1,
        0.05,
        (0.0, 0.0, 0.0, 0.0039, 0.0225, 0.0213, 0.0639, 0.0736, 0.1126),
        None,
    ),
]
"""Wrong decisions, fails, limit, fails per label, the chance with each number, and the number named."""

FIRST_LABELS = [
    (0.7, (0.1756, 0.6067, 0.7163, 0.8625, 0.968, 0.9957, 0.9999, 1.0, 1.0), 40),
    (0.75, (0.2669, 0.4287, 0.6669, 0.8047, 0.9308, 0.985, 0.9988, 0.9999, 1.0), 60),
    (0.8, (0.1216, 0.2228, 0.4372, 0.5927, 0.856, 0.9219, 0.9907, 0.9989, 1.0), 80),
    (0.85, (0.0, 0.1877, 0.3324, 0.4394, 0.7108, 0.853, 0.9617, 0.9898, 0.9996), 120),
    (0.9, (0.0, 0.1285, 0.1916, 0.2306, 0.4415, 0.5926, 0.7767, 0.9162, 0.9888), 160),
    (0.95, (0.0, 0.0, 0.0, 0.1319, 0.1954, 0.2344, 0.4436, 0.5926, 0.7743), 320),
]
"""Target, the chance with 20, 40, …, 480 labels in all, and the number named."""


@dataclass(frozen=True)
class RulingCase:
    """Worked example of a verdict at a target of .80: counts of examples without groups, and the ruling."""

    name: str
    hits: int
    n: int
    gain: dict[float, int]
    verdict: str
    use: str
    because: str
    reference: str = "people"
    settings: int = 1
    people: dict[float, int] | None = None
    judge_minus_person: dict[float, int] | None = None
    person_minus_constant: dict[float, int] | None = None
    by_group: tuple[int, ...] = ()
    """Hits of each group of ten, where examples have groups."""


THIRD = 1 / 3
RULINGS = [
    RulingCase("above, whole interval clear", 90, 100, {1.0: 50, -1.0: 4, 0.0: 46}, "ok", "gate", "target"),
    RulingCase(
        "one hit fewer than enough: 88 of 100",
        88,
        100,
        {1.0: 50, -1.0: 4, 0.0: 46},
        "not-enough-labels",
        "explore",
        "target-open",
    ),
    RulingCase("least that is enough: 89 of 100", 89, 100, {1.0: 50, -1.0: 4, 0.0: 46}, "ok", "gate", "target"),
    RulingCase(
        "ok once, not after five settings",
        90,
        100,
        {1.0: 50, -1.0: 4, 0.0: 46},
        "not-enough-labels",
        "explore",
        "target-open",
        settings=5,
    ),
    RulingCase("ok after five settings", 94, 100, {1.0: 50, -1.0: 4, 0.0: 46}, "ok", "gate", "target", settings=5),
    RulingCase("one person", 90, 100, {1.0: 50, -1.0: 4, 0.0: 46}, "ok", "trend", "target", reference="one-person"),
    RulingCase(
        "above, no gain shown", 95, 100, {1.0: 3, -1.0: 2, 0.0: 95}, "not-enough-labels", "explore", "constant-open"
    ),
    RulingCase("open", 82, 100, {1.0: 40, -1.0: 5, 0.0: 55}, "not-enough-labels", "explore", "target-open"),
    RulingCase("71 of 100 is below", 71, 100, {1.0: 35, -1.0: 10, 0.0: 55}, "adjust", "none", "below-target"),
    RulingCase(
        "72 of 100 is open", 72, 100, {1.0: 35, -1.0: 10, 0.0: 55}, "not-enough-labels", "explore", "target-open"
    ),
    RulingCase("below a constant", 24, 100, {1.0: 12, -1.0: 31, 0.0: 57}, "adjust", "none", "below-constant"),
    RulingCase(
        "as good as people",
        112,
        200,
        {1.0: 60, -1.0: 15, 0.0: 125},
        "labels-disagree",
        "trend",
        "as-person",
        people={1.0: 110, 0.0: 90},
        judge_minus_person={1.0: 20, -1.0: 16, 0.0: 164},
        person_minus_constant={1.0: 70, -1.0: 30, 0.0: 100},
    ),
    RulingCase(
        "worse than people",
        104,
        200,
        {1.0: 70, -1.0: 20, 0.0: 110},
        "adjust",
        "none",
        "below-person",
        people={1.0: 150, 0.0: 50},
        judge_minus_person={-1.0: 60, 1.0: 14, 0.0: 126},
        person_minus_constant={1.0: 100, -1.0: 20, 0.0: 80},
    ),
    RulingCase(
        "people under a constant",
        24,
        100,
        {1.0: 12, -1.0: 31, 0.0: 57},
        "labels-disagree",
        "explore",
        "no-signal",
        people={1.0: 8, THIRD: 45, 0.0: 47},
        judge_minus_person={0.0: 60, THIRD: 20, -THIRD: 20},
        person_minus_constant={0.0: 50, -THIRD: 30, -2 / 3: 10, THIRD: 10},
    ),
    RulingCase(
        "as good as people is open",
        30,
        60,
        {1.0: 15, -1.0: 6, 0.0: 39},
        "not-enough-labels",
        "explore",
        "person-open",
        people={1.0: 18, THIRD: 30, 0.0: 12},
        judge_minus_person={0.0: 30, THIRD: 12, -THIRD: 10, -2 / 3: 5, 2 / 3: 1, -1.0: 2},
        person_minus_constant={1.0: 20, 0.0: 35, -THIRD: 5},
    ),
    RulingCase(
        "above by example, open by group",
        89,
        100,
        {1.0: 45, -1.0: 5, 0.0: 50},
        "not-enough-labels",
        "explore",
        "target-open",
        by_group=(10, 10, 10, 10, 10, 10, 9, 10, 10, 0),
    ),
]


PAIRS_OF_PEOPLE = [
    [0.5, 0.5, 0.75],
    [0.25, 0.5, 0.25],
    [1.0, 1.0, 1.0],
    [0.0, 0.25, 0.5],
    [0.75, 0.75, 0.5],
    [0.5, nan, 0.5],
]
PAIRS_JUDGE = [0.5, 0.25, 0.75, 0.25, 0.75, 0.5]
PAIRS_CONSTANT = 0.5
PAIRS_BY_PEOPLE = [0.3333, 0.3333, 1.0, 0.0, 0.3333, 1.0]
PAIRS_BY_JUDGE = [0.6667, 0.6667, 0.0, 0.3333, 0.6667, 1.0]
PAIRS_BY_CONSTANT = [0.6667, 0.3333, 0.0, 0.3333, 0.3333, 1.0]
"""Scores of three people on six examples, of a judge and of a constant; the share of pairs of people who agree within
.1, and of people the judge and the constant agree with."""


MID_P_LIMITS = [
    (0, 0, 0.0, 1.0),
    (0, 5, 0.0, 0.45072),
    (3, 10, 0.0826, 0.619919),
    (10, 10, 0.741134, 1.0),
    (17, 20, 0.643893, 0.96038),
    (1, 1, 0.05, 1.0),
    (15, 18, 0.610329, 0.955783),
]
"""Hits, examples, lower and upper 95 % limit."""


@dataclass(frozen=True)
class GroupRateCase:
    """Worked example of a group's pass rate: labels (rows annotators', columns the judge's), grades, and rate."""

    name: str
    labelled: tuple[tuple[int, int], tuple[int, int]]
    pool: tuple[int, int]
    rate: tuple[float, float, float] | None
    half_width: float
    needed: int | None = None


GROUP_RATES = [
    GroupRateCase("both verdicts", ((3, 3), (1, 15)), (40, 160), (0.716667, 0.529847, 0.860627), 0.192706),
    GroupRateCase("rare verdict", ((0, 0), (0, 12)), (10, 190), (0.975, 0.763181, 1.0), 0.250073),
    GroupRateCase("judge fails all", ((0, 0), (20, 1)), (92, 6), (1.0, 0.856639, 1.0), 0.198519),
    GroupRateCase("four labels", ((1, 1), (0, 2)), (100, 100), None, 0.332445, 6),
    GroupRateCase("eight labels", ((3, 1), (0, 4)), (80, 120), None, 0.283063, 2),
    GroupRateCase("no labels", ((0, 0), (0, 0)), (30, 30), None, 0.353553, 10),
    GroupRateCase("sixty labels", ((18, 2), (2, 38)), (60, 90), (0.61, 0.513876, 0.713464), 0.123356),
]


COMMON_TESTS = [[20, 30], [20, 130]]
DIFFERENCE_LABELS = ((3, 3), (1, 15)), ((7, 7), (1, 7))
DIFFERENCE_RATES = (0.6875, 0.425)
DIFFERENCE = (0.2625, -0.015147, 0.51872)
DIFFERENCE_VARIANCE = 0.000252335
"""Tests both groups were graded on, rows the first group's fail and pass by the judge; labels of each group, rows
people's fail and pass, columns the judge's; their rates; the difference with its limits; the variance of its tests."""

NEXT_LABELS = [((3, 1), (0, 9)), ((6, 4), (1, 6)), ((0, 0), (0, 0))]
NEXT_POOL = [[200, 800], [500, 500], [700, 300]]
NEXT_TAKEN = [[0, 0], [0, 0], [9, 3]]
"""Labels of three groups, their fails and passes by the judge, and how the next 12 labels are spread over these."""


@dataclass(frozen=True)
class RunsCase:
    """Worked example of drift: levels 0 to 4 in accepted runs and (last column) now, a row per example, and results."""

    name: str
    runs: tuple[tuple[int, ...], ...]
    shift: float
    answers: float
    between: float
    pooled: float
    p_pooled: float
    p: float
    interval90: tuple[float, float]
    f: float | None = None
    p_alike: float | None = None
    p_runs_only: float | None = None
    unsteady: bool = False


def _rows(text: str) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int(level) for level in row) for row in text.split())


RUNS = [
    RunsCase(
        "three runs, moved by a level",
        _rows("3232 1100 4443 4443 0000 0000 0000 0000 2321 1110 2121 1110"),
        -0.611111,
        0.118687,
        0.002315,
        0.01163199,
        0.002692,
        0.002692,
        (-0.853108, -0.369114),
        f=0.234,
        p_alike=0.793273,
    ),
    RunsCase(
        "one run, moved by a level",
        _rows("32 10 43 43 00 00 00 00 21 10 21 10"),
        -0.666667,
        0.121212,
        0.0,
        0.01650101,
        0.021396,
        0.021396,
        (-1.053948, -0.279386),
    ),
    RunsCase(
        "three runs that differ by themselves",
        _rows(
            "4434 1000 1100 1121 0000 4444 3433 3221 1010 1100 2111 3122 3323 2222 1111 1000 4332 4333 1000 1000 "
            "3211 1211 4444 2222"
        ),
        -0.333333,
        0.224638,
        0.090278,
        0.04059919,
        0.201924,
        0.438049,
        (-1.346406, 0.679739),
        f=9.6452,
        p_alike=0.000318,
        p_runs_only=0.438049,
        unsteady=True,
    ),
    RunsCase(
        "three steady runs, nothing moved",
        _rows(
            "3324 3444 4444 3122 4344 3444 4444 0000 2222 4333 1111 0211 3333 4444 2132 0100 3322 4444 "
            "1111 1121 1121 4444 0000 2222"
        ),
        0.013889,
        0.258454,
        0.002315,
        0.01221755,
        0.916894,
        0.916894,
        (-0.234124, 0.261902),
        f=0.215,
        p_alike=0.807385,
    ),
    RunsCase(
        "five runs, half a level lower",
        _rows(
            "323432 444444 000000 443443 221121 321221 323332 111121 444443 100000 111110 001110 "
            "221211 222321 000000 000000 001000 000000 001000 444443"
        ),
        -0.52,
        0.165,
        0.00825,
        0.01145,
        0.002179,
        0.002179,
        (-0.737972, -0.302028),
        f=1.0,
        p_alike=0.412948,
    ),
    RunsCase(
        "one run, nothing moved",
        _rows("22 22 23 22 44 11 33 00 22 44 00 33 22 33 33 12 33 34 22 00 33 00 33 44"),
        0.125,
        0.057065,
        0.0,
        0.00877772,
        0.398885,
        0.398885,
        (-0.157463, 0.407463),
    ),
]


@dataclass(frozen=True)
class SliceCase:
    """Worked example of a slice: counts of gold's and the judge's levels inside and outside it, and the comparison."""

    name: str
    look: str
    inside: list[list[int]]
    outside: list[list[int]]
    span: int
    figure_inside: float
    figure_outside: float
    p_as_it_is: float
    same_gold: float
    p_same_gold: float
    matters: bool


MET_TO_ALL = [[0, 1, 13], [0, 0, 1], [1, 1, 11]], [[0, 1, 7], [0, 0, 1], [1, 1, 65], [1, 0, 2]]
BROKEN_BOTH_WAYS = (
    [[0, 1, 6], [0, 0, 4], [1, 0, 7], [1, 1, 8]],
    [[0, 1, 2], [0, 0, 22], [1, 1, 47], [1, 0, 4]],
)
TOO_HIGH = (
    [[1, 3, 4], [2, 3, 5], [2, 4, 4], [3, 4, 3], [3, 5, 5], [4, 5, 4]],
    [
        [1, 1, 9],
        [1, 2, 5],
        [2, 2, 14],
        [2, 3, 6],
        [3, 3, 15],
        [3, 2, 4],
        [4, 4, 12],
        [4, 3, 4],
        [5, 5, 6],
    ],
)
NOTHING_SHARED = [[1, 1, 20], [1, 2, 5]], [[4, 4, 40], [5, 5, 35]]
SLICES = [
    SliceCase(
        "base rates apart, by which way",
        "signed error",
        *MET_TO_ALL,
        1,
        0.52,
        0.066667,
        0.000237865,
        0.038156,
        0.460852,
        False,
    ),
    SliceCase(
        "base rates apart, by how far", "size", *MET_TO_ALL, 1, 0.52, 0.12, 5.57397e-05, -0.000641, 0.990125, False
    ),
    SliceCase(
        "broken both ways, by how far",
        "size",
        *BROKEN_BOTH_WAYS,
        1,
        0.52,
        0.08,
        4.56856e-06,
        0.436846,
        4.23697e-07,
        True,
    ),
    SliceCase(
        "five levels too high",
        "signed error",
        *TOO_HIGH,
        4,
        0.38,
        0.01,
        1.17641e-15,
        0.365721,
        5.22775e-23,
        True,
    ),
    SliceCase(
        "broken both ways, by which way",
        "signed error",
        *BROKEN_BOTH_WAYS,
        1,
        -0.04,
        -0.026667,
        0.930106,
        -0.045735,
        0.619473,
        False,
    ),
    SliceCase(
        "five levels too high, by how far",
        "size",
        *TOO_HIGH,
        4,
        0.38,
        0.063333,
        2.72667e-13,
        0.311026,
        3.96508e-19,
        True,
    ),
    SliceCase(
        "no gold level shared, by which way", "signed error", *NOTHING_SHARED, 4, 0.05, 0.0, 0.021983, 0.0, 1.0, False
    ),
    SliceCase("no gold level shared, by how far", "size", *NOTHING_SHARED, 4, 0.05, 0.0, 0.021983, 0.0, 1.0, False),
]

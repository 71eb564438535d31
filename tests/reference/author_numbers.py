"""Worked figures of weights and pass mark fitted to pass/fail decisions.

They were computed away from this package, by two routes that agree to 1e-7.
"""

WEIGHTS = (3.0, 2.0, -1.0)
MARK = 0.45
ROWS = """
140+ 100- 204- 100- 104- 144- 144- 340+ 444- 244- 344- 240+ 240+ 344- 104- 144- 240+ 444+ 104- 140+ 244- 244-
000- 344- 204- 100- 244- 344- 000- 144- 000- 100- 304- 444- 144- 344- 344- 044- 100- 200- 304- 100- 200+ 100-
144- 344- 244- 344- 304- 200- 104- 304- 300+ 140+ 200- 344-
"""
"""Units e1, e2, ...: positions of the three criteria in quarters, and whether the response is passed."""

F, DIRECTIONS, UNITS, P = 9.793260512, 2, 56, 0.000235005591
COEFFICIENTS, SLOPE, INTERCEPT, PENALTY = (4.8385348, 3.2486783, 4.8519465), 8.951308, -3.8228238, 0.104269687
STEP, FITTED, WRITTEN = 0.825461252, (2.9914723, 2.0085277, 2.9997643), (3.0, 2.0, -2.5)
MARK_P_AFTER, MARK_P_BEFORE = 0.507703558, 2.05997725e-06
GAIN, SE = 0.21875, 0.064674039
EXPECTED = (0.199628942, 0.037943845, 0.36131404)
CHANGED = 14

"""Worked figures of rates over time, computed once, away from this package, in plain Python.

They are the decisive cases of shared/statistics/rates.yaml; the incomplete beta function is a program of its own.
"""

AUDITED = {("reply", "trace-1"): False, ("reply", "trace-3"): True, ("reply-2", "trace-1"): True, ("reply", "é"): False}
"""By seed and id, whether a response is audited at a chance of one half."""
ALL_LOOKS_LIMITS = {
    (0.0, 5.0): (0.0, 0.7137145137),
    (17.0, 20.0): (0.5088488816, 0.9876671829),
    (76.0, 80.0): (0.8334099657, 0.993646213),
    (33.6, 42.0): (0.5690739955, 0.9411115592),
}
"""By hits and labels, the limits of a share at 1 - .05/26."""
ALL_LOOKS_RATES = [
    ((200, 800), (1, 15), (4, 16), (0.8, 0.5039140059, 0.9451016527)),
    ((3100, 14104), (12, 180), (43, 188), (0.8352096063, 0.7744335531, 0.8852035667)),
    ((20, 980), (0, 28), (0, 30), (0.9246666667, 0.6891967373, 0.9889627699)),
    ((100, 900), (4, 36), (4, 36), (1.0, 0.8361265155, 1.0)),
]
"""Pools, labels that pass and labels, each of fails and passes, and the rate with its limits at 1 - .05/26."""
EFFECTIVE = {((1, 4, 0.02), (9, 20, 0.06)): (6.857142857, 18.28571429)}
"""By labels that pass, labels and chance of an audit, what they are worth."""
STRICT_JUDGE = [0.9910363906, 0.9816613752, 0.9721489809, 205.634651, 33713374.48, 5643971600000.0]
"""Evidence when 1 of 84 accepted passes flips for three weeks, then 17 of 84, and none of 16 fails."""
PEOPLE_DROP = [0.994384613, 0.9874847431, 1.00930758, 1.096846488, 1.431376296, 2.7542788, 8.188961094, 31.13712544]
"""Evidence when people's rate falls by .15 in the third week; 129.75 in the ninth, when it rings at 40."""
SHARE_RISE = [2.789164396, 1587.571024, 1569087.219, 1629531929.0]
"""Evidence when the share rises from .798 to .95, in weeks of 300."""
FLIPS_WHEN_STILL = {"three of 84 waver": 0.06172822363, "one of 16, two runs": 0.2234893315}
LEVEL_MARGINS = {(5, 0.0, 3e-5): 0.04137394498, (1, 0.0, 5e-5): 0.07727487911, (5, 0.0012, 5e-5): 0.08104657695}
"""By accepted runs, variance of their means and variance of a mean, the margin in parts of the range."""
AT_MOST_BY_JUDGE = {(0, 80): -0.02771807649, (8, 80): -0.1343554916, (2, 80): -0.05020306118}
"""By flips of accepted passes, what the judge may explain of a fall by .12 from .8."""

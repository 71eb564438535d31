"""Worked figures of perturbed ratings, computed once, away from this package, with plain numpy and scipy."""

DIFFERENCES = (0, 1, 0, 0, 1, 0, -1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0)
SHIFT, P = 0.3, 0.0063476562
SMALLEST = {40: 0.533910921, 8: 0.4738306959}
"""The smallest shift found, by the number of cells tested together."""
INTERVAL = (0.1340392963, 0.4659607037)
RISE, FALL, OF, YES_NO_P, YES_NO_SHIFT = 13, 3, 60, 0.0127258301, 0.1666666667
HOLM = {
    "p": (0.0004, 0.02, 0.6, 0.0011, 0.3, 0.9, 0.04, 0.008),
    "adjusted": (0.0032, 0.1, 1.0, 0.0077, 0.9, 1.0, 0.16, 0.048),
}
TWICE = ((3, 3), (4, 4), (2, 3), (5, 5), (3, 4), (4, 4), (1, 1), (2, 2))
PERTURBED = (4, 4, 3, 5, 5, 2, 1, 3)
CHANGED, RETEST, ANY_CHANGE_P, EFFECT_SD = 0.5625, 0.25, 0.0617283951, 0.9774237274

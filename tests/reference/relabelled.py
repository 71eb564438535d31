"""When labels from before a rewording count; worked cases of the statistical contract, `stale`."""

STALE = [
    (19, 0, 20, None, 0, "too few"),
    (20, 0, 40, 0, 40, "old labels count"),
    (20, 1, 40, 0, 0, "relabel the rest"),
    (30, 1, 60, 1, 60, "old labels count"),
    (30, 2, 60, 1, 0, "relabel the rest"),
    (30, 1, 90, 1, 60, "old labels count"),
    (60, 2, 120, 2, 120, "old labels count"),
    (100, 3, 200, 3, 200, "old labels count"),
    (100, 4, 200, 3, 0, "relabel the rest"),
]
"""Examples labelled again, those that differ, those with old labels; how many may differ, how many old ones count, and
what follows."""

"""Pass rates, corrected for the judge's errors, and the risk that a run in CI misses the threshold by chance."""

"""Pass rates, corrected for the judge's errors, and the risk that a run misses CI's threshold by chance."""

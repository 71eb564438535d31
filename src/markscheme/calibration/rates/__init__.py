"""Pass rates, corrected for the judge's errors, and the risk of a gate on them."""

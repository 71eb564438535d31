"""Pass rates followed over time: whether annotators' pass rate, the judge or the responses changed since the start."""

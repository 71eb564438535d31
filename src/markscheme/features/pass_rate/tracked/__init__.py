"""Pass rates followed over time, with evidence that annotators' pass rate, the judge or the responses changed."""

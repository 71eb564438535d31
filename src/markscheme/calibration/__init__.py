"""Where rubrics, people and statistics meet."""

"""Comparison of two versions of a rubric: which agrees better with people's decisions, and what else changed."""

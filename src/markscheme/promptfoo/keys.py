"""Constants shared by the answers to Promptfoo and the reader of its results."""

NOT_GRADED = "not graded: "
"""Beginning of the reason for a failing result if the output wasn't graded."""
SCORING_FUNCTION = "assertScoringFunction"
"""Promptfoo's key for a function that decides a test from the scores of its assertions.

Promptfoo can't pass a function to a Python file, so the grader in JavaScript says under this key that there is one.
"""

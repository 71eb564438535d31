"""Constants shared by the answers to Promptfoo and the reader of its results."""

NOT_GRADED = "not graded: "
"""Beginning of the reason for a failing result if nothing was graded."""
SCORING_FUNCTION = "assertScoringFunction"
"""Promptfoo's key for a function that decides a test from the scores of its assertions.

Promptfoo passes a Python file no functions; the grader in JavaScript says that there is one.
"""

"""The assertion and the grading provider for Promptfoo, and the reader of its results."""

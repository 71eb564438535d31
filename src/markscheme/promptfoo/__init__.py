"""Promptfoo's assertion and results. Only this package knows Promptfoo's own keys."""

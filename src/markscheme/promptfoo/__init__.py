"""Promptfoo: its assertion, its results. Only here are Promptfoo's own keys known."""

"""Readers of other tools' files, which turn them into ratings: one module per tool."""

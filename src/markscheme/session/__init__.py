"""A warm process that grades for many short-lived processes: its client and its server."""

SETTINGS_FILES = ("markscheme.toml", "pyproject.toml")
"""Files with defaults, the stronger first; a session keeps those it started with."""

"""A warm process that grades for many short-lived processes: its client and its server."""

SETTINGS_FILES = ("markscheme.toml", "pyproject.toml")
"""Names of files with defaults for options, the one that takes precedence first; a session keeps the defaults it
started with."""

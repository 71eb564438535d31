"""One warm process that grades for many short ones: the client that asks it, and the server that answers."""

SETTINGS_FILES = ("markscheme.toml", "pyproject.toml")
"""Files with defaults, the stronger first; a session keeps those it started with."""

"""Other tools' files as ratings: one module a tool."""

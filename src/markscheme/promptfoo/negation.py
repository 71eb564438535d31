"""The exception that is raised if a `not-python` would turn a failing result into a pass; imports no other module."""


class NotGraded(Exception):  # noqa: N818 - Promptfoo prints its name
    """Error raised if the assertion is or may be a `not-python`, which would turn a failing result into a pass."""

"""The exception that is raised if a `not-python` would turn a failing result into a pass; imports no other module."""


class NotGraded(Exception):  # noqa: N818 - Promptfoo prints its name
    """Error raised in place of a failing result, which a `not-python` assertion would turn into a pass.

    It is raised if an output isn't graded, or a person should decide, and the assertion is or may be a `not-python`.
    """

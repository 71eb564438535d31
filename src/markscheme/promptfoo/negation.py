"""What is raised where a negation would turn a failing result into a pass; it loads nothing."""


class NotGraded(Exception):  # noqa: N818 - Promptfoo prints its name
    """Raised where the assertion is or may be a `not-python`, which would turn a failing result into a pass."""

"""Refusals of rubrics as others publish them."""

from markscheme.errors import Fault, RubricError


def open_to_option(problem: str, option: str) -> RubricError:
    """Make the error for a rubric that an option of `import` would settle.

    Args:
        problem: What is open, and how the option says it.
        option: The option's name, without dashes.
    """
    return RubricError((Fault(problem, about=(("option", option),)),))

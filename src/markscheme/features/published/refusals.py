"""Errors for published rubrics that can't be read."""

from markscheme.errors import Fault, RubricError


def open_to_option(problem: str, option: str) -> RubricError:
    """Make the error for a rubric that can be read only with an option of `import`, since it is ambiguous.

    Args:
        problem: What is ambiguous, and what the option says about it.
        option: The option's name, without dashes.
    """
    return RubricError((Fault(problem, about=(("option", option),)),))

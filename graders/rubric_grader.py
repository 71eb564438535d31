"""Promptfoo's python assertion: `type: python, value: file://graders/rubric_grader.py, config: {rubric: NAME}`.

The rubric may be named after the file instead, as in `file://graders/rubric_grader.py:NAME`.
"""

MISSING = (
    "not graded: markscheme cannot be imported by {python} ({error}); install it there, or set PROMPTFOO_PYTHON to the "
    "Python in which it is installed"
)


def get_assert(output, context):  # type: ignore[no-untyped-def]  # loads nothing that it can do without
    """The grading result for one output."""
    try:
        from markscheme.promptfoo.entry import get_assert as graded
    except ImportError as error:
        import sys

        why = MISSING.format(python=sys.executable, error=error)
        # A negated assertion would turn a failing result into a pass; one behind a reference, or in a file, may be one.
        if any(sign in str(context) for sign in ("not-", "'$ref'", "'assert': '")):
            raise ImportError(why) from error
        return {"pass": False, "score": 0, "reason": why}
    return graded(output, context, __file__)


def __getattr__(name):  # type: ignore[no-untyped-def]
    """The grader by one rubric: `file://graders/rubric_grader.py:NAME` names it after the file."""
    if name.startswith("__"):
        raise AttributeError(name)

    def by_rubric(output, context):  # type: ignore[no-untyped-def]
        return get_assert(output, {**context, "rubricName": name})

    return by_rubric

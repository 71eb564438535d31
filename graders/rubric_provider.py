"""Promptfoo's grading provider: `defaultTest: {options: {provider: {id: file://graders/rubric_provider.py}}}`."""

MISSING = (
    "not graded: markscheme cannot be imported by {python} ({error}); install it there, or set PROMPTFOO_PYTHON to the "
    "Python in which it is installed"
)


def call_api(prompt, options, context):  # type: ignore[no-untyped-def]  # loads nothing that it can do without
    """The verdict of an `llm-rubric`, whose value is a rubric's name or says what is required."""
    try:
        from markscheme.promptfoo.entry import call_api as answered
    except ImportError as error:
        import sys

        return {"error": MISSING.format(python=sys.executable, error=error)}
    return answered(prompt, options, context, __file__)

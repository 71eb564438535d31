"""Promptfoo's hooks: a warm session for the graders in this folder while an evaluation runs.

extensions:
  - file://graders/session.py:beforeAll
  - file://graders/session.py:afterAll
"""


def beforeAll(context, hook):  # type: ignore[no-untyped-def]  # noqa: ARG001, N802 - Promptfoo's names
    """Start the session."""
    from markscheme.hooks import before_all

    before_all(__file__)


def afterAll(context, hook):  # type: ignore[no-untyped-def]  # noqa: ARG001, N802 - Promptfoo's names
    """End the session, and print a summary of the run."""
    from markscheme.hooks import after_all

    after_all(context, __file__)

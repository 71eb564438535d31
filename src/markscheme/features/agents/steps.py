"""What the core calls for an agent's steps, gathered so that it loads together."""

from markscheme.features.agents.spans import spans_in
from markscheme.features.agents.step_checks import STEP_CHECKS

__all__ = ["STEP_CHECKS", "spans_in"]

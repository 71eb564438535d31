"""From outputs and notes on them to failure modes, and from these to a first rubric."""

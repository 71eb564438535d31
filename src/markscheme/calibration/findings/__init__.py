"""Findings: faults of judge, rubric or labels, each with its evidence and what to do about it."""

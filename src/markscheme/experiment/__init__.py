"""Experiments: prompt variants x cases, graded, and compared case by case."""

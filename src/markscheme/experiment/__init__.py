"""Prompt variants x cases to a graded table, and the table to a comparison by case."""

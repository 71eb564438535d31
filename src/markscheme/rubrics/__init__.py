"""Rubrics, their files, and advice on them."""

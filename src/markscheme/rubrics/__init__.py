"""Rubrics: their criteria and scales, their files, and advice on their wording."""

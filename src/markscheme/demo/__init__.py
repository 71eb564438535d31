"""Demonstrations: raters that read nothing compared with one that does, and a planted fault found again."""

"""Runs as they were accepted: what identifies a run, how the accepted ones are read, and what compares with them."""

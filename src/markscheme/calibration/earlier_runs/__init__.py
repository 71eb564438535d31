"""Accepted runs: how they are read from their files, what identifies a run, and what a new run is compared with."""

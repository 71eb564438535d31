"""Calibration: a judge compared with human labels, what it can decide, and what to fix."""

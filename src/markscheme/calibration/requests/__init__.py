"""Requests to calibrate, as a command or a program makes them, and their results."""

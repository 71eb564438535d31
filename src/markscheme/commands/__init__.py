"""One module a command: a function whose signature and docstring are its help, and which returns the exit status.

What loads much is imported when it is called, so that `--help` is quick; most work of `calibrate` is in `calibrations`.
"""

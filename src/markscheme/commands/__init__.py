"""Commands, one module for each: a function that returns the exit status; its signature and docstring make the help.

What loads much is imported when it is called, so that `--help` is quick; most work of `calibrate` is in `calibrations`.
"""

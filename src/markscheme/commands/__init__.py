"""Commands, one module for each: a function that returns the exit status; its signature and docstring make the help.

Modules that take long to load are imported when a command runs, so that `--help` is quick.
"""

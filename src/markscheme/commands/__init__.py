"""One module a command: `parser()` says what it takes, `run()` does it and gives the exit status.

Work that loads much is in a module of its own, so that `--help` is quick: that of `calibrate` in `calibrating`.
"""

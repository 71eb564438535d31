"""One module a command: `parser()` says what it takes, `run()` does it and gives the exit status."""

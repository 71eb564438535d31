"""Options: what a value may be, the tables of options that commands share, and the settings file."""

"""Options: rules for their values, families of options that commands share, and the settings file."""

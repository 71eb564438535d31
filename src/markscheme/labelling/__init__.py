"""The local labelling page: what comes next, what is stored, and how it is shown."""

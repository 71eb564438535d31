"""The local page on which people label: what comes next, what is kept, and how it is shown."""

"""Results as a person or a program reads them: terminal, Markdown, JSON. All rounding is here."""

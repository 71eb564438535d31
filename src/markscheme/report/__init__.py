"""Output of results: terminal, Markdown, HTML, JSON. All rounding happens here."""

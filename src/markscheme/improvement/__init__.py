"""New wordings of a rubric: proposed, screened on dev labels, and tested once on held-out labels."""

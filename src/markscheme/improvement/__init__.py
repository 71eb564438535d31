"""New wordings of a rubric: written, screened on dev labels, and tested once on labels that were held out."""

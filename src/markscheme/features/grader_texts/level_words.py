"""Regular expressions for words about scores and levels in `llm-rubric` texts."""

LEVEL_NOUNS = "score|rating|level|grade|mark|stufe|note|nivel|niveau"
"""Pattern of nouns for a score, such as "rating" or "level"."""
UNITS = r"points?|stars?|pts?|punkte?"
"""Pattern of the units in which scores are counted, such as points or stars."""
MEANS = (
    "means|meaning|indicates|represents|denotes|signifies|stands for|corresponds to|bedeutet|heißt|significa|signifie"
)
"""Pattern of words between a score and its meaning."""

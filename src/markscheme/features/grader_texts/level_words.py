"""Regular expressions for words about scores and levels in `llm-rubric` texts."""

LEVEL_NOUNS = "score|rating|level|grade|mark|stufe|note|nivel|niveau"
"""What a score is called."""
UNITS = r"points?|stars?|pts?|punkte?"
"""What scores count."""
MEANS = (
    "means|meaning|indicates|represents|denotes|signifies|stands for|corresponds to|bedeutet|heißt|significa|signifie"
)
"""Words between a score and what it means."""

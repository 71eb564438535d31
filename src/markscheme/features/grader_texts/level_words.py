"""Words of scores and levels in texts behind `llm-rubric`, as parts of patterns."""

LEVEL_NOUNS = "score|rating|level|grade|mark|stufe|note|nivel|niveau"
"""What a score is called."""
UNITS = r"points?|stars?|pts?|punkte?"
"""What scores count."""
MEANS = (
    "means|meaning|indicates|represents|denotes|signifies|stands for|corresponds to|bedeutet|heißt|significa|signifie"
)
"""Words between a score and what it means."""

"""A judge compared with gold: agreement, limits, probabilities, preferences, and the policy of verdicts."""

"""Two versions of a rubric compared: which decides more as people do, and what else changed."""

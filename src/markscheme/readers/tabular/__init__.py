"""Reading of tables with ratings, from any file or data frame; ambiguous tables are refused, never guessed."""

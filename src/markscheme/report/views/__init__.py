"""What each result says of itself: one module a result, each a function to a Document and one to plain data."""

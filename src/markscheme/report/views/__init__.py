"""Views: one module per result, each with a function to a Document and one to the entries of its JSON."""

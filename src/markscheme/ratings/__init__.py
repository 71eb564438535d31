"""Ratings, labelled examples, and tables of them."""

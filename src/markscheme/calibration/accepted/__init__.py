"""Accepted runs: their history, the card that sums one up, and its verification."""

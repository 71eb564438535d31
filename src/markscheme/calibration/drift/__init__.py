"""What moved since the accepted runs, and what may have caused it."""

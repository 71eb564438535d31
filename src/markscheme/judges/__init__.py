"""LLM judges: one adapter per provider, and judges that wrap other judges."""

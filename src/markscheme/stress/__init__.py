"""Stress test: perturbed texts, asked together with the originals, show what moves a judge that shouldn't."""

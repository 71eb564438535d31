"""Weights and pass mark fitted to annotators' decisions about whole responses."""

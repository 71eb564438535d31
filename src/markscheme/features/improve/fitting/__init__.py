"""Weights and pass mark that decisions about whole responses support."""

"""Readers that turn files of markscheme and of other tools into examples and ratings."""

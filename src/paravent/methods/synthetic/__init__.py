"""Synthetic tables: rows of nobody, drawn from counts with noise."""

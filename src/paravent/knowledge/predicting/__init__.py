"""Predictions: what a method would give on a table, before it is run."""

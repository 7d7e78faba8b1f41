"""Subtree generalization: every value of a column under one cut through its tree."""

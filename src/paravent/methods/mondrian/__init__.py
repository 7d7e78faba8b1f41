"""Multidimensional generalization: the table is cut in two, again and again."""

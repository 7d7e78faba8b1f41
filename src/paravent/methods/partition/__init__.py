"""Partitions of a table's rows: what they cost, and how to find better ones (Mauger 2021, ch. 5)."""

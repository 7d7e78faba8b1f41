"""Clusters of similar rows, each labelled by what covers it."""

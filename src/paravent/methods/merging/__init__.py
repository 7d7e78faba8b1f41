"""Greedy merging of classes."""

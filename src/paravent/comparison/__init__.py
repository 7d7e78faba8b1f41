"""Comparison: several ways to anonymize one table, side by side and at equal protection.

Upstream are plan, privacy and utility; downstream the report page and the command line.
"""

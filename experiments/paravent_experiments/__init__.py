"""Experiments of the literature as commands: run again on tables that everybody has, beside the published numbers."""

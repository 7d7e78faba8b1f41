"""The evaluation cube: every method over a grid of tables and parameters, and what was measured."""

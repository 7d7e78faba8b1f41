"""Full-domain generalization: every cell of a column on one level of its tree."""

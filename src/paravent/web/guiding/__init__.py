"""What the screens of the guide stand on, without a web framework: contexts, candidates, runs, results."""

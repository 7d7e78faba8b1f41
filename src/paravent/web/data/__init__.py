"""The parts of the data screen."""

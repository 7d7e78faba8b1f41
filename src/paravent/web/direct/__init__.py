"""The parts of the screen of experts."""

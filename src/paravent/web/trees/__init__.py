"""The parts of the screen of trees."""

"""Pieces that several screens use. Each is a function that makes NiceGUI elements where it is called."""

"""The user's layer: what an expert adds to the shipped knowledge or changes in it, in a file of its own."""

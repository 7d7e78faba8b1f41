"""Groups of similar rows, each published by its average."""

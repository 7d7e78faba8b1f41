"""Tables larger than memory, on one machine: read, folded, written and verified some rows at a time."""

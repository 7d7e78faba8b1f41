"""Risk: who could still be found in a table, under which assumption, and how sure that is. One file an idea."""

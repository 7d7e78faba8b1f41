"""How a table collapses: what its rows come to look like when columns are raised along fixed chains, or rows are put
into parts by a fixed order."""

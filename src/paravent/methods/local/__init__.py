"""Local recoding and local suppression: rows and cells are treated one by one."""

"""Methods that leave quasi-identifiers as they are and hide which sensitive value is whose: groups, slices."""

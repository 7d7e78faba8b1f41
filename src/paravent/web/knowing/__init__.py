"""Parts of the screen about the knowledge: asking it, and adding to it."""

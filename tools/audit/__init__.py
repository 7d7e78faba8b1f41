"""Does an answer tell more about somebody than its price? Mechanisms are run often on neighbouring tables."""

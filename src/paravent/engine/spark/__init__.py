"""Anonymization on a Spark cluster: values are counted, rows are recoded and the result is verified where they lie."""

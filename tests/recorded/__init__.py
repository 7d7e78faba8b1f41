"""What the program gives today, written down: a release, its measures, risks and attacks for every method.

Other tests say what is right. These say what has changed: the same input, plan and seed give the same bytes, in this
version as in the last. A change on purpose is written down anew by `python -m tests.recorded`, and its difference read.
"""

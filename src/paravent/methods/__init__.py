"""The algorithms, named as in the literature."""

from paravent.methods.gkaa import GkAA
from paravent.methods.method import Axis, Cells, Method, Recoding, Task
from paravent.methods.mondrian import Mondrian
from paravent.methods.optimal import Optimal

__all__ = ["Axis", "Cells", "GkAA", "Method", "Mondrian", "Optimal", "Recoding", "Task"]

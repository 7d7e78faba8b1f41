"""Distributions of many columns that agree with noisy counts of some: what is fitted to a private release and sampled
from. Nothing here sees a table or draws noise: it works on what mechanisms have released."""

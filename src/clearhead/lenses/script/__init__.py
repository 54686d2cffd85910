"""A worked example as a program that stands alone and prints the same numbers."""

from clearhead.lenses.script.write import numpy_script, torch_script

__all__ = ["numpy_script", "torch_script"]

"""The mathematics of attention: operations, masks and one layer from top to bottom. NumPy only."""

"""What a capture of a real model is, in NumPy alone: it can be read again on a machine without PyTorch."""

"""Models of transformers and PyTorch, loaded and captured. Both packages are imported with the first use."""

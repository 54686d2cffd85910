"""Models of Hugging Face transformers, and any PyTorch module with attention: what entered their dot products."""

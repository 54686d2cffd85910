"""Training that is done elsewhere: the recording of any PyTorch loop is in `pytorch`."""

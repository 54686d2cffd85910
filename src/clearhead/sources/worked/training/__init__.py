"""Training an example's model step by step, and keeping what is needed to replay it."""

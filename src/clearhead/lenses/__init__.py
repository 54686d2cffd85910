"""What a trace means: pure functions from traces to views. No torch, no HTML; siblings never import each other."""

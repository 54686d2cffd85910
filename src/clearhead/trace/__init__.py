"""Traces: every quantity of one computation, with the recipe of every cell."""

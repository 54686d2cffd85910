"""The names of quantities: which layer one belongs to, what its gradient is called."""

from __future__ import annotations


def scope(layer: int, layers: int) -> str:
    """What stands before the names of one layer: nothing in a model of one layer, "layer0." and so on in others."""
    return "" if layers == 1 else f"layer{layer}."


def taken_apart(name: str) -> tuple[str, str]:
    """The scope of a name, with its point, and the rest: "layer1.W_Q" is "layer1." and "W_Q"; "E" is "" and "E"."""
    before, point, bare = name.rpartition(".")
    return before + point, bare


def gradient_of(name: str) -> str:
    """The name of the loss's gradient with respect to a quantity: "dE", "layer1.dW_Q"."""
    before, bare = taken_apart(name)
    return f"{before}d{bare}"


def contribution_to(name: str, consumer: str) -> str:
    """The name of the part of a gradient that comes back through one of the quantity's consumers."""
    before, bare = taken_apart(consumer)
    here = taken_apart(name)[0]
    return f"{gradient_of(name)}_from_{bare if before == here else consumer.replace('.', '_')}"

"""Shapes: every quantity has as many axes as names, and an axis of one name and role has one size."""

ONE_SIZE = {"vocabulary", "position", "query", "key", "head", "model"}
"""Axes whose size is the same in every quantity; feature and joined differ between queries and values."""

OWN_WIDTH = {"W_O", "W_O_heads", "VW_O", "contribution", "output", "identity"}
"""W_O may have any number of columns, so "model" may have another size in what it makes."""


def test_axes_and_sizes_fit_together(variation, traced):
    name, changes = variation
    trace = traced(name, **changes)
    sizes = {}
    for quantity in trace.values():
        assert len(quantity.axes) == quantity.values.ndim
        for axis, size in zip(quantity.axes, quantity.shape, strict=True):
            if axis in ONE_SIZE and quantity.name not in (OWN_WIDTH if axis == "model" else {"P"}):
                assert sizes.setdefault(axis, size) == size, f"{quantity.name}: {axis}"
    assert sizes["query"] == sizes["key"] == sizes["position"] == len(trace.tokens)

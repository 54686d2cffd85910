"""The random number generators that a training may draw from."""

from __future__ import annotations

import random
from collections.abc import Collection
from typing import Any

import numpy as np
import torch


def generators(devices: Collection[torch.device]) -> dict[str, Any]:
    """The state of every generator that this process may draw from: PyTorch's, Python's and NumPy's global ones.

    Dropout draws from PyTorch's, on the device that it runs on; batches are often drawn with the others. Reading a
    state does not wait for a device.
    """
    states: dict[str, Any] = {
        "torch": torch.get_rng_state(), "python": random.getstate(), "numpy": np.random.get_state(),
    }  # fmt: skip
    for number, device in enumerate(devices):
        module = getattr(torch, device.type)
        states[f"{device.type}/{number}"] = (
            module.get_rng_state() if device.type == "mps" else module.get_rng_state(device)
        )
    return states


def set_generators(states: dict[str, Any], devices: Collection[torch.device]) -> bool:
    """Put the generators where they were; False if some are missing because it was another kind of machine."""
    torch.set_rng_state(states["torch"])
    random.setstate(states["python"])
    np.random.set_state(states["numpy"])
    named = {f"{device.type}/{number}": device for number, device in enumerate(devices)}
    for name in named.keys() & states.keys():
        device = named[name]
        module = getattr(torch, device.type)
        if device.type == "mps":
            module.set_rng_state(states[name])
        else:
            module.set_rng_state(states[name], device)
    return named.keys() == states.keys() - {"torch", "python", "numpy"}


def devices_of(model: torch.nn.Module) -> list[torch.device]:
    """The devices, beside the CPU, that the model's tensors lie on and that have a generator of their own."""
    tensors = [*model.parameters(), *model.buffers()]
    found = {tensor.device for tensor in tensors if tensor.device.type in ("cuda", "mps", "xpu")}
    return sorted(found, key=str)

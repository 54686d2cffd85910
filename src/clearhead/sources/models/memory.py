"""How much memory is free."""

from __future__ import annotations

from pathlib import Path

import torch


def free_memory(device: torch.device) -> int | None:
    """Bytes that can still be taken there; None where the system does not say."""
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        held = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return int(free + held)
    if device.type != "cpu":
        return None
    found = [one for one in (_available(), _left_in_group()) if one is not None]
    return min(found, default=None)


def _available() -> int | None:
    """What Linux says is available, its caches included."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)


def _left_in_group() -> int | None:
    """What is left of the limit of a container (cgroup v2); its file caches count as free."""
    try:
        group = Path("/sys/fs/cgroup")
        most = (group / "memory.max").read_text("ascii").strip()
        used = int((group / "memory.current").read_text("ascii"))
        stats = dict(line.split() for line in (group / "memory.stat").read_text("ascii").splitlines())
    except (OSError, ValueError):
        return None
    if most == "max":
        return None
    return max(0, int(most) - used + int(stats.get("inactive_file", 0)))

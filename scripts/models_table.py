"""The table of tested models in docs/models.md: what a capture finds in each row of the zoo, and how near it comes.

python scripts/models_table.py            write the part of the installed transformers
python scripts/models_table.py --check    fail if it is not what would be written; differences may have moved a little

The part of the oldest transformers is written by the Python of `.venv-oldest`, which `./check oldest` makes.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "error"

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "models.md"
COLUMNS = ("model", "class", "layers", "found", "kernel", "difference")
WITHOUT = re.compile(r"no softmax attention was seen in it \((.+)\)")
"""What a capture says of a block that does something else; the class is named."""
POWER = re.compile(r"< 1e-(\d+)")


def main() -> int:
    """Write the part, or with --check compare it."""
    warnings.simplefilter("ignore")
    page = PAGE.read_text("utf-8")
    before, old, after = divided(page, version())
    new = "\n".join(part())
    if "--check" not in sys.argv:
        PAGE.write_text(before + new + after, "utf-8")
        return 0
    if alike(old, new):
        return 0
    changed = [line for line in new.splitlines() if not any(alike(line, one) for one in old.splitlines())]
    print(
        f"{PAGE} is not what would be generated with transformers {version()}; run python scripts/models_table.py. "
        f"It would say, among others: {changed[0] if changed else 'less than it does'}",
        file=sys.stderr,
    )
    return 1


def version() -> str:
    """The first two numbers of the installed transformers' version."""
    import transformers

    return ".".join(transformers.__version__.split(".")[:2])


def divided(page: str, of: str) -> tuple[str, str, str]:
    """The page before, in and after the part between the marks of one version."""
    begin, end = f"<!-- {of}: begin -->\n", f"\n<!-- {of}: end -->"
    if page.count(begin) != 1 or page.count(end) != 1:
        raise SystemExit(f"{PAGE} has no part for transformers {of}; expected the lines {begin}and {end[1:]}")
    before, _, rest = page.partition(begin)
    old, _, after = rest.partition(end)
    return before + begin, old, end + after


def alike(one: str, other: str) -> bool:
    """Whether two texts are the same, differences within a power of ten of one another."""
    first, second = POWER.findall(one), POWER.findall(other)
    near = len(first) == len(second) and all(
        abs(int(a) - int(b)) <= 1 for a, b in zip(first, second, strict=True)
    )
    return near and POWER.sub("", one) == POWER.sub("", other)


def part() -> Iterator[str]:
    """The lines of the part: how many, the table, what has no attention, what this version does not have."""
    sys.path.insert(0, str(ROOT / "tests"))
    zoo: Any = importlib.import_module("zoo")
    there = [tiny for tiny in zoo.ROWS.values() if not zoo.why_missing(tiny)]
    absent = [tiny.name for tiny in zoo.ROWS.values() if zoo.why_missing(tiny)]
    none = [tiny.name for tiny in there if tiny.kind == "without"]
    rows = [row(zoo, tiny) for tiny in there if tiny.kind != "without"]
    kinds = Counter(kind for kind, _ in rows)
    counted = ", ".join(f"{kinds[kind]} {kind}" for kind in ("captured", "in part", "refused") if kinds[kind])
    yield f"{len(rows)} models of {len({tiny.type for tiny in there if tiny.attends})} types: {counted}."
    yield from ("", f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}")
    yield from (f"| {' | '.join(cells)} |" for _, cells in rows)
    yield from ("", f"Without softmax attention, which a capture says of them: {', '.join(none)}.")
    if absent:
        yield f"Not in this version, or it cannot build them: {', '.join(absent)}."


def row(zoo: Any, tiny: Any) -> tuple[str, tuple[str, ...]]:
    """Whether the model is captured, and the cells of its row."""
    seen = zoo.observe(zoo.build(tiny), tiny)
    name, of = f"`{tiny.name}`", type(seen.model).__name__
    if seen.capture is None:
        return "refused", (name, of, "refused", plain(str(seen.refusal).partition("captured: ")[2]), "", "")
    capture = seen.capture
    if not capture.agreement.agrees:
        raise SystemExit(f"{tiny.name} does not agree:\n{capture.agreement}")
    layers = list(capture.attentions())
    without = {layer.what: layer.tower for layer in capture.layers if layer.attention is None}
    refused = [
        f"{tower or 'others'}: {what}" for what, tower in without.items() if not WITHOUT.fullmatch(what)
    ]
    beside = [other[1] for what in without if (other := WITHOUT.fullmatch(what))]
    found = [*steps(layers), *(f"beside {what}" for what in beside), *refused]
    kernels = ", ".join(sorted({layer.attention.kernel for layer in layers}))
    kind = "in part" if refused else "captured"
    cells = (name, of, counted(layers), plain("; ".join(found)), kernels, power(capture))
    return kind, cells


def counted(layers: list[Any]) -> str:
    """How many layers each tower has."""
    towers = Counter(layer.tower for layer in layers)
    return ", ".join(f"{count} {tower}".strip() for tower, count in towers.items())


def steps(layers: list[Any]) -> list[str]:
    """What was found in the layers, in the order of the arithmetic."""
    from clearhead.trace.capture.recognised import recognised
    from clearhead.trace.capture.visible import Named

    attentions = [layer.attention for layer in layers]
    heads = {(one.heads, one.key.shape[1]) for one in attentions}
    found = [f"{queries} heads on {keys}" for queries, keys in sorted(heads) if queries != keys]
    if any(one.value.shape[3] != one.d_head for one in attentions):
        found.append("values of another width")
    found += [
        what
        for what, there in (
            ("own scale", any(abs(one.scale * one.d_head**0.5 - 1) > 1e-6 for one in attentions)),
            ("soft cap", any(one.soft_cap is not None for one in attentions)),
            ("bias by distance", any(one.bias is not None and one.bias.by_distance for one in attentions)),
            ("bias", any(one.bias is not None and not one.bias.by_distance for one in attentions)),
            ("sink", any(one.sink is not None for one in attentions)),
        )
        if there
    ]
    patterns = [recognised(one.visible.pattern(0, 0)) for one in attentions]  # the first text has no padding
    names = [one.name if isinstance(one, Named) else "a mask of its own" for one in patterns]
    return [*found, *("sees everything" if name == "none" else name for name in dict.fromkeys(names))]


def power(capture: Any) -> str:
    """The largest difference of any layer, of the size of its values, as the next power of ten."""
    import numpy as np

    worst = 0.0
    for layer, agreement in zip(capture.attentions(), capture.agreement, strict=True):
        size = max(1.0, float(np.abs(np.asarray(layer.attention.value[:], np.float64)).max()))
        worst = max(worst, agreement.difference / size)
    return f"< 1e-{next(power for power in range(16, -1, -1) if worst < 10.0**-power)}"


def plain(text: str) -> str:
    """The text as a cell holds it."""
    return text.replace("|", "or")


if __name__ == "__main__":
    sys.exit(main())

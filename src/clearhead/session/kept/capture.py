"""A capture of a real model as answers that are worked out beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clearhead.lenses.patterns import Patterns
from clearhead.lenses.walkthrough.captured import CapturedHead, stops_of
from clearhead.lenses.walkthrough.view import quantity_views, stop_view
from clearhead.messages import HeadWalk
from clearhead.session.kept.kept import Answer, Kept, key_of
from clearhead.session.kept.leftout import BELOW, CONTRIBUTIONS, ROLLOUT, WALK, opens_live
from clearhead.session.kept.rounded import rounded
from clearhead.session.kept.steps import (
    PRECISIONS,
    VECTOR_STEPS,
    WEIGHT_STEPS,
    Precision,
    Steps,
    numbers_of,
    weights_in_steps,
)
from clearhead.session.modelhead import label_of
from clearhead.session.modelstate import MOST_TOKENS, Chosen
from clearhead.session.recipes import recipes_of
from clearhead.session.showing import Showing
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.layer import Layer
from clearhead.trace.notation.numbers import format_number
from clearhead.trace.trace import Trace

Progress = Callable[[int, int], None]


def keep_capture(
    shown: Showing, *, worked: bool, precision: Precision = "short", tell: Progress | None = None
) -> Kept:
    """The Model part of a capture.

    Args:
        shown: the capture, see `clearhead.session.showing`.
        worked: keep the queries, keys and values of every head, from which everything else follows; else its weights.
        precision: how exactly.
        tell: told how many heads are done, and of how many.

    Raises:
        ValueError: its text is too long, or there is no such precision.
    """
    capture = shown.capture
    assert capture is not None  # whoever calls this has one
    if precision not in PRECISIONS:
        raise ValueError(f"precision: expected {' or '.join(map(repr, PRECISIONS))}, got {precision!r}")
    longest = max(max(one.queries, one.keys) for layer in capture.attentions() if (one := layer.attention))
    if longest > MOST_TOKENS:
        raise ValueError(
            f"text: {shown.name} has read {longest} tokens; a page is saved of a capture of at most {MOST_TOKENS}"
        )
    kept = Kept(shown.title, shown.address, shown.parts)
    kept.put({"ask": "models"}, shown.ask({"ask": "models"}))
    heads = Heads(shown, capture, kept, rounded(capture, precision) if worked else None, precision)
    every = list(_every_head(capture))
    for done, (layer, head, batch) in enumerate(every):
        heads.keep(layer, head, batch)
        if tell is not None:
            tell(done + 1, len(every))
    kept.says = heads.says
    for batch in range(_sequences(capture)):
        state = {"model": shown.name, "batch": batch}
        view = shown.ask({"ask": "model", "state": state})
        data: Any = view.data
        said = {
            "notes": [*data["notes"], kept.says],
            "rollout_note": data["rollout_note"] or _no_rollout(shown, capture, batch),
            "walk_note": "" if worked else f"{WALK} {opens_live(capture)}",
        }
        kept.answers[key_of({"ask": "model", "state": state})] = Answer(data | said, view.buffers)
    return kept


def _no_rollout(shown: Showing, capture: Capture, batch: int) -> str:
    """Why attention is not followed through the layers: it is left out, or cannot be followed anyway."""
    data: Any = shown.ask(
        {"ask": "rollout", "state": {"model": shown.name, "batch": batch}, "position": 0}
    ).data
    if data["kind"] == "rollout" and data["shares"] is None:
        return str(data["caveat"])
    return f"{ROLLOUT} {opens_live(capture)}"


def _every_head(capture: Capture) -> Iterator[tuple[Layer, int, int]]:
    for batch in range(_sequences(capture)):
        for layer in capture.attentions():
            for head in range(layer.heads):
                yield layer, head, batch


def _sequences(capture: Capture) -> int:
    first = next(capture.attentions()).attention
    assert first is not None  # attentions() gives no other
    return first.sequences


@dataclass
class Heads:
    """Keeps one head after another, and sees how far its numbers are from the capture's own.

    Attributes:
        shown: answers about the capture.
        capture: what is kept.
        kept: takes the answers.
        bare: the capture as the page will have it, where the page works heads out.
        precision: how exactly numbers are kept.
    """

    shown: Showing
    capture: Capture
    kept: Kept
    bare: Capture | None
    precision: Precision
    patterns: Patterns = field(default_factory=Patterns)
    furthest: float = 0.0

    def keep(self, layer: Layer, head: int, batch: int) -> None:
        """The answers about one head."""
        state = {
            "model": self.shown.name, "tower": layer.tower, "layer": layer.number, "head": head, "batch": batch
        }  # fmt: skip
        view = self.shown.ask({"ask": "head", "state": state})
        data: Any = view.data
        if data["kind"] == "error":
            raise ValueError(data["message"])
        weights, hidden = view.buffers[data["weights"]], view.buffers[data["hidden"]]
        buffers: list[np.ndarray | Steps] = [hidden]
        shares = data["sink_share"]
        if shares is not None:
            buffers.append(view.buffers[shares])
        # what is not known anyway says why by itself
        note = data["contribution_note"]
        if data["contribution"] is not None:
            note = f"{CONTRIBUTIONS} {opens_live(self.capture)}"
        data = data | {
            "hidden": 0,
            "sink_share": None if shares is None else 1,
            "contribution": None,
            "contribution_note": note,
        }
        attention = layer.attention
        assert attention is not None  # only such layers are kept
        apart = f"{batch} {layer.label} {attention.key_head(head)}"  # heads that share keys are read together
        if self.bare is None:
            if not weights[hidden != 0].any():  # as of all that is hidden, unless it was set by hand
                weights = weights[hidden == 0]
            buffers.append(weights_in_steps(weights, self.precision))
            found, data = numbers_of(buffers[-1]), data | {"weights": len(buffers) - 1}
        else:
            trace = self.bare.head(layer.number, head, batch=batch, tower=layer.tower)
            self._work(Chosen(self.bare, layer, head, batch), trace, state, apart)
            found, data = (
                trace["changed" if "changed" in trace else "weights"].values,
                data | {"weights": None},
            )
        self.furthest = max(self.furthest, float(np.nanmax(np.abs(found - weights), initial=0.0)))
        self.kept.answers[key_of({"ask": "head", "state": state})] = Answer(data, buffers, apart)

    def _work(self, one: Chosen, trace: Trace, state: Mapping[str, Any], apart: str) -> None:
        """What the page works a head out from: what was given, and the recipes of everything else."""
        head = CapturedHead(trace)
        views, numbers = quantity_views(head, (), None)
        buffers: list[np.ndarray | Steps] = []

        def put(array: np.ndarray | Steps) -> int:
            buffers.append(array)
            return len(buffers) - 1

        for view in views:
            name, values = view["name"], numbers[view["values"]]
            made = trace[name].operation is not None
            view["values"] = -1 if made else put(self._given(name, values, one))
            if "forbidden" in view:
                view["forbidden"] = put(numbers[view["forbidden"]])
        queries, keys = self.capture.tokens_of(one.layer, one.batch)
        stops = [stop_view(head, stop) for stop in stops_of(head)]
        if self._is_made(one):
            stops[0]["text"].append(f"{BELOW} {opens_live(self.capture)}")
        data = HeadWalk(
            kind="headwalk", label=label_of(one), query=-1, queries=[token.text for token in queries],
            keys=[token.text for token in keys], quantities=views,
            stops=stops, notices=[],
        )  # fmt: skip
        self.kept.answers[key_of({"ask": "headwalk", "state": state})] = Answer(data, buffers, apart)
        how = recipes_of(trace, trace, self.patterns)
        self.kept.answers[key_of({"ask": "recipes", "state": state})] = Answer(how.data, how.buffers, apart)

    def _is_made(self, one: Chosen) -> bool:
        """Whether the capture says how queries, keys and values were made."""
        layer = self.capture.layer(one.layer.number, one.layer.tower)
        known = self.capture.traces.get((layer.tower, layer.number, one.head, one.batch))
        return bool(layer.below.projections) if known is None else known["Q"].operation is not None

    def _given(self, name: str, values: np.ndarray, one: Chosen) -> np.ndarray | Steps:
        """The numbers of a quantity that was given, as they are kept: in steps where the capture has them so."""
        bare: Any = one.capture.layer(one.layer.number, one.layer.tower).attention
        head, batch = one.head, one.batch
        if name == "bias":
            table = bare.bias.kept(batch, head)
            if isinstance(table, Steps):
                return Steps(np.broadcast_to(table.whole, values.shape), table.per)
            return np.broadcast_to(table, values.shape)
        if name == "Q":
            return bare.query.kept(batch, head)
        if name == "K":
            return bare.key.kept(batch, bare.key_head(head))
        if name == "V":
            return bare.value.kept(batch, bare.value_head(head))
        return np.asarray(values, np.float64)

    @property
    def says(self) -> str:
        """How exact the numbers are, and how far the weights lie from the capture's own."""
        what = "the queries, keys and values of every head" if self.bare is not None else "every weight"
        how = "in float32"
        if self.precision == "short" and self.bare is None:
            how = f"in whole steps of {1 / WEIGHT_STEPS:g}"
        elif self.precision == "short":
            how = f"in whole steps, {VECTOR_STEPS:,} from 0 to their largest number, and works out everything else"
        far = format_number(self.furthest, 2)
        return f"This page keeps {what} {how}; no weight differs by more than {far} from the capture's own."

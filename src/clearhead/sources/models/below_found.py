"""From what the linear layers around a kernel were given to what is proven of the arithmetic around its heads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from clearhead.sources.models.below import FOLLOWED, Given, Linears, Taking, matrix_of, unlike
from clearhead.sources.models.below_match import Candidate, Match, match
from clearhead.sources.models.below_turns import Made, Turns, apart, made, plainly, projection, turned
from clearhead.sources.models.call import Call
from clearhead.sources.models.held import HeldTensor
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.below import PARTS, Below, Norm, Projection
from clearhead.trace.capture.held import Held

if TYPE_CHECKING:
    from clearhead.sources.models.recorder import Layer

WORDS = {"Q": "query", "K": "key", "V": "value"}


def from_elsewhere(call: Call, given: Sequence[Given]) -> bool:
    """Whether keys are made of something else than queries: what their projections were given, or else their lengths.

    There may be more or fewer keys than queries and still one input: a cache hands over earlier keys as well, or the
    last ones only. The last ones of both are compared.
    """
    queries, keys = call.query.shape[2], call.key.shape[2]
    if queries == keys and len({id(one.input) for one in given}) < 2:
        return False
    candidates = _candidates([given], call.query.shape[0], queries)
    made_of = _input_of(call, call.query, candidates)
    if queries == keys:
        own = _input_of(call, call.key, candidates)
        return made_of is not None and own is not None and own != made_of
    last = min(queries, keys)
    ends = [replace(one, hidden=one.hidden[:, -last:]) for one in candidates]
    own = _input_of(call, call.key[:, :, -last:], ends)
    return made_of is None or own != made_of


def _input_of(call: Call, part: torch.Tensor, candidates: Sequence[Candidate]) -> int | None:
    """A number for the input that queries or keys were made of, or None where it is not known."""
    guess = match(HeldTensor(part), candidates, _norms(call.module, part.shape[3]))
    return None if guess is None else guess.candidate.same


def beneath(layer: Layer, attention: Attention, linears: Linears) -> Callable[[], Below]:
    """What finds the way below a layer when it is asked for; until then only references are kept."""
    calls = [step.call for step in layer.steps]
    given = [step.given for step in layer.steps]
    outputs = [(call.output, linears.taking(call.output)) for call in calls[:FOLLOWED]]
    return partial(_found, calls[0].module, given, attention, outputs)


def _found(
    module: nn.Module,
    given: Sequence[Sequence[Given]],
    attention: Attention,
    outputs: Sequence[tuple[torch.Tensor, Taking | None]],
) -> Below:
    """What is proven, and why the rest is not."""
    targets = dict(zip(PARTS, (attention.query, attention.key, attention.value), strict=True))
    candidates_of = cache(partial(_candidates, given, attention.sequences))  # Q, K and V share their inputs
    guesses: dict[str, Match] = {}
    why: dict[str, str] = {}
    for part, target in targets.items():
        candidates = candidates_of(target.shape[2])
        guess = match(target, candidates, _norms(module, target.shape[3]))
        if guess is None:
            why[part] = _why(part, module, given, candidates, target)
        else:
            guesses[part] = guess
    projections, turns = _proven(
        {part: (guess, made(targets[part], guess)) for part, guess in guesses.items()}
    )
    for part in guesses.keys() - projections.keys():
        why[part] = f"Its {WORDS[part]} is changed after its projection in a way that is not followed here."
    W_O = _matrix_after(outputs)
    if W_O is None:
        why["W_O"] = NO_OUTPUT
    cos, sin = (None, None) if turns is None else (turns.cos, turns.sin)
    return Below(projections, cos, sin, W_O, why)


def _proven(guesses: dict[str, tuple[Match, Made]]) -> tuple[dict[str, Projection], Turns | None]:
    """The guesses that hold; those of Q and K that hold once both are turned alike."""
    found: dict[str, Projection] = {}
    for part, (guess, one) in guesses.items():
        factor = plainly(one)
        if factor is not None:
            found[part] = projection(guess, factor)
    left = {part: pair for part, pair in guesses.items() if part not in found and part != "V"}
    if not left or len({one.captured.shape[2:] for _, one in left.values()}) > 1:
        return found, None
    factor = apart([one for _, one in left.values()])
    factors = {part: factor if part == "Q" else 1.0 for part in left}
    turns = turned([one.times(factors[part]) for part, (_, one) in left.items()])
    if turns is not None:
        found |= {part: projection(guess, factors[part], turns) for part, (guess, _) in left.items()}
    return {part: found[part] for part in PARTS if part in found}, turns


def _matrix_after(outputs: Sequence[tuple[torch.Tensor, Taking | None]]) -> HeldTensor | None:
    """The matrix that what all heads mixed goes through, if it made the rows that were kept of each pass."""
    found: nn.Module | None = None
    for output, taking in outputs:
        if taking is None or found not in (None, taking.linear):
            return None
        found = taking.linear
        weight, bias = matrix_of(found)
        x = output.reshape(-1, weight.shape[0])[taking.rows][None]
        candidate = Candidate(
            HeldTensor(x), HeldTensor(weight), None if bias is None else HeldTensor(bias), 0
        )
        columns = np.arange(weight.shape[1])[None]
        if not made(HeldTensor(taking.made[None, None]), Match(candidate, columns, None, 0.0)).proven:
            return None
    return None if found is None else HeldTensor(matrix_of(found)[0])


def _candidates(given: Sequence[Sequence[Given]], sequences: int, positions: int) -> list[Candidate]:
    """The linear layers with what they were given over all passes, if that is as long as what they may have made."""
    inputs: dict[int, list[Given]] = {}
    for step in given:
        for one in step:
            inputs.setdefault(id(one.linear), []).append(one)
    found: list[Candidate] = []
    known: dict[tuple[int, ...], HeldTensor] = {}
    for several in inputs.values():
        tensors = [one.input for one in several]
        width = tensors[0].shape[-1]
        if not width or sum(one.numel() for one in tensors) != sequences * positions * width:
            continue
        place = tuple(map(id, tensors))
        if place not in known:
            known[place] = HeldTensor(_rows(tensors, sequences, width))
        weight, bias = matrix_of(several[0].linear)
        held = None if bias is None else HeldTensor(bias)
        found.append(Candidate(known[place], HeldTensor(weight), held, id(tensors[0])))
    return found


def _rows(tensors: Sequence[torch.Tensor], sequences: int, width: int) -> torch.Tensor:
    """(sequences, positions, d_model) what a linear layer was given, pass after pass."""
    parts = [_first(one.detach(), sequences).reshape(sequences, -1, width) for one in tensors]
    return parts[0] if len(parts) == 1 else torch.cat(parts, 1)


def _first(x: torch.Tensor, sequences: int) -> torch.Tensor:
    """The sequences before the positions, which some models have the other way round (FSMT)."""
    other = x.ndim == 3 and x.shape[0] != sequences and x.shape[1] == sequences
    return x.transpose(0, 1) if other else x


def _norms(module: nn.Module, width: int) -> list[Norm]:
    """The norms of vectors of this width inside a module, each with its gain as it is and, as Gemma has it, 1 more."""
    found = []
    for one in module.modules():
        if "Norm" not in type(one).__name__:
            continue
        gain, shift = (_numbers(getattr(one, name, None)) for name in ("weight", "bias"))
        norm = Norm(np.ones((1, width)), shift, _epsilon(one), isinstance(one, nn.LayerNorm))
        if gain is None:
            found.append(norm)
        elif gain.shape == (1, width):
            found += [replace(norm, gain=gain), replace(norm, gain=1 + gain)]
    return found


def _numbers(parameter: torch.Tensor | None) -> np.ndarray | None:
    return None if parameter is None else parameter.detach().double().cpu().numpy()[None]


def _epsilon(norm: Any) -> float:
    names = ("eps", "variance_epsilon", "epsilon")
    return float(next((getattr(norm, name) for name in names if getattr(norm, name, None) is not None), 0.0))


def _why(
    part: str,
    module: nn.Module,
    given: Sequence[Sequence[Given]],
    candidates: Sequence[Candidate],
    target: Held,
) -> str:
    """Why nothing was found that makes a part, in one sentence."""
    word, every = WORDS[part], [one for step in given for one in step]
    other = unlike(module)
    if other:
        return f"Its {word} may be made by a {other}, which is no plain linear layer and not followed here."
    if not every:
        return f"Its {word} is made by no linear layer inside its module that could be seen."
    if all(not one.input.numel() for one in every):
        return "The layer's input was not kept: it is kept for short texts, or if that is asked for."
    if not candidates:
        return f"Its {word} has {target.shape[2]} positions, and no linear layer in its module was given so many."
    between = dict.fromkeys(type(one).__name__ for one in module.modules() if "Norm" in type(one).__name__)
    norms = f", and its norm ({', '.join(between)}) is not followed here" if between else ""
    return f"Its {word} is no plain product of what the layer is given with a matrix{norms}."


NO_OUTPUT = "What the heads mixed is not handed to a plain linear layer as it is."

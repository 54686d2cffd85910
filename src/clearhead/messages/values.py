"""The values that switches and small fields may take."""

from __future__ import annotations

from typing import Literal

Digits = Literal[2, 3, 4, "full"]
MaskName = Literal["none", "causal"]
MaskFill = Literal["-inf", "0"]
PositionScheme = Literal["none", "sinusoidal", "learned", "rotary", "alibi"]
EditableMatrix = Literal["E", "P", "W_Q", "W_K", "W_V", "W_O"]
Relation = Literal["=", "≈"]
ScriptFlavour = Literal["numpy", "torch"]
ColourScale = Literal["signed", "weights"]

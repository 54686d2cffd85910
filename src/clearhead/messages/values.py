"""The values that switches and small fields may take."""

from __future__ import annotations

from typing import Literal

Digits = Literal[2, 3, 4, "full"]
MaskName = Literal["none", "causal"]
MaskFill = Literal["-inf", "0"]
PositionScheme = Literal["none", "sinusoidal", "learned", "rotary", "alibi"]
Norm = Literal["none", "layer", "rms"]
NormPlace = Literal["pre", "post"]
Activation = Literal["relu", "gelu", "gelu_tanh", "swiglu"]
Optimizer = Literal["sgd", "momentum", "adamw"]
LivePositions = Literal["rotary", "none", "learned"]
Relation = Literal["=", "≈"]
ScriptFlavour = Literal["numpy", "torch"]
ColourScale = Literal["signed", "weights"]
Pool = Literal["mean", "largest"]
Unit = Literal["heads", "new tokens"]
ChangeKind = Literal["mask", "scale", "off", "weight"]

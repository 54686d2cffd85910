"""One file per operation; `OPERATIONS` finds them by name."""

from clearhead.core.ops.activation import Activation
from clearhead.core.ops.activation_gradient import ActivationGradient
from clearhead.core.ops.adamw_step import AdamWStep
from clearhead.core.ops.add import Add
from clearhead.core.ops.alibi import Alibi
from clearhead.core.ops.average import Average
from clearhead.core.ops.base import Equation, Operation
from clearhead.core.ops.collect import Collect
from clearhead.core.ops.contract import Contract
from clearhead.core.ops.copy import Copy
from clearhead.core.ops.corrected import Corrected
from clearhead.core.ops.cross_entropy import CrossEntropy
from clearhead.core.ops.cross_entropy_gradient import CrossEntropyGradient
from clearhead.core.ops.descend import Descend
from clearhead.core.ops.identity import Identity
from clearhead.core.ops.length import Length
from clearhead.core.ops.lookup import Lookup
from clearhead.core.ops.mask import Masked
from clearhead.core.ops.mask_gradient import MaskGradient
from clearhead.core.ops.mean_loss import MeanLoss
from clearhead.core.ops.merge_heads import MergeHeads
from clearhead.core.ops.moment import Moment
from clearhead.core.ops.normalise import Normalise
from clearhead.core.ops.normalise_gradient import NormaliseGradient
from clearhead.core.ops.one import One
from clearhead.core.ops.rotate import Rotate
from clearhead.core.ops.rotate_by import RotateBy
from clearhead.core.ops.scale_by import ScaleBy
from clearhead.core.ops.scale_by_root import ScaleByRoot
from clearhead.core.ops.sensitivity import Sensitivity
from clearhead.core.ops.set_cells import SetCells
from clearhead.core.ops.share import Share
from clearhead.core.ops.sink_gradient import SinkGradient
from clearhead.core.ops.sinusoid import Sinusoid
from clearhead.core.ops.soft_cap import SoftCap
from clearhead.core.ops.soft_cap_gradient import SoftCapGradient
from clearhead.core.ops.softmax import Softmax
from clearhead.core.ops.softmax_gradient import SoftmaxGradient
from clearhead.core.ops.softmax_with_sink import SoftmaxWithSink
from clearhead.core.ops.split_heads import SplitHeads
from clearhead.core.ops.spread_mean import SpreadMean
from clearhead.core.ops.total import Total
from clearhead.core.ops.velocity import Velocity

__all__ = [
    "OPERATIONS",
    "Activation",
    "ActivationGradient",
    "AdamWStep",
    "Add",
    "Alibi",
    "Average",
    "Collect",
    "Contract",
    "Copy",
    "Corrected",
    "CrossEntropy",
    "CrossEntropyGradient",
    "Descend",
    "Equation",
    "Identity",
    "Length",
    "Lookup",
    "MaskGradient",
    "Masked",
    "MeanLoss",
    "MergeHeads",
    "Moment",
    "Normalise",
    "NormaliseGradient",
    "One",
    "Operation",
    "Rotate",
    "RotateBy",
    "ScaleBy",
    "ScaleByRoot",
    "Sensitivity",
    "SetCells",
    "Share",
    "SinkGradient",
    "Sinusoid",
    "SoftCap",
    "SoftCapGradient",
    "Softmax",
    "SoftmaxGradient",
    "SoftmaxWithSink",
    "SplitHeads",
    "SpreadMean",
    "Total",
    "Velocity",
]  # fmt: skip

OPERATIONS: dict[str, type[Operation]] = {
    operation.name: operation
    for operation in (
        Activation, ActivationGradient, AdamWStep, Add, Alibi, Average, Collect, Contract, Copy, Corrected,
        CrossEntropy, CrossEntropyGradient, Descend, Identity, Length, Lookup, MaskGradient, Masked, MeanLoss,
        MergeHeads, Moment, Normalise, NormaliseGradient, One, Rotate, RotateBy, ScaleBy, ScaleByRoot, Sensitivity,
        SetCells, Share, SinkGradient, Sinusoid, SoftCap, SoftCapGradient, Softmax, SoftmaxGradient, SoftmaxWithSink,
        SplitHeads, SpreadMean, Total, Velocity,
    )
}  # fmt: skip
"""Every operation by its name; a test holds this list to the files of the folder."""

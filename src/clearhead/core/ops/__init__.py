"""One file per operation; `OPERATIONS` finds them by name."""

from clearhead.core.ops.add import Add
from clearhead.core.ops.alibi import Alibi
from clearhead.core.ops.base import Equation, Operation
from clearhead.core.ops.contract import Contract
from clearhead.core.ops.copy import Copy
from clearhead.core.ops.identity import Identity
from clearhead.core.ops.length import Length
from clearhead.core.ops.lookup import Lookup
from clearhead.core.ops.mask import Masked
from clearhead.core.ops.merge_heads import MergeHeads
from clearhead.core.ops.rotate import Rotate
from clearhead.core.ops.scale_by_root import ScaleByRoot
from clearhead.core.ops.sensitivity import Sensitivity
from clearhead.core.ops.share import Share
from clearhead.core.ops.sinusoid import Sinusoid
from clearhead.core.ops.softmax import Softmax
from clearhead.core.ops.split_heads import SplitHeads

__all__ = [
    "OPERATIONS",
    "Add",
    "Alibi",
    "Contract",
    "Copy",
    "Equation",
    "Identity",
    "Length",
    "Lookup",
    "Masked",
    "MergeHeads",
    "Operation",
    "Rotate",
    "ScaleByRoot",
    "Sensitivity",
    "Share",
    "Sinusoid",
    "Softmax",
    "SplitHeads",
]  # fmt: skip

OPERATIONS: dict[str, type[Operation]] = {
    operation.name: operation
    for operation in (
        Add, Alibi, Contract, Copy, Identity, Length, Lookup, Masked, MergeHeads, Rotate, ScaleByRoot, Sensitivity,
        Share, Sinusoid, Softmax, SplitHeads,
    )
}  # fmt: skip
"""Every operation by its name; a test holds this list to the files of the folder."""

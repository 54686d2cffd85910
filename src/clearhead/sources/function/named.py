"""Weights by the names that people give them."""

from __future__ import annotations

import re

STEMS = {
    "Q": "q|query|queries",
    "K": "k|key|keys",
    "V": "v|val|value|values",
    "O": "o|out|output|outputs",
}
PREFIX = "(?:w|wt|weight|to|fc|lin|linear|proj|c)_?"
SUFFIX = "_?(?:w|weight|weights|kernel|matrix|proj|projection|lin|linear|layer|net|map|transform)"
OTHERS = {
    "O": "c_proj|proj|projection|dense|unify|unifyheads|fc|linear|final|final_linear|proj_out|attn_out",
    "QKV": f"(?:{PREFIX})?(?:qkv|in_proj)(?:{SUFFIX})?|c_attn|in_proj|qkv_projection",
    "KV": f"(?:{PREFIX})?kv(?:{SUFFIX})?",
    "heads": "query_key_value",  # cut head by head, as in GPT-NeoX and BLOOM
}


def weight_names(which: str, bare: bool) -> str:
    """The pattern of a weight's names, in small letters.

    Args:
        which: "Q", "K", "V", "O"; "QKV" and "KV" side by side in one; "heads" the same, head by head.
        bare: whether the stem alone, such as "query", is the name of a weight: as a layer it is, as an argument not.
    """
    names = [OTHERS[which]] if which in OTHERS else []
    if which in STEMS:
        stem = f"(?:{STEMS[which]})"
        names += [f"{PREFIX}{stem}", f"(?:{PREFIX})?{stem}(?:{SUFFIX}){{1,2}}", *([stem] if bare else [])]
    return "|".join(names)


def bias_names(which: str) -> str:
    """The pattern of a bias's names, in small letters."""
    stem = f"(?:{STEMS.get(which, which.lower())}|{which.lower()})"
    return f"(?:b|bias)_?{stem}|{stem}_?(?:proj_|lin_|linear_)?(?:b|bias)" + (
        "|in_proj_bias" if which == "QKV" else ""
    )


def weight_named(path: str) -> tuple[str, bool] | None:
    """What an array is by its path in an object: ("Q", False) W_Q, ("QKV", True) the biases of all three; or None.

    Of "layers.0.attn.q_proj.weight" the layer's name counts, of "attn.W_Q" the last.
    """
    *before, last = [one.lower() for one in path.split(".") if not one.isdigit()]
    if last in ("weight", "bias", "kernel", "w", "b") and before:
        name, bias = before[-1], last in ("bias", "b")
        return next(((which, bias) for which in KINDS if re.fullmatch(weight_names(which, True), name)), None)
    for which in KINDS:
        if re.fullmatch(bias_names(which), last):
            return which, True
        if re.fullmatch(weight_names(which, True), last):
            return which, False
    return None


KINDS = ("Q", "K", "V", "QKV", "KV", "heads", "O")

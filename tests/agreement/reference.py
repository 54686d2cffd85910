"""A transformer in plain PyTorch, written from the published definitions: what ours is held against.

It shares nothing with Clearhead but the names of what it keeps. Every activation keeps its gradient (`retain_grad`),
so that after `loss.backward()` PyTorch's own differentiation has one for each.
"""

import math

import torch
import torch.nn.functional as F

ALIBI_SLOPES = {1: [2**-8], 2: [2**-4, 2**-8], 3: [2**-4, 2**-8, 2**-2]}
"""Press et al. 2022, section 3; those of three heads by their published recursion."""

ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh")}


class Reference:
    """One forward pass over one sentence.

    `weights` are tensors by name, those of a layer of several as "layer0.W_Q"; `settings` has the switches as
    attributes; `rows` and `targets` are the words' numbers, −1 where no word follows. `seen` are the activations.
    """

    def __init__(self, weights, settings, rows, targets):
        self.weights, self.settings, self.seen, self.prefix = weights, settings, {}, ""
        x = self.embedded(torch.tensor(rows))
        for layer in range(settings.layers):
            self.prefix = f"layer{layer}." if settings.layers > 1 else ""
            x = self.block(self.keep("X", x))
        self.prefix = ""
        self.predict(x, torch.tensor(targets))

    def keep(self, name, tensor):
        """Remember an activation, as a tensor of its own."""
        tensor = tensor.clone()
        if tensor.requires_grad:
            tensor.retain_grad()
        self.seen[self.prefix + name] = tensor
        return tensor

    def weight(self, name):
        return self.weights.get(self.prefix + name)

    def embedded(self, rows):
        width = self.weights["E"].shape[1]
        x = self.keep("embeddings", F.embedding(rows, self.weights["E"]))
        x = self.keep("embeddings_scaled", x * math.sqrt(width) if self.settings.scale_embeddings else x)
        if self.settings.positions == "sinusoidal":  # Vaswani et al. 2017, section 3.5
            table = torch.zeros(len(rows), width, dtype=torch.float64)
            angles = torch.arange(len(rows))[:, None] / 10000 ** (
                torch.arange(0, width, 2, dtype=torch.float64) / width
            )
            table[:, 0::2], table[:, 1::2] = angles.sin(), angles.cos()[:, : width // 2]
            return x + self.keep("positions", table)
        if self.settings.positions == "learned":
            return x + self.keep("positions", self.weights["P"][: len(rows)])
        return x

    def block(self, x):
        pre, feeds = self.settings.norm_place == "pre", self.weight("W_1") is not None
        normed = pre and self.settings.norm != "none"
        attended = self.attention(self.normalised("X_norm", x, "1") if normed else x)
        x = self.keep("residual", x + attended)
        if pre:
            return self.keep("hidden", x + self.feed_forward(self.normalised("norm", x, "2")) if feeds else x)
        x = self.normalised("norm", x, "1")
        if not feeds:
            return self.keep("hidden", x)
        return self.normalised("hidden", self.keep("residual_2", x + self.feed_forward(x)), "2")

    def normalised(self, name, x, which):
        gain, bias = self.weight(f"gain_{which}"), self.weight(f"bias_{which}")
        if self.settings.norm == "none":
            return self.keep(name, x)
        if (
            self.settings.norm == "layer"
        ):  # PyTorch takes the mean by itself, so nothing flows back to this one
            self.keep(f"{name}_mean", x.mean(-1))
        norm = F.layer_norm if self.settings.norm == "layer" else F.rms_norm
        x = self.keep(
            name if gain is None and bias is None else f"{name}_standard", norm(x, x.shape[-1:], eps=1e-5)
        )
        if gain is not None:
            x = self.keep(name if bias is None else f"{name}_gained", x * gain)
        return x if bias is None else self.keep(name, x + bias)

    def attention(self, x):
        heads = self.settings.heads
        q, k, v = (
            self.keep(part, self.keep(f"XW_{part}", x @ self.weight(f"W_{part}")).unflatten(1, (heads, -1))
                      .transpose(0, 1))
            for part in "QKV"
        )  # fmt: skip
        if self.settings.positions == "rotary":
            q, k = self.keep("Q_rotated", self.turned(q)), self.keep("K_rotated", self.turned(k))
        scores = self.keep("scores", q @ k.transpose(1, 2))
        scores = self.keep("scaled", scores / math.sqrt(q.shape[-1]) if self.settings.scale else scores)
        at = torch.arange(len(x))
        if self.settings.positions == "alibi":
            slopes = torch.tensor(ALIBI_SLOPES[heads], dtype=torch.float64)[:, None, None]
            bias = self.keep("bias", -slopes * (at[:, None] - at).abs())
            scores = self.keep("biased", scores + bias)
        later = at > at[:, None] if self.settings.mask == "causal" else torch.zeros(len(x), len(x)).bool()
        scores = self.keep("masked", scores.masked_fill(later, float(self.settings.mask_fill)))
        mixed = self.keep("mixed", self.keep("weights", scores.softmax(-1)) @ v)
        joined = self.keep("joined", torch.cat(tuple(mixed), dim=-1))
        W_O = self.weight("W_O")
        return self.keep("output", joined if W_O is None else joined @ W_O)

    def turned(self, x):
        """Su et al. 2021, equations 12-15: pairs (k, k + d/2) as complex numbers, times e^(i m theta_k)."""
        half = x.shape[-1] // 2
        theta = 10000 ** (-torch.arange(half, dtype=torch.float64) / half)
        angles = torch.arange(x.shape[1])[:, None] * theta
        turned = torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones_like(angles), angles)
        return torch.cat([turned.real, turned.imag], dim=-1)

    def affine(self, name, x, W, b):
        product = self.keep(name if b is None else f"{name}_product", x @ W)
        return product if b is None else self.keep(name, product + b)

    def feed_forward(self, x):
        opened = self.affine("ffn_in", x, self.weight("W_1"), self.weight("b_1"))
        if self.settings.activation == "swiglu":  # Shazeer 2020, equation 6
            opened = self.keep("ffn_swish", F.silu(self.keep("ffn_gate", x @ self.weight("W_G")))) * opened
        else:
            opened = ACTIVATIONS[self.settings.activation](opened)
        return self.affine("ffn_out", self.keep("ffn_act", opened), self.weight("W_2"), self.weight("b_2"))

    def predict(self, x, targets):
        if self.settings.norm != "none" and self.settings.norm_place == "pre":
            x = self.normalised("final_norm", x, "final")
        W_U = self.weights.get("W_U", self.weights["E"].T)
        tempered = self.keep("tempered", self.keep("logits", x @ W_U) / self.settings.temperature)
        self.keep("probabilities", tempered.softmax(-1))
        losses = self.keep("losses", F.cross_entropy(tempered, targets, ignore_index=-1, reduction="none"))
        self.loss = self.keep("loss", losses[targets >= 0].mean())

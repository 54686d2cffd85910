"""The sizes of a model's stacks of attention layers, and what a run asks of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from clearhead.sources.models.inputs import Given
from clearhead.sources.models.usable import setting


@dataclass(frozen=True)
class Stack:
    """The sizes of one stack of attention layers, as a configuration says them."""

    layers: int
    heads: int
    key_heads: int
    d_head: int
    inner: int

    @classmethod
    def of(cls, config: Any, *layers: str) -> Stack | None:
        """None if the configuration does not say them."""
        count = setting(config, *layers, "num_hidden_layers")
        heads, width = setting(config, "num_attention_heads"), setting(config, "hidden_size")
        if not all(isinstance(one, int) for one in (count, heads, width)):
            return None
        d_head = setting(config, "head_dim", "d_kv")
        shared = setting(config, "num_key_value_heads")
        inner = setting(config, "intermediate_size", "n_inner", "ffn_dim", "encoder_ffn_dim", "d_ff")
        return cls(
            count,
            heads,
            shared if isinstance(shared, int) else heads,
            d_head if isinstance(d_head, int) else width // heads,
            inner if isinstance(inner, int) else 4 * width,
        )

    def kept(self, queries: int, keys: int) -> int:
        """The numbers of Q, K, V and the kernel's output, of one sequence."""
        return 2 * self.layers * self.d_head * (self.heads * queries + self.key_heads * keys)

    def cached(self, keys: int) -> int:
        """The numbers of K and V, of one sequence."""
        return 2 * self.layers * self.d_head * self.key_heads * keys

    def squares(self, queries: int, keys: int) -> int:
        """The numbers of one layer's scores, of one sequence."""
        return self.heads * queries * keys


@dataclass(frozen=True)
class Use:
    """One stack in one run.

    Attributes:
        stack: its sizes.
        queries: positions that ask, over all passes.
        keys: positions that are asked.
        first: those of `queries` that ask in the first pass, the longest.
        cross: whether the keys are of another stack.
    """

    stack: Stack
    queries: int
    keys: int
    first: int
    cross: bool = False

    @property
    def kept(self) -> int:
        """The numbers of Q, K, V and the kernel's output, of one sequence."""
        return self.stack.kept(self.queries, self.keys)

    @property
    def largest(self) -> tuple[int, int]:
        """Queries and keys of the pass with the most scores."""
        return (self.first, self.keys if self.cross else self.first) if self.first > 1 else (1, self.keys)


def uses_of(config: Any, given: Given, generate: int) -> list[Use]:
    """Each stack of a model of this configuration, the encoder's before those that go on with words.

    There is none if the configuration does not say enough.
    """
    more = max(0, generate - 1)  # the last word that is said is not read
    read = len(given.tokens[0]) if given.tokens else 0
    if setting(config, "is_encoder_decoder"):
        encoder = Stack.of(config, "encoder_layers", "num_layers")
        decoder = Stack.of(config, "decoder_layers", "num_decoder_layers")
        if encoder is None or decoder is None:
            return []
        begun = len(given.decoder[0]) if given.decoder else 0
        said = begun + more
        return [
            Use(encoder, read, read, read),
            Use(decoder, said, said, begun),
            Use(decoder, said, read, begun, cross=True),
        ]
    inner = getattr(config, "get_text_config", None)
    stack = Stack.of(inner() if callable(inner) else config)
    return [] if stack is None else [Use(stack, read + more, read + more, read)]

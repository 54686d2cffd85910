"""What each entry of a tokenizer's vocabulary stands for, as bytes of UTF-8: "Ġman" and "▁man" are " man"."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

WORD_STARTS = "▁"
"""SentencePiece's sign for a space (Kudo and Richardson 2018), U+2581."""

BYTE = re.compile("<0x([0-9A-Fa-f]{2})>")
"""How SentencePiece and its followers write a byte of a character that is not in the vocabulary."""

UNFINISHED = "\ufffd"
"""What decoders write for bytes that are no whole character."""

LONGEST = 8
"""After so many tokens without a whole character a decoder is no longer waited for; a character has 4 bytes at most."""


class Piece(NamedTuple):
    """What one token stands for.

    Attributes:
        raw: its bytes, a leading space included; empty where they cannot be known.
        continues: it goes on with the word before it, and its bytes do not show that (WordPiece's "##").
        part: it is part of a character whatever its bytes say.
    """

    raw: bytes
    continues: bool = False
    part: bool = False


def _byte_alphabet() -> dict[str, int]:
    """The characters that stand for bytes in byte-level vocabularies (published with GPT-2; Radford et al. 2019).

    Bytes that are printable in Latin-1 stand for themselves, the others, in order, are moved to U+0100 and after.
    """
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    hidden = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + at): byte for at, byte in enumerate(hidden)}


ALPHABET = _byte_alphabet()


@dataclass(frozen=True)
class Spelling:
    """How a tokenizer's vocabulary is written.

    Attributes:
        byte_level: each character stands for a byte.
        space: what stands for a space, if something does.
        fallback: "<0xE2>" stands for a byte.
        prefix: how an entry begins that goes on with a word.
        suffix: how an entry ends that ends a word.
    """

    byte_level: bool = False
    space: str = ""
    fallback: bool = False
    prefix: str = ""
    suffix: str = ""

    def read(self, entry: str) -> Piece:
        """What the entry stands for."""
        byte = BYTE.fullmatch(entry) if self.fallback else None
        if byte:
            return Piece(bytes.fromhex(byte[1]))
        continues = bool(self.prefix) and entry.startswith(self.prefix) and entry != self.prefix
        if continues:
            entry = entry.removeprefix(self.prefix)
        if self.suffix and entry != self.suffix:
            entry = entry.removesuffix(self.suffix)
        if self.byte_level and all(character in ALPHABET for character in entry):
            return Piece(bytes(ALPHABET[character] for character in entry), continues)
        if self.space:
            entry = entry.replace(self.space, " ")
        return Piece(utf8(entry), continues)


def utf8(text: str) -> bytes:
    """The text's bytes, whatever half characters of UTF-16 stray in it."""
    return text.encode("utf-8", "surrogatepass")


def pieces(tokenizer: Any, ids: Sequence[int]) -> list[Piece]:
    """What each token stands for; the bytes are empty where the tokenizer has no such id."""
    spelling = spelling_of(tokenizer)
    if spelling is None:
        return list(_decoded(tokenizer, ids))
    added = {number: str(token) for number, token in tokenizer.added_tokens_decoder.items()}
    entries = tokenizer.convert_ids_to_tokens(list(ids))
    found: list[Piece] = []
    within = False  # a word, by the suffixes
    for number, entry in zip(ids, entries, strict=True):
        if number in added or not isinstance(entry, str):
            literal = added.get(number, entry or b"")
            found.append(Piece(literal if isinstance(literal, bytes) else utf8(literal)))
            within = False
        else:
            piece = spelling.read(entry)
            found.append(piece._replace(continues=piece.continues or within))
            within = bool(spelling.suffix) and not entry.endswith(spelling.suffix)
    return found


def spelling_of(tokenizer: Any) -> Spelling | None:
    """How the vocabulary is written; None where only the tokenizer's own decoding tells."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is not None:
        return _spelling_of_backend(backend)
    if hasattr(tokenizer, "byte_decoder"):
        return Spelling(byte_level=True)
    if hasattr(tokenizer, "sp_model"):
        return Spelling(space=WORD_STARTS, fallback="<0xFF>" in tokenizer.get_vocab())
    if hasattr(tokenizer, "wordpiece_tokenizer"):
        return Spelling(prefix="##")
    return None


def _spelling_of_backend(backend: Any) -> Spelling:
    """From what a tokenizer of the `tokenizers` library says of its decoder (its saved form) and its model."""
    decoder: Any = (
        json.loads(backend.decoder.__getstate__()) if backend.decoder is not None else {"type": None}
    )
    steps: list[Any] = decoder["decoders"] if decoder["type"] == "Sequence" else [decoder]
    kinds = {step["type"] for step in steps}
    spaces = [step["replacement"] for step in steps if step["type"] == "Metaspace"]
    spaces += [
        step["pattern"]["String"]
        for step in steps
        if step["type"] == "Replace" and step["content"] == " " and "String" in step["pattern"]
    ]
    return Spelling(
        byte_level="ByteLevel" in kinds,
        space=spaces[0] if spaces else "",
        fallback="ByteFallback" in kinds,
        prefix=getattr(backend.model, "continuing_subword_prefix", None) or "",
        suffix=getattr(backend.model, "end_of_word_suffix", None) or "",
    )


def _decoded(tokenizer: Any, ids: Sequence[int]) -> Iterator[Piece]:
    """From what the tokenizer's decoding of the ids so far gains with each id.

    Only the tokens since the last whole character but one are decoded again, so that the time grows with the length.
    """
    before = since = 0
    for at, number in enumerate(ids):
        if number >= len(tokenizer):
            yield Piece(b"")
            before = since = at + 1
            continue
        known, now = (_decode(tokenizer, ids[before:end]) for end in (since, at + 1))
        whole = len(now) > len(known) and not now.endswith(UNFINISHED)
        if whole or at - since >= LONGEST:
            yield Piece(utf8(now[len(known) :]), part=since < at)
            before, since = since, at + 1
        else:
            yield Piece(b"", part=True)


def _decode(tokenizer: Any, ids: Sequence[int]) -> str:
    decoded = tokenizer.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False)
    return str(decoded)

"""Tokens are shown so that a person can read them, and know which characters of the text they cover."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("transformers")

from clearhead.sources.models.tokens import as_tokens, encode, read_tokens
from clearhead.trace.capture.token import Token, shown

KINDS = ["byte-level", "wordpiece", "unigram", "byte-fallback"]
WHOLE = ["byte-level", "byte-fallback"]
"""They keep every character of a text; the others drop what they do not know, or spaces."""

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=23)


def texts(tokens: tuple[Token, ...]) -> list[str]:
    return [token.text for token in tokens]


def places(tokens: tuple[Token, ...]) -> list[tuple[int | None, int | None]]:
    return [(token.start, token.end) for token in tokens]


def covered(tokens: tuple[Token, ...], text: str) -> list[str]:
    return [text[token.start : token.end] for token in tokens if token.start is not None]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" man", " man"),
        (" ", "␣"),
        ("  ", "␣␣"),
        ("\n", "⏎"),
        ("a\nb\tc\r", "a⏎b⇥c␍"),
        ("\u200b", "⟨U+200B⟩"),
        ("\u00a0", "⟨U+00A0⟩"),
        ("\u0301", "◌\u0301"),
        ("\u0301a", "◌\u0301a"),
        ("\u3164", "⟨U+3164⟩"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("\x00", "⟨U+0000⟩"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("<b>&amp;</b>", "<b>&amp;</b>"),
        ("...##", "...##"),
        ("", ""),
    ],
)
def test_what_cannot_be_seen_has_a_sign(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_pieces_of_a_character_say_so(trained: Callable[[str], Any]) -> None:
    # € is E2 82 AC in UTF-8; the little vocabulary has a token for each byte.
    text = "he €"
    tokens = encode(trained("byte-level"), text).tokens[0]
    assert texts(tokens)[-4:] == ["␣", "⟨E2⟩", "⟨82⟩", "⟨AC⟩"]
    assert [token.part for token in tokens[-4:]] == [False, True, True, True]
    assert places(tokens)[-4:] == [(2, 3), (3, 4), (3, 4), (3, 4)]


def test_pieces_of_a_character_with_byte_fallback(trained: Callable[[str], Any]) -> None:
    text = "the €\nhe"
    tokens = encode(trained("byte-fallback"), text).tokens[0]
    assert texts(tokens) == [" the", "␣", "⟨E2⟩", "⟨82⟩", "⟨AC⟩", "⏎", "he"]
    assert [token.part for token in tokens] == [False, False, True, True, True, False, False]
    assert places(tokens) == [(0, 3), (3, 4), (4, 5), (4, 5), (4, 5), (5, 6), (6, 8)]


def test_words_keep_their_space_and_it_is_covered(trained: Callable[[str], Any]) -> None:
    # GPT-2's own offsets leave the space out, though the token stands for it.
    text = "the man"
    tokens = encode(trained("byte-level"), text).tokens[0]
    assert texts(tokens) == ["the", " man"]
    assert covered(tokens, text) == ["the", " man"]


def test_the_continuation_of_a_word(trained: Callable[[str], Any]) -> None:
    text = "The THEMAN"
    tokens = encode(trained("wordpiece"), text).tokens[0]
    assert texts(tokens)[:3] == ["[CLS]", "the", "the"]
    assert all(shown_text.startswith("…") for shown_text in texts(tokens)[3:-1])
    assert "".join(covered(tokens[2:], text)) == "THEMAN"
    assert [token.special for token in tokens] == [True] + [False] * (len(tokens) - 2) + [True]
    assert places(tokens)[0] == places(tokens)[-1] == (None, None)


def test_the_space_that_a_tokenizer_puts_before_a_text_covers_nothing(trained: Callable[[str], Any]) -> None:
    text = "zzz the"
    tokens = encode(trained("unigram"), text).tokens[0]
    assert tokens[0].text == "␣"
    assert places(tokens)[0] == (None, None)
    assert "".join(covered(tokens, text)) == text


def test_an_unknown_word_covers_its_characters_and_is_no_mark(trained: Callable[[str], Any]) -> None:
    tokens = encode(trained("wordpiece"), "he ≛ late").tokens[0]
    unknown = next(token for token in tokens if token.text == "[UNK]")
    assert (unknown.start, unknown.end, unknown.special) == (3, 4, False)


def test_a_mark_written_in_the_text_covers_it(trained: Callable[[str], Any]) -> None:
    text = "he<|end|>was"
    tokens = encode(trained("byte-level"), text).tokens[0]
    mark = next(token for token in tokens if token.special)
    assert (mark.text, mark.start, mark.end) == ("<|end|>", 2, 9)


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script> & &lt;", "...## ##ing .. #", "\n\n", " ", "a\r\n\tb", "é" * 10_007]
)
def test_odd_texts_stay_text(trained: Callable[[str], Any], text: str) -> None:
    tokens = encode(trained("byte-level"), text).tokens[0]
    assert all(token.text and "\n" not in token.text for token in tokens)
    ends = [0, *(token.end for token in tokens)]
    assert ends[-1] == len(text)


@pytest.mark.parametrize("kind", KINDS)
@given(text=ANY_TEXT)
def test_places_go_through_the_text_in_order(trained: Callable[[str], Any], kind: str, text: str) -> None:
    tokenizer = trained(kind)
    ids = tokenizer(text)["input_ids"]
    tokens = read_tokens(tokenizer, ids, text)
    assert len(tokens) == len(ids)
    assert all(token.text for token in tokens)
    reached = 0
    for token in tokens:
        if token.start is None or token.end is None:
            continue
        assert token.start < token.end <= len(text)
        assert token.start >= reached or (token.part and token.start == reached - 1)
        gap = text[reached : token.start]
        assert not gap if kind in WHOLE else not gap.strip() or kind == "wordpiece"
        reached = token.end
        if kind in WHOLE and not token.part:
            spaced = (text[token.start : token.end], " " + text[token.start : token.end])
            assert token.text in map(shown, spaced)
    if kind in WHOLE:
        assert reached == len(text)


def test_a_slow_tokenizer_that_keeps_its_bytes_to_itself() -> None:
    from transformers import ByT5Tokenizer

    tokens = encode(ByT5Tokenizer(), "a é\n").tokens[0]
    assert texts(tokens) == ["a", "␣", "⟨#198⟩", "é", "⏎", "</s>"]  # C3, and 3 ids come before the bytes
    assert places(tokens) == [(0, 1), (1, 2), (2, 3), (2, 3), (3, 4), (None, None)]
    assert [token.part for token in tokens] == [False, False, True, True, False, False]


def test_no_tokenizer_shows_the_ids() -> None:
    tokens = read_tokens(None, np.array([17, 5]))
    assert tokens == (Token("#17", 17, None, None), Token("#5", 5, None, None))


def test_an_id_outside_the_vocabulary_is_shown_as_its_number(trained: Callable[[str], Any]) -> None:
    # Embeddings may be longer than the vocabulary.
    assert read_tokens(trained("byte-level"), [9_973])[0].text == "#9973"


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("kind", ["wordpiece", "byte-level"])
def test_a_batch_is_padded_on_the_side_asked_for(trained: Callable[[str], Any], side: str, kind: str) -> None:
    batch = encode(trained(kind), ["the man said", "he"], padding_side=side)
    short, long = (len(encode(trained(kind), text).tokens[0]) for text in ("he", "the man said"))
    assert batch.ids.shape == batch.mask.shape == (2, long)
    kept = [1] * short
    filled = [0] * (long - short)
    assert batch.mask[1].tolist() == (filled + kept if side == "left" else kept + filled)
    assert [token.padding for token in batch.tokens[1]] == [not keep for keep in batch.mask[1]]
    assert "".join("he"[place[0] : place[1]] for place in batch.offsets[1] if place) == "he"


def test_padding_is_known_without_a_mask_where_its_id_is_its_own(trained: Callable[[str], Any]) -> None:
    tokenizer = trained("wordpiece")
    ids = [tokenizer.pad_token_id, *tokenizer("he")["input_ids"], tokenizer.pad_token_id]
    tokens = read_tokens(tokenizer, ids, "he")
    assert [token.padding for token in tokens] == [True] + [False] * (len(ids) - 2) + [True]
    assert "".join(covered(tokens, "he")) == "he"


def test_ids_may_go_on_after_the_text_or_stop_before_its_end(trained: Callable[[str], Any]) -> None:
    tokenizer = trained("byte-level")
    ids = tokenizer("the man said")["input_ids"]
    assert places(read_tokens(tokenizer, ids, "the man")) == [(0, 3), (3, 7), (None, None)]
    assert places(read_tokens(tokenizer, ids[:2], "the man said")) == [(0, 3), (3, 7)]


def test_a_persons_own_list() -> None:
    assert as_tokens(["the", "", "\n"], [2, 3, 5]) == (
        Token("the", 2, None, None),
        Token("#1", 3, None, None),
        Token("⏎", 5, None, None),
    )
    assert as_tokens(["a"])[0].id == -1


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda t: as_tokens(["a", "b"], length=3), "tokens: 2 strings for 3 positions; expected one for each"),
        (lambda t: as_tokens(["a", "b"], [1, 2, 3]), "tokens: 2 strings for 3 positions; expected one for each"),
        (lambda t: as_tokens("ab"), "tokens: expected a list of strings"),
        (lambda t: as_tokens(["a", 3]), "tokens: expected a list of strings"),
        (lambda t: as_tokens(3), "tokens: expected a list of strings"),
        (lambda t: read_tokens(t, [[1, 2]]), r"ids: expected whole numbers from 0, got \[1, 2\] at position 0"),
        (lambda t: read_tokens(t, np.ones((2, 3), int)), r"ids: expected one sequence, got an array of shape \(2, 3\)"),
        (lambda t: read_tokens(t, [1, -100]), "ids: expected whole numbers from 0, got -100 at position 1"),
        (lambda t: read_tokens(t, "ab"), "ids: expected one sequence of whole numbers, got str"),
        (lambda t: read_tokens(t, 3), "ids: expected one sequence of whole numbers, got int"),
        (lambda t: read_tokens(t, [1, 2], mask=[1]), "mask: 1 entries for 2 ids; expected one for each"),
        (lambda t: read_tokens(t, t("the man")["input_ids"], "late"), "text: the ids are not those"),
        (lambda t: encode(t, ""), "text: '' has no tokens; expected at least one"),
        (lambda t: encode(t, []), "text: got an empty list"),
        (lambda t: encode(t, 3), "text: expected a string or a list of strings, got int"),
        (lambda t: encode(t, ["a", None]), "text: expected a string or a list of strings, got NoneType"),
        (lambda t: encode(t, "a\ud800"), r"text: U\+D800 at position 1 is half a character"),
        (lambda t: encode(t, "a", padding_side="top"), "padding_side: expected 'left' or 'right', got 'top'"),
        (lambda t: encode(None, "a"), "tokenizer: None cannot read a text"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(
    trained: Callable[[str], Any], call: Callable[[Any], Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        call(trained("byte-level"))


def test_tokens_are_written_and_read() -> None:
    token = Token("⟨E2 82⟩", 17, 2, 3, part=True)
    assert Token.from_dict(token.as_dict()) == token


@pytest.mark.parametrize(
    "change", [{"text": ""}, {"id": "3"}, {"start": None}, {"start": 3}, {"part": 1}, {"new": 1}]
)
def test_what_is_no_token_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="is no token; expected"):
        Token.from_dict(Token("a", 17, 2, 3).as_dict() | change)


def test_smollm2(smollm2: Any) -> None:
    text = "The man  said\n€5 and 👩‍🚀."
    # Without marks: transformers 4 reads from this file that a text begins with one, transformers 5 that it does not.
    tokens = encode(smollm2.tokenizer, text, special_tokens=False).tokens[0]
    assert texts(tokens)[:5] == ["The", " man", "␣", " said", "⏎"]
    assert sorted(set("".join(covered(tokens, text)))) == sorted(set(text))
    assert [token.start for token in tokens] == sorted(token.start for token in tokens)


def test_minilm(minilm: Any) -> None:
    text = "Tokenization of Cafébots"
    tokens = encode(minilm.tokenizer, text).tokens[0]
    assert texts(tokens) == ["[CLS]", "token", "…ization", "of", "cafe", "…bots", "[SEP]"]
    assert covered(tokens, text) == ["Token", "ization", "of", "Café", "bots"]

"""Worksheets: what is on paper, what is left out, and that variants are fair."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from pypdf import PdfReader

import clearhead as ch
from clearhead.surfaces.worksheet.numbers import is_a_tie, on_paper
from clearhead.trace.installing import install


def pages(pdf: bytes) -> list[str]:
    """The text of each page, as a reader would copy it."""
    return [page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages]


def text(pdf: bytes) -> str:
    return " ".join(" ".join(pages(pdf)).split())


def table(shown: str, title: str, columns: str) -> str:
    """What stands after the header of a matrix."""
    return shown.partition(title)[2].partition(columns)[2]


@pytest.fixture(scope="module")
def sheet():
    return ch.worksheet("three-words", "weights,output")


def test_what_is_on_a_sheet(sheet):
    shown = text(sheet.pdf())
    for part in ("Cats chase mice", "0 cats", "1 chase", "2 mice", "Name", "Date", "mask none · scaling on"):
        assert part in shown
    assert "Fill in the 21 empty boxes: weights, output. Round to 2 decimals." in shown
    titles = [
        "Input embeddings",
        "Queries, keys and values",
        "Scores",
        "Scale",
        "Mask",
        "Softmax",
        "Weighted sum",
        "Output",
    ]
    places = [shown.index(f"{number} {title}") for number, title in enumerate(titles, 1)]
    assert places == sorted(places)
    assert "Feed-forward" not in shown  # it is not needed for what is asked
    assert "page 1 of 2" in shown
    assert "cats on mice" not in shown  # what to look for would give the answers away


def test_hidden_cells_are_empty_and_the_key_has_them(sheet):
    """Row 0: e^−1.41, e^0 and e^1.41 over their sum, 0.24 + 1 + 4.11 = 5.36."""
    header = "query ↓ key → 0 cats 1 chase 2 mice 0 cats "
    empty, full = text(sheet.pdf()), text(sheet.key().pdf())
    assert table(full, "Softmax", header).startswith(
        "0.05 0.19 0.77 1 chase 0.77 0.19 0.05 2 mice 0.16 0.67 0.16"
    )
    assert table(empty, "Softmax", header).startswith("1 chase 2 mice")
    assert "0.77" not in empty
    assert "Answers" in full
    assert "Answers" not in empty
    assert "cats on mice" in full
    worked = "weights[0,0,0] ≈ e^−1.41 / (e^−1.41 + e^0 + e^1.41) ≈ 0.24 / (0.24 + 1.00 + 4.11) ≈ 0.24 / 5.36 ≈ 0.05"
    assert worked.replace("≈", "") in full.replace("≈", "")


def test_given_numbers_stand_as_they_are(sheet):
    """2 and −0.5, not 2.00 and −0.50: they are to be worked with by hand."""
    assert "cats 1 0 0 1 chase 0 0 1 2 mice 0 1 0 1" in text(sheet.pdf())
    assert [on_paper(value, 2) for value in (2, -0.5, 0.25, 1 / 3, 0, -np.inf, 1.234, 0.0004)] == [
        "2", "−0.5", "0.25", "0.33", "0", "−∞", "1.23", "4.0e−4",
    ]  # fmt: skip


def test_copies_of_what_is_hidden_are_hidden_too():
    """With one head Q holds the numbers of XW_Q, and without a mask masked those of scaled."""
    sheet = ch.worksheet("three-words", ["Q", "masked[0,1,:]"]).sheets[0]
    assert set(sheet.hidden) == {"XW_Q", "Q", "scaled", "masked"}
    assert sheet.hidden["XW_Q"].all()
    assert sheet.hidden["scaled"].tolist() == [[[False] * 3, [True] * 3, [False] * 3]]
    causal = ch.worksheet("three-words", "masked", mask="causal").sheets[0]
    assert (
        causal.hidden["scaled"][0].tolist() == np.tri(3, dtype=bool).tolist()
    )  # where the score was let through


def test_given_numbers_are_never_hidden():
    assert set(ch.worksheet("three-words", "embeddings").sheets[0].hidden) == {
        "embeddings",
        "embeddings_scaled",
        "X",
    }


def test_a_share_is_chosen_by_the_seed():
    first, again, other = (
        ch.worksheet("two-heads", "weights:30%", seed=seed).sheets[0].hidden["weights"] for seed in (2, 2, 3)
    )
    assert first.sum() == 15  # of 2 × 5 × 5
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_layers():
    both = ch.worksheet("mary-saw-tom", "weights").sheets[0]
    assert set(both.hidden) == {"layer0.weights", "layer1.weights"}
    first = ch.worksheet("mary-saw-tom", "layer0.weights[0,-1,:]")
    assert first.sheets[0].hidden["layer0.weights"].sum() == 6
    shown = text(first.pdf())
    assert "Layer 0: Softmax" in shown
    assert "Layer 1" not in shown


def test_all_words_of_e_are_there_only_where_they_are_needed():
    assert "worms" not in text(ch.worksheet("three-words").pdf())
    assert "worms" in text(ch.worksheet("three-words", "logits").pdf())


# --- the file --------------------------------------------------------------------------------------------------------


def test_the_same_things_give_the_same_bytes(sheet):
    assert sheet.pdf() == ch.worksheet("three-words", "weights,output").pdf()
    fresh = subprocess.run(
        [sys.executable, "-c", "import clearhead as ch, sys, hashlib; "
         "print(hashlib.sha256(ch.worksheet('three-words', 'scores:50%', variants=2, seed=7).pdf()).hexdigest())"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    import hashlib

    here = ch.worksheet("three-words", "scores:50%", variants=2, seed=7).pdf()
    assert fresh.stdout.strip() == hashlib.sha256(here).hexdigest()


def test_fonts_are_inside_and_no_date_is(sheet):
    reader = PdfReader(io.BytesIO(sheet.pdf()))
    assert "/CreationDate" not in (reader.metadata or {})
    assert reader.metadata.title == "Cats chase mice"
    fonts = [font.get_object() for page in reader.pages for font in page["/Resources"]["/Font"].values()]
    assert fonts
    for font in fonts:
        below = font["/DescendantFonts"][0].get_object() if "/DescendantFonts" in font else font
        descriptor = below["/FontDescriptor"].get_object()
        assert any(f"/FontFile{kind}" in descriptor for kind in ("", "2", "3")), font["/BaseFont"]


@pytest.mark.parametrize(("paper", "size"), [("a4", (595, 842)), ("letter", (612, 792))])
def test_paper(paper, size):
    page = PdfReader(io.BytesIO(ch.worksheet("three-words", "scores", paper=paper).pdf())).pages[0]
    assert (round(page.mediabox.width), round(page.mediabox.height)) == size


def test_words_are_text_whatever_is_in_them():
    """Typst's own markup and code, LaTeX's, HTML's; what cannot be seen; what no font here has; 10,000 characters."""
    words = [
        '#panic("x")', "$x^2$", "*b* _i_", "\\input{x}", "<script>", "#read(\"/etc/passwd\")", "\u202eabc", "a\tb",
        "\U000f1234", "w" * 10_000, "[x](http://y.z)", "@ref", "// c", "a\u0301",
    ]  # fmt: skip
    E = {word: [1, place] for place, word in enumerate(words)}
    eye = [[1, 0], [0, 0.5]]
    example = ch.Example(
        tokens=words,
        E=E,
        W_Q=eye,
        W_K=eye,
        W_V=eye,
        positions="none",
        title="#let x = $ *b*\n\u202eturned",
        look_for="@a #b",
    )
    shown = text(ch.worksheet(example, "weights[0,0,:]").key().pdf())
    for part in (
        '#panic("x")',
        "$x^2$",
        "*b* _i_",
        "\\input{x}",
        "<script>",
        "‹U+202E›abc",
        "a⇥b",
        "‹U+F1234›",
    ):
        assert part in shown, part
    assert "#let x = $ *b*↵‹U+202E›turned" in shown
    assert "@a #b" in shown
    assert "w" * 39 + "…" in shown
    assert "root:" not in shown


def test_wide_and_long_matrices_are_cut_into_pieces():
    """19 words: weights of 19 × 19 do not fit on a page."""
    words = [f"w{place}" for place in range(19)]
    example = ch.Example(
        tokens=words, E={word: [place % 3, 1] for place, word in enumerate(words)},
        W_Q=[[1, 0], [0, 1]], W_K=[[1, 0], [0, 1]], W_V=[[1, 0], [0, 1]], positions="none",
    )  # fmt: skip
    shown = text(ch.worksheet(example, "weights").pdf())
    assert re.search(r"query 0–9, key 0–9 ", shown)
    assert re.search(r"query 10–18, key 10–18 ", shown)
    assert all(len(page) > 40 for page in pages(ch.worksheet(example, "weights").pdf()))


def test_saving(sheet, tmp_path: Path):
    sheet.save(tmp_path / "sheet.pdf")
    assert (tmp_path / "sheet.pdf").read_bytes() == sheet.pdf()
    with pytest.raises(IsADirectoryError, match="expected the path of a file"):
        sheet.save(tmp_path)
    with pytest.raises(FileNotFoundError):
        sheet.save(tmp_path / "no" / "sheet.pdf")
    assert [one.name for one in tmp_path.iterdir()] == ["sheet.pdf"]


def test_without_typst_a_sentence_says_what_to_install():
    script = (
        "import sys; sys.modules['typst'] = None\nimport clearhead as ch\n"
        "try: ch.worksheet('three-words').pdf()\nexcept ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        f"worksheets need Typst, and it is not installed; expected `{install('worksheets')}` before"
    )


def test_the_picture_in_the_documentation_is_what_its_code_draws():
    """Up to what differs between processors when edges are smoothed."""
    kept = Path(__file__).parents[3] / "docs" / "images" / "worksheet.png"
    pages = ch.worksheet("the-dog-chased-the-cat", "weights,output", mask="causal").pictures()
    now, then = (np.asarray(Image.open(one).convert("L"), float) for one in (io.BytesIO(pages[2]), kept))
    assert now.shape == then.shape
    assert np.abs(now - then).mean() < 0.1


# --- variants --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def four():
    return ch.worksheet("three-words", "weights,output", variants=4, seed=7)


def test_variants_stand_one_after_the_other_and_say_which_they_are(four):
    for pdf in (four.pdf(), four.key().pdf()):
        shown = pages(pdf)
        assert len(shown) == 8
        for number in range(4):
            first, second = shown[2 * number : 2 * number + 2]
            assert f"Variant {number + 1} of 4 · seed 7" in first
            assert f"Variant {number + 1} of 4 · seed 7" in second  # at the foot
            assert "page 1 of 2" in first


def test_the_numbers_of_variants_are_easy_and_the_example_keeps_its_shape(four):
    own = ch.load("three-words")
    for example in four.examples:
        for name in ("E", "W_Q", "W_V"):
            old, new = own.parameters[name], example.parameters[name]
            assert np.array_equal(old == 0, new == 0)
            assert np.array_equal(np.sign(old), np.sign(new))
            assert np.array_equal(2 * new, np.round(2 * new))
            assert np.abs(new).max() <= 3
        assert np.array_equal(own.W_K, example.W_K)


def test_no_two_variants_have_the_same_answers(four):
    answers = {
        ch.run(example)["weights"].values.round(2).tobytes()
        for example in (ch.load("three-words"), *four.examples)
    }
    assert len(answers) == 5


def test_no_answer_is_ambiguous_or_trivial():
    for name in ("three-words", "the-dog-chased-the-cat", "only-looking-back"):
        for sheet in ch.worksheet(name, "weights,output", variants=3, seed=1).sheets:
            for quantity, mask in sheet.hidden.items():
                for value in sheet.trace[quantity].values[mask]:
                    assert not is_a_tie(float(value), 2)
                    assert abs(value) <= 100
            assert len(set(sheet.trace["output"].values.round(2).ravel()) - {0}) >= 2


def test_an_answer_tells_the_mistakes_apart_that_the_example_tells_apart():
    """Without scaling and without the mask, some box of every variant comes out otherwise."""
    made = ch.worksheet("the-dog-chased-the-cat", "weights", variants=3, seed=5, mask="causal")
    for example in made.examples:
        right = ch.run(example)["weights"].values
        for change in ({"scale": False}, {"mask": "none"}):
            assert np.abs(ch.run(example.vary(**change))["weights"].values - right).max() > 0.01


def test_what_a_tie_is():
    assert [is_a_tie(value, 2) for value in (0.125, -0.005, 0.12, 0.1251, 0, -np.inf)] == [
        True,
        True,
        *[False] * 4,
    ]


def test_other_seeds_give_other_numbers(four):
    other = ch.worksheet("three-words", "weights,output", variants=4, seed=8)
    assert [one.parameters["E"].tolist() for one in other.examples] != [
        one.parameters["E"].tolist() for one in four.examples
    ]


def test_a_variant_does_not_depend_on_how_many_there_are(four):
    one = ch.worksheet("three-words", "weights,output", variants=1, seed=7)
    assert one.examples[0].parameters["E"].tolist() == four.examples[0].parameters["E"].tolist()


def test_the_key_says_how_many_answers_depend_on_rounding():
    """0.33 · 100 three times is 99.00, and a third of 100 three times 100.00; joined and output are copies."""
    eye = [[1, 0], [0, 1]]
    example = ch.Example(
        tokens=["a", "b", "c"], E={"a": [0, 1], "b": [0, 1], "c": [0, 1]}, W_Q=eye, W_K=eye,
        W_V=[[0, 0], [100, 0]], positions="none",
    )  # fmt: skip
    shown = text(ch.worksheet(example, "mixed[0,:,0]").key().pdf())
    assert (
        "Worked out from the rounded numbers on the sheet, 3 of the 3 answers differ in the last digit."
        not in shown
    )
    assert re.search(r"3 of the \d+ answers differ in the last digit", shown)


# --- mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hide", "how", "says"),
    [
        ("nothing", {}, "hide: no quantity is named 'nothing' here; expected one of embeddings, "),
        ("E", {}, "hide: E is given, so that nobody could work it out; expected one of embeddings, "),
        ("", {}, "hide: '' cannot be read; expected a quantity, a part of it or a share of it, such as weights, "),
        ([], {}, "hide: there is nothing to fill in; expected a quantity"),
        ([3], {}, "hide: 3 is no text; expected a quantity"),
        ("weights[", {}, "hide: 'weights[' cannot be read"),
        ("weights[0,x]", {}, "hide: 'x' in 'weights[0,x]' is no place; expected 3, : or 0:2"),
        ("weights[0,3,0]", {}, "hide: weights: query goes from 0 to 2, got 3"),
        ("weights[0,0,0,0]", {}, "hide: 'weights[0,0,0,0]' has 4 places; weights(head 1, query 3, key 3) has 3 axes"),
        ("weights[0,2:2]", {}, "hide: 'weights[0,2:2]' means no cell of weights"),
        ("weights:0%", {}, "hide: 'weights:0%' has to be more than 0% and at most 100%"),
        ("weights", {"variants": -1}, "variants: expected a whole number from 0, got -1"),
        ("weights", {"variants": 101}, "variants: expected at most 100, got 101"),
        ("weights[0,0,0]", {"variants": 100}, "variants: no numbers were found for variant "),
        ("weights", {"seed": 0.5}, "seed: expected a whole number from 0, got 0.5"),
        ("weights", {"digits": 5}, "digits: expected 2, 3 or 4, got 5"),
        ("weights", {"paper": "a3"}, "paper: expected a4 or letter, got 'a3'"),
        ("weights", {"heads": 5}, "heads: "),
    ],
)  # fmt: skip
def test_mistakes_are_one_sentence(hide, how, says):
    with pytest.raises(ValueError) as raised:  # noqa: PT011  # the sentence is looked at below
        ch.worksheet("three-words", hide, **how)
    assert str(raised.value).startswith(says)
    assert "\n" not in str(raised.value)


def test_a_sheet_that_would_be_a_book_is_refused():
    with pytest.raises(
        ValueError, match=r"^worksheet: it would have [\d,]+ numbers, and takes up to 4,000; expected"
    ):
        ch.worksheet("study", "layer0.weights")

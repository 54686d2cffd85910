"""Files are read piece by piece: nothing is lost between the pieces, and no character is torn."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from clearhead.session.corpus import CorpusError
from clearhead.session.corpus.files import checked, read_piece


@given(
    some.text(
        some.characters(exclude_characters="\0\r", exclude_categories=("Cs",)), min_size=1, max_size=700
    )
)
def test_the_pieces_are_the_text(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("file") / "a.txt"
    raw = text.encode()
    path.write_bytes(raw)
    if not text.strip():
        with pytest.raises(CorpusError, match="is empty"):
            checked(path, 67)
        return
    file = checked(path, 67)
    assert "".join(read_piece(file, piece) for piece in file.pieces).encode() == raw.removeprefix(
        b"\xef\xbb\xbf"
    )
    assert all(piece.stop - piece.start <= 67 for piece in file.pieces)


def test_a_piece_ends_after_a_line_or_else_before_the_space_of_a_word(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("x" * 90 + "\n" + "y" * 92 + " " + "z" * 150)
    file = checked(path, 101)
    assert [piece.stop for piece in file.pieces] == [91, 183, 284, 334]


def test_line_ends_and_a_byte_order_mark_are_read_as_python_does(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree\n")
    file = checked(path, 64)
    assert [read_piece(file, piece) for piece in file.pieces] == ["one\ntwo\nthree\n"]
    assert file.pieces[0].start == 3


def test_a_file_that_changes_meanwhile_is_noticed(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("one two")
    file = checked(path, 64)
    path.write_text("one too")
    with pytest.raises(CorpusError, match="has changed since it was checked"):
        read_piece(file, file.pieces[0])
    path.unlink()
    with pytest.raises(CorpusError, match="cannot be read any more"):
        read_piece(file, file.pieces[0])


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"", "is empty"),
        (b" \n\t", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"text \xff\xfe", r"is not text in UTF-8 \(byte 5\)"),
        (b"x" * 200 + "né".encode("latin-1"), r"is not text in UTF-8 \(byte 201\)"),
        (("é" * 100).encode()[:-1], r"is not text in UTF-8 \(byte 198\)"),
        (b"a\0b", "byte 1 is 0"),
    ],
)
def test_what_is_no_text(tmp_path, raw, says):
    path = tmp_path / "a.txt"
    path.write_bytes(raw)
    with pytest.raises(CorpusError, match=f"a.txt: {says}"):
        checked(path, 64)


def test_what_is_no_file(tmp_path):
    with pytest.raises(CorpusError, match="is a folder"):
        checked(tmp_path, 64)
    with pytest.raises(CorpusError, match="there is no such file"):
        checked(tmp_path / "b.txt", 64)

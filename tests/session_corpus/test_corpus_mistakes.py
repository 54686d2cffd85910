"""What a person may get wrong: one clear sentence, before anything starts where it can be known."""

import sys
from pathlib import Path

import pytest

import clearhead as ch
from clearhead.trace.installing import install

STUDY = "the woman calls bread milk honey ! bread milk\n"


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.txt"
    path.write_text(STUDY * 3)
    return path


@pytest.fixture
def bad(tmp_path):
    """No text, nothing in it, not there, and a folder."""
    paths = [tmp_path / name for name in ("binary.txt", "empty.txt", "missing.txt", "folder")]
    paths[0].write_bytes(b"text \xff")
    paths[1].write_bytes(b"")
    paths[3].mkdir()
    return paths


def test_one_bad_file_stops_it_before_anything_starts(good, bad, tmp_path):
    for path in bad:
        with pytest.raises(ch.CorpusError, match=path.name):
            ch.corpus_statistics("there-is-no-such-model", [good, path], tmp_path / "t.parquet")
    assert not list(tmp_path.glob("t.parquet*"))


def test_bad_files_can_be_left_out_and_it_is_said(good, bad, tmp_path):
    said = []
    table = ch.corpus_statistics("study", [*bad, good], tmp_path / "t.parquet", skip=True, say=said.append)
    assert [line.partition(":")[0] for line in said] == ["left out"] * 4
    assert "is not text in UTF-8 (byte 5)" in said[0]
    assert table.about["left_out"] == [str(path) for path in bad]
    assert table.ask("select distinct file from heads").rows == ((str(good),),)
    with pytest.raises(ch.CorpusError, match="no file is left"):
        ch.corpus_statistics("study", bad, tmp_path / "u.parquet", skip=True)


def test_a_model_whose_weights_do_not_give_its_own_numbers_ends_it(small_models, corpus, tmp_path, settings):
    """Numbers that are none agree with nothing."""
    broken, folder = small_models.gpt2(), tmp_path / "broken"
    broken.transformer.h[1].attn.c_attn.weight.data.fill_(float("nan"))
    broken.save_pretrained(folder)
    small_models.tokenizer().save_pretrained(folder)
    with pytest.raises(
        ch.CorpusError, match=r"0\.txt, bytes 0 to .*: the weights of L1 do not agree with the model's"
    ):
        ch.corpus_statistics(folder, corpus, tmp_path / "t.parquet", **settings)
    assert not (tmp_path / "t.parquet").exists()


def test_a_file_that_the_model_cannot_read_ends_it_and_what_is_done_is_kept(good, tmp_path):
    strange = tmp_path / "strange.txt"
    strange.write_text(STUDY * 4 + "the woman calls 7\n")
    sizes = {"piece": 64}
    with pytest.raises(
        ch.CorpusError, match=r"strange.txt, bytes .*: text: the study model does not know.*is kept in"
    ):
        ch.corpus_statistics("study", [good, strange], tmp_path / "t.parquet", **sizes)
    seen = []
    table = ch.corpus_statistics(
        "study", [good, strange], tmp_path / "t.parquet", skip=True,
        progress=lambda done, total: seen.append(done), **sizes,
    )  # fmt: skip
    assert seen[0] >= 3
    assert table.about["left_out"] == [str(strange)]
    only = ch.corpus_statistics("study", [good], tmp_path / "u.parquet", **sizes)
    assert table.ask("select * from heads").rows == only.ask("select * from heads").rows


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"length": 0}, "length: got 0; expected a whole number from 1"),
        ({"length": 1}, "length: 1 leaves no room beside the 1 marks"),
        ({"length": 997}, "length: 997 is more than the 25 tokens that the model takes"),
        ({"workers": True}, "workers: got True"),
        ({"batch_size": 1.5}, "batch_size: got 1.5"),
        ({"piece": 3}, "piece: got 3; expected a whole number of bytes from 64"),
        ({"dtype": "float32"}, "dtype: is for a model that is loaded"),
    ],
)
def test_settings_that_cannot_be(good, tmp_path, given, says):
    with pytest.raises(ch.CorpusError, match=says):
        ch.corpus_statistics("study", [good], tmp_path / "t.parquet", **given)
    assert not list(tmp_path.glob("t.parquet*"))


def test_places_that_cannot_be_written(good, tmp_path):
    for output, says in (
        (tmp_path / "none" / "t.parquet", "there is no such folder"),
        (tmp_path, "is a folder"),
        (good, "is a file of the corpus"),
    ):
        with pytest.raises(ch.CorpusError, match=says):
            ch.corpus_statistics("study", [good], output)
    (tmp_path / "t.parquet.parts").write_text("in the way")
    with pytest.raises(ch.CorpusError, match=r"t.parquet.parts: cannot be made \(file exists\)"):
        ch.corpus_statistics("study", [good], tmp_path / "t.parquet")


def test_no_files_and_the_same_file_twice(good, tmp_path):
    for files in ([], str(good)):
        with pytest.raises(ch.CorpusError, match="corpus: expected a list of text files"):
            ch.corpus_statistics("study", files, tmp_path / "t.parquet")
    with pytest.raises(ch.CorpusError, match="is given twice"):
        ch.corpus_statistics("study", [good, Path(good.parent / "." / good.name)], tmp_path / "t.parquet")


def test_no_such_model(good, tmp_path):
    with pytest.raises(ValueError, match="there is nothing there"):
        ch.corpus_statistics(tmp_path / "none", [good], tmp_path / "t.parquet")


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"text", "is damaged, or no table of a corpus"),
        (b"", "is damaged, or no table"),
        (None, "there is no such file"),
    ],
)
def test_what_is_no_table(tmp_path, raw, says):
    path = tmp_path / "t.parquet"
    if raw is not None:
        path.write_bytes(raw)
    with pytest.raises(ch.CorpusError, match=says):
        ch.CorpusTable(path)


def test_another_table_and_one_that_was_cut(good, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "other.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"copy (select 1 as layer) to '{path}' (format parquet)")
    with pytest.raises(ch.CorpusError, match="is no table of a corpus; expected one"):
        ch.CorpusTable(path)
    whole = ch.corpus_statistics("study", [good], tmp_path / "t.parquet").path
    path.write_bytes(whole.read_bytes()[:-17])
    with pytest.raises(ch.CorpusError, match="is damaged"):
        ch.CorpusTable(path)


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        (
            "select foo from heads",
            'sql: Referenced column "foo" not found .*; the table heads has file, sequence',
        ),
        ("select", "sql: "),
        ("select 1 from nope", "sql: Table with name nope does not exist"),
        ("", "sql: is empty"),
    ],
)
def test_questions_that_cannot_be_answered(good, tmp_path, sql, says):
    table = ch.corpus_statistics("study", [good], tmp_path / "t.parquet")
    with pytest.raises(ch.CorpusError, match=says) as error:
        table.ask(sql)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("package", "given"), [("duckdb", {}), ("distributed", {"workers": 2})])
def test_an_engine_that_is_not_installed(good, tmp_path, monkeypatch, package, given):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError) as error:
        ch.corpus_statistics("study", [good], tmp_path / "t.parquet", **given)
    needed = f"needs {package}, and it is not installed; expected `{install('corpus')}` before"
    assert needed in str(error.value)
    assert not list(tmp_path.glob("t.parquet*"))

"""The table of a corpus: the very numbers of `head_statistics`, and what is worked out of them."""

from pathlib import Path

import numpy as np
import pytest

import clearhead as ch
from clearhead.lenses.statistics import SCORES
from clearhead.session.corpus import CorpusTable


def columns(table, sql):
    """The answer's columns as arrays, NaN for NULL."""
    found = table.ask(sql)
    return [
        np.array([np.nan if value is None else value for value in column])
        for column in zip(*found.rows, strict=True)
    ]


def test_every_row_is_what_the_lens_says_of_its_sequence(model, corpus, alone):
    loaded = ch.load_model(model)
    raw = Path(corpus[1]).read_bytes()
    seen = 0
    for start, stop in alone.ask(
        f"select distinct piece_start, piece_stop from heads where file = '{corpus[1]}' order by all"
    ).rows:
        ids = loaded.tokenizer(raw[start:stop].decode())["input_ids"]
        for at in range(0, len(ids), 13):
            lens = ch.head_statistics(ch.capture(loaded, ids[at : at + 13]))
            rows = alone.ask(
                f"select tower, layer, head, {', '.join(SCORES)}, tokens from heads "
                f"where file = '{corpus[1]}' and sequence = {seen} order by tower, layer, head"
            ).rows
            assert rows == tuple(
                (
                    one.tower,
                    one.layer,
                    one.head,
                    *(getattr(one, name) for name in SCORES),
                    len(ids[at : at + 13]),
                )
                for one in lens
            )
            seen += 1
    assert alone.ask(f"select max(sequence) + 1 from heads where file = '{corpus[1]}'").rows == ((seen,),)
    assert seen > 13


def test_the_pieces_of_a_file_follow_each_other(corpus, alone):
    for path in corpus:
        rows = alone.ask(
            f"select distinct piece_start, piece_stop from heads where file = '{path}' order by all"
        ).rows
        size = Path(path).stat().st_size
        assert [start for start, _ in rows] == [0, *(stop for _, stop in rows[:-1])]
        assert rows[-1][1] == size
    assert [one["name"] for one in alone.about["files"]] == corpus


def test_the_spread_is_that_of_the_sequences(alone):
    """Against NumPy, with weights; 1e-12, as float64 sums of some hundred numbers below 10 round."""
    for head in alone.heads():
        tokens, *scores = columns(
            alone,
            f"select tokens, {', '.join(SCORES)} from heads where layer = {head.layer} and head = {head.head}",
        )
        assert (head.sequences, head.tokens) == (len(tokens), tokens.sum())
        for name, values in zip(SCORES, scores, strict=True):
            known = ~np.isnan(values.astype(float))
            if not known.any():
                assert head.scores[name] is None
                continue
            values = values[known]
            weights = np.ones(len(values)) if name in ("induction", "duplicate") else tokens[known]
            mean = np.average(values, weights=weights)
            deviation = np.sqrt(np.average((values - mean) ** 2, weights=weights))
            spread = head.scores[name]
            np.testing.assert_allclose([spread.mean, spread.deviation], [mean, deviation], rtol=0, atol=1e-12)
            assert (spread.least, spread.most, spread.sequences) == (values.min(), values.max(), len(values))


def test_in_batches_the_numbers_are_the_same(model, corpus, tmp_path, settings, alone):
    """Up to what float32 rounds in sums of 24 numbers: 1e-5."""
    five = ch.corpus_statistics(model, corpus, tmp_path / "five.parquet", batch_size=5, **settings)
    asked = f"select tokens, {', '.join(SCORES)} from heads order by file, sequence, tower, layer, head"
    for left, right in zip(columns(alone, asked), columns(five, asked), strict=True):
        np.testing.assert_allclose(left.astype(float), right.astype(float), rtol=0, atol=1e-5)


def test_a_model_of_two_towers_and_one_with_marks(small_models, corpus, tmp_path):
    folder = tmp_path / "bart"
    small_models.bart().save_pretrained(folder)
    small_models.tokenizer(ends=True).save_pretrained(folder)
    table = ch.corpus_statistics(folder, corpus[:1], tmp_path / "t.parquet", length=17)
    towers = {
        name: dict(table.ask(f"select tower, {name}(tokens) from heads group by all").rows)
        for name in ("max", "min")
    }
    assert towers["max"]["encoder"] == 17
    assert towers["max"]["decoder"] == towers["min"]["decoder"] == 1  # its start mark alone
    assert [head.label for head in table.heads("decoder")][:3] == [
        "decoder.L0H0",
        "decoder.L0H1",
        "decoder.L0H2",
    ]
    assert list(dict.fromkeys(head.tower for head in table.heads())) == table.about["towers"]
    with pytest.raises(LookupError, match="tower: 'middle' is none"):
        table.heads("middle")


def test_the_study_model_needs_nothing_else(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("the woman calls bread milk honey ! bread milk")
    table = ch.corpus_statistics("study", [path], tmp_path / "t.parquet")
    heads = table.heads()
    assert len(heads) == 8
    assert heads.by("induction")[0].label == "L1H0"
    assert str(heads).splitlines()[0].split() == ["head", *heads.scores]
    assert str(CorpusTable(tmp_path / "t.parquet").heads()) == str(heads)


def test_a_question_reaches_this_table_and_nothing_else(tmp_path):
    path, other = tmp_path / "a.txt", tmp_path / "b.csv"
    path.write_text("the woman calls bread")
    other.write_text("a,b\n1,2\n")
    table = ch.corpus_statistics("study", [path], tmp_path / "t.parquet")
    assert "head  count_star()" in str(table.ask("select head, count(*) from heads group by all"))
    for sql in (
        f"select * from read_csv('{other}')",
        f"copy heads to '{tmp_path / 'c.csv'}'",
        "set threads = 1",
    ):
        with pytest.raises(ch.CorpusError, match="sql: "):
            table.ask(sql)
    assert not (tmp_path / "c.csv").exists()


def test_the_same_text_in_two_files_is_two_files_in_the_table(model, corpus, tmp_path, settings):
    twin = tmp_path / "twin.txt"
    twin.write_bytes(Path(corpus[0]).read_bytes())
    table = ch.corpus_statistics(model, [corpus[0], twin], tmp_path / "t.parquet", **settings)
    counts = table.ask("select count(*) from heads group by file").rows
    assert len(counts) == 2
    assert counts[0] == counts[1]

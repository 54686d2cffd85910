"""`clearhead heads --corpus`, and questions of the table that it writes."""

import json

import pytest

import clearhead as ch

TEXT = "the woman calls bread milk honey ! bread milk\n"


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for number, path in enumerate(paths):
        path.write_text(TEXT * (2 + 3 * number))
    return [str(path) for path in paths]


@pytest.fixture
def table(files, tmp_path):
    return str(ch.corpus_statistics("study", files, tmp_path / "t.parquet", length=13).path)


def test_it_prints_what_it_writes(run, files, table, tmp_path):
    output = str(tmp_path / "u.parquet")
    made = run("heads", "study", "--corpus", *files, "-o", output, "--length", "13")
    assert made.exit_code == 0, made.stderr
    assert made.stdout == run("heads", output).stdout
    assert (tmp_path / "u.parquet").read_bytes() == (tmp_path / "t.parquet").read_bytes()
    heads = ch.CorpusTable(output).heads()
    assert (
        f"Corpus of 2 files through study  {heads[0].sequences} sequences of at most 13 tokens" in made.stdout
    )
    rows = [line.split() for line in made.stdout.splitlines()[-8:]]
    assert [row[0] for row in rows] == [head.label for head in heads]
    first = heads[3].scores["first"]
    assert rows[3][5:7] == [f"{first.mean:.2f}", f"±{first.deviation:.2f}"]


def test_sorted_and_some_alone(run, table):
    rows = run("heads", table, "--sort", "first", "--top", "2", "--layer", "1").stdout.splitlines()[-2:]
    heads = [head for head in ch.CorpusTable(table).heads().by("first") if head.layer == 1][:2]
    assert [row.split()[0] for row in rows] == [head.label for head in heads]


def test_json_is_the_numbers_in_full(run, table):
    data = json.loads(run("heads", table, "--json").stdout)
    heads = ch.CorpusTable(table).heads()
    assert [one["head"] for one in data] == [head.label for head in heads]
    assert data[5]["first"]["mean"] == heads[5].scores["first"].mean
    assert data[5]["first"]["sequences"] == heads[5].sequences == data[5]["sequences"]
    assert data[5]["sink"] is None


def test_a_question(run, table):
    sql = "select layer, head, avg(induction) from heads group by all order by 3 desc limit 2"
    expected = ch.CorpusTable(table).ask(sql)
    assert run("heads", table, "--sql", sql).stdout.splitlines() == str(expected).splitlines()
    data = json.loads(run("heads", table, "--json", "--sql", sql).stdout)
    assert data == {"columns": list(expected.columns), "rows": [list(row) for row in expected.rows]}
    odd = "select 'nan'::double, 1::decimal(5,2), date '2020-02-03', [1, null], chr(27)"
    assert json.loads(run("heads", table, "--json", "--sql", odd).stdout)["rows"] == [
        [None, 1.0, "2020-02-03", [1, None], "\x1b"]
    ]
    assert "\x1b" not in run("heads", table, "--sql", odd).stdout


def test_a_question_at_once(run, files, tmp_path):
    sql = "select count(*) as n from heads"
    made = run("heads", "study", "--corpus", *files, "-o", str(tmp_path / "u.parquet"), "--sql", sql)
    assert made.stdout.split() == ["n", "24"]


def test_mistakes_are_one_sentence(run, files, table, tmp_path, one_sentence):
    assert "foo" in one_sentence(run("heads", table, "--sql", "select foo from heads"))
    assert "no table of a corpus" in one_sentence(run("heads", files[0], "--sql", "select 1"))
    assert "there is no such file" in one_sentence(run("heads", str(tmp_path / "none.parquet")))
    assert "layer: 7 is none" in one_sentence(run("heads", table, "--layer", "7"))
    assert "tower: 'x' is none" in one_sentence(run("heads", table, "--tower", "x"))
    missing = run("heads", "study", "--corpus", "none.txt", "-o", str(tmp_path / "u.parquet"))
    assert "none.txt: there is no such file" in one_sentence(missing)


def test_files_that_are_left_out_are_said(run, files, tmp_path):
    made = run("heads", "study", "--corpus", *files, "none.txt", "--skip", "-o", str(tmp_path / "u.parquet"))
    assert made.exit_code == 0
    assert made.stderr == "left out: none.txt: there is no such file; expected the path of a text file\n"
    assert "left out: none.txt" in made.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("study", "--corpus"), ("study", "a.txt", "--corpus"), ("study", "a.txt", "-o", "t.parquet"),
        ("t.parquet", "--workers", "2"), ("cap.safetensors", "--skip"),
        ("study", "a.txt", "--corpus", "-o", "t", "--batch", "0"),
    ],
)  # fmt: skip
def test_options_that_do_not_go_together(run, words):
    assert run("heads", *words).exit_code == 2


@pytest.mark.parametrize(
    "options",
    [("--batch", "1"), ("--sql", "select 1", "--sort", "first"), ("--sql", "select 1", "--top", "3")],
)
def test_an_option_that_would_do_nothing_with_a_table_is_refused(run, options):
    done = run("heads", "table.parquet", *options)
    assert done.exit_code == 2
    assert "would do nothing here" in done.stderr

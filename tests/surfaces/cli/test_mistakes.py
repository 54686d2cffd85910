"""Bad input: exit code 1 and one sentence on stderr. Wrong usage: exit code 2."""

import pytest

GOOD = {
    "title": '"t"', "look_for": '"l"', "tokens": '["a", "b"]', "W_Q": "[[1, 0], [0, 1]]", "W_K": "[[1, 0], [0, 1]]",
    "W_V": "[[1, 0], [0, 1]]", "E": '{ a = [1, 0], b = [0, 1] }',
}  # fmt: skip


def example_file(tmp_path, **changes):
    path = tmp_path / "mine.toml"
    fields = {name: value for name, value in (GOOD | changes).items() if value is not None}
    path.write_text("\n".join(f"{name} = {value}" for name, value in fields.items()), encoding="utf-8")
    return str(path)


def one_sentence(done):
    assert done.exit_code == 1, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("clearhead: ")
    assert done.stderr.endswith("\n")
    assert done.stderr.count("\n") == 1
    assert "Usage" not in done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def test_the_file_of_these_tests_is_right_when_nothing_is_changed(run, tmp_path):
    assert run("walk", example_file(tmp_path)).exit_code == 0


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"tokens": "[]"}, "tokens: the sentence is empty"),
        ({"tokens": '"a b"'}, "tokens: expected a list of words"),
        ({"tokens": '["a", "c"]'}, "no row for 'c'"),
        ({"W_Q": None}, "W_Q: is missing"),
        ({"W_Q": "[[1, 0], [0]]"}, "W_Q: row 1 has 1 number and row 0 has 2"),
        ({"W_Q": '[[1, "x"], [0, 1]]'}, "expected a number, got 'x'"),
        ({"W_Q": "[[nan, 0], [0, 1]]"}, "expected a finite number, got nan"),
        ({"W_Q": "[[inf, 0], [0, 1]]"}, "expected a finite number, got inf"),
        ({"W_Q": "[[1, 0], [0, 1], [0, 0]]"}, "W_Q: has 3 rows, but the rows of E have 2 numbers"),
        (
            {"W_Q": "[[1e308, 1e308], [1e308, 1e308]]", "W_K": "[[1e308, 0], [0, 1e308]]"},
            "too large for float64",
        ),
        ({"heads": "3"}, "heads: 3 does not divide"),
        ({"mask": '"sideways"'}, "mask: 'sideways' is not known"),
        ({"surprise": "1"}, "surprise: is not known"),
        ({"E": "{ a = [1, 0], b = [0] }"}, "rows of one length"),
        ({"tokens": "[[["}, "is not valid TOML"),
        ({"tokens": '["\\u0000", "\\u001b[2J"]'}, "no row for"),
    ],
)
def test_a_mistake_in_a_file_is_one_sentence_with_file_field_and_expectation(run, tmp_path, changes, says):
    path = example_file(tmp_path, **changes)
    for arguments in (["walk", path], ["walk", path, "--json"], ["why", path, "E[0,0]"]):
        sentence = one_sentence(run(*arguments))
        assert says in sentence
        assert path in sentence or "too large" in sentence


def test_serve_tells_a_mistake_before_it_starts(run, tmp_path):
    assert "tokens: the sentence is empty" in one_sentence(run("serve", example_file(tmp_path, tokens="[]")))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["walk", "no-such-example"],
            "no example is named 'no-such-example', and there is no such file; expected one of ",
        ),
        (["walk", "three-wrods"], "there is no such file; did you mean three-words? Expected one of "),
        (["walk", "mine/example"], "mine/example: there is no such file or folder; expected one of "),
        (["walk", "no-such-file.toml"], "no-such-file.toml: cannot be read"),
        (["walk", "/"], "/: is no TOML file; expected the path of a file whose name ends in .toml"),
        (["walk", ""], "no example is named ''"),
        (["walk", "--heads", "3"], "heads: 3 does not divide"),
        (["walk", "--positions", "learned"], "P: is missing"),
        (["walk", "--temperature", "0"], "temperature: expected a number above 0, got 0.0"),
        (["walk", "--temperature", "nan"], "temperature: expected a number above 0, got nan"),
        (["walk", "--layer", "1"], "layer: this model has 1, counted from 0; expected at most 0, got 1"),
        (
            ["walk", "--backwards", "--learning-rate", "0"],
            "learning_rate: expected a finite number above 0, got 0.0",
        ),
        (["why", "two-heads", "dnothing", "0", "0"], "no quantity named 'dnothing'; this trace has "),
        (["why", "two-heads", "layer1.E", "0", "0"], "no quantity named 'layer1.E'; did you mean E?"),
        (["why", "two-heads", "loss", "0"], "loss: a single number; expected no index, got 1"),
        (
            ["why", "two-heads", "weights"],
            "weights: expected 3 whole numbers (head 0–1, query 0–4, key 0–4), got 0",
        ),
        (["why", "two-heads", "nothing[0,0]"], "no quantity named 'nothing'; this trace has "),
        (["why", "two-heads", "scores[0,0]"], "scores: expected 3 whole numbers (head 0–1, query 0–"),
        (["why", "two-heads", "scores[0,0,99]"], "scores: key goes from 0 to 4, got 99"),
        (["why", "two-heads", "scores[0,0,-99]"], "scores: key goes from 0 to 4, got -99"),
        (["why", "no-such-example", "scores[0,0,0]"], "no example is named"),
        (["serve", "no-such-example"], "no example is named"),
    ],
)
def test_bad_input_is_one_sentence(run, arguments, says):
    assert says in one_sentence(run(*arguments))


@pytest.mark.parametrize(
    "arguments",
    [
        ["walk", "--backwards"],
        ["walk", "--step", "update"],
        ["why", "dE", "0", "0"],
        ["why", "E_next", "0", "0"],
    ],
)
def test_a_model_without_a_next_word_has_no_loss_to_go_back_from(run, tmp_path, arguments):
    command, *rest = arguments
    done = run(command, example_file(tmp_path, predict="false"), *rest)
    assert "this trace has no loss: it needs a model that goes on to the next word" in one_sentence(done)


def test_a_step_that_the_model_does_not_have_is_one_sentence(run, tmp_path):
    sentence = one_sentence(run("walk", example_file(tmp_path), "--step", "feed-forward"))
    assert "step: this model has no 'feed-forward'; expected one of embeddings, " in sentence
    assert "next-word" in sentence


def test_switches_that_do_not_fit_together_are_one_sentence(run, tmp_path):
    done = run("walk", example_file(tmp_path), "--heads", "2", "--positions", "rotary")
    assert (
        "positions: rotary turns pairs of features, but d_head is 1; expected an even d_head"
        in one_sentence(done)
    )


def test_a_folder_and_a_binary_file_are_no_examples(run, tmp_path):
    folder, binary = tmp_path / "folder.toml", tmp_path / "binary.toml"
    folder.mkdir()
    binary.write_bytes(b"\xff\xfe\x00\x01")
    assert "folder.toml: cannot be read" in one_sentence(run("walk", str(folder)))
    assert "binary.toml: is not text in UTF-8" in one_sentence(run("walk", str(binary)))


def test_a_file_nested_too_deeply_or_with_an_endless_number_is_one_sentence(run, tmp_path):
    for text in ("a = " + "[" * 50_000, "heads = " + "1" * 5000):
        path = tmp_path / "hostile.toml"
        path.write_text(text, encoding="utf-8")
        one_sentence(run("walk", str(path)))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--nonsense"],
        ["walk", "--nonsense"],
        ["walk", "one", "two"],
        ["walk", "--mask", "sideways"],
        ["walk", "--mask-fill", "1"],
        ["walk", "--positions", "astral"],
        ["walk", "--digits", "5"],
        ["walk", "--step", "nonsense"],
        ["walk", "--heads", "0"],
        ["walk", "--heads", "many"],
        ["walk", "--norm", "batch"],
        ["walk", "--norm-place", "between"],
        ["walk", "--activation", "sign"],
        ["walk", "--temperature", "warm"],
        ["walk", "--layer", "-1"],
        ["walk", "--optimiser", "luck"],
        ["why", "two-heads"],
        ["why", "two-heads", "scores", "0", "0", "0", "--nonsense"],
        ["why", "two-heads", "scores", "0", "0", "0", "-x"],
        ["why"],
        ["why", "two-heads", "scores[0,0,0]", "--as", "latex", "--json"],
        ["serve", "--port", "65536"],
        ["serve", "--port", "-1"],
        ["serve", "--host", "0.0.0.0"],
        ["--no-browser", "walk"],
        ["nonsense"],
    ],
)
def test_wrong_usage_exits_with_2_and_prints_nothing_on_stdout(run, arguments):
    done = run(*arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr


def test_words_cannot_steer_the_terminal(run, tmp_path):
    words = ["\x1b[2J", "\x07", "\u202eabc", "a\nb", "[bold]x[/bold]", "<b>", ":smile:"]
    quoted = ['"' + "".join(f"{chr(92)}u{ord(char):04x}" for char in word) + '"' for word in words]
    table = "{ " + ", ".join(f"{word} = [1, {number}]" for number, word in enumerate(quoted)) + " }"
    path = example_file(
        tmp_path, tokens=f"[{', '.join(quoted)}]", E=table, title=quoted[0], look_for=quoted[0]
    )
    for arguments in (["walk", path], ["why", path, "weights[0,0,1]"]):
        done = run(*arguments)
        assert done.exit_code == 0
        assert not set("\x1b\x07\u202e") & set(done.stdout)
    text = run("walk", path).stdout
    for shown in (
        "0 ‹U+001B›[2J",
        "1 ‹U+0007›",
        "2 ‹U+202E›abc",
        "3 a↵b",
        "4 [bold]x[/bold]"[:14],
        "5 <b>",
        "6 :smile:",
    ):
        assert shown in text


def test_a_word_too_long_for_a_label_ends_visibly(run, tmp_path):
    long = "x" * 80
    path = example_file(tmp_path, tokens=f'["{long}"]', E=f"{{ {long} = [1, 0] }}")
    assert f"0 {'x' * 13}…" in run("walk", path).stdout
    assert long in run("walk", path, "--json").stdout


@pytest.mark.parametrize("words", [1, 200])
def test_one_word_and_two_hundred_work(run, tmp_path, words):
    tokens = "[" + ", ".join(["'a'"] * words) + "]"
    done = run("walk", example_file(tmp_path, tokens=tokens), "--step", "softmax")
    assert done.exit_code == 0
    assert f"{words} key" in done.stdout

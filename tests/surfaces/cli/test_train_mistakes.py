"""`clearhead train` used wrongly, or given what cannot be trained on."""

import errno
import shutil

import pytest

from clearhead.trace.recording import Recording, SavingError


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--learning-rate", "0"], "learning_rate: expected a finite number above 0, got 0.0"),
        (["--learning-rate", "-1"], "learning_rate: expected a finite number above 0, got -1.0"),
        (["--learning-rate", "nan"], "learning_rate: expected a finite number above 0, got nan"),
        (["no-such-corpus.txt"], "no-such-corpus.txt: corpus: cannot be read (no such file or directory)"),
        (["."], ".: corpus: cannot be read (is a directory)"),
    ],
)
def test_bad_input_is_one_sentence(run, model, arguments, says, one_sentence):
    assert says in one_sentence(run("train", model, *arguments))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "corpus"),
        (b"\n \n", "corpus"),
        (b"cat\n", "corpus: it has no sentence of two words or more"),
        (
            b"the cat saw a cta\n",
            "'cta' is none of the 6 words that the model has a row of E for; did you mean 'cat'?",
        ),
        (b"\xff\xfe\x00", "corpus.txt: corpus: is not text in UTF-8; expected one sentence a line"),
    ],
)
def test_a_corpus_that_cannot_be_trained_on_is_one_sentence(run, model, tmp_path, text, says, one_sentence):
    path = tmp_path / "corpus.txt"
    path.write_bytes(text)
    assert says in one_sentence(run("train", model, str(path)))


@pytest.mark.parametrize(
    ("config", "says"),
    [
        (
            "d_modl=8",
            "config: 'd_modl=8' is not known; did you mean d_model? Expected name=value with d_model, ",
        ),
        ("d_model", "config: 'd_model' is not known; expected name=value with "),
        ("d_model=wide", "config, d_model: expected a whole number from 0, got 'wide'"),
        ("d_model=" + "9" * 5000, "config, d_model: expected a whole number"),
        ("seed=-1", "config, seed: expected a whole number from 0, got '-1'"),
        ("tied=perhaps", "config, tied: expected true or false, got 'perhaps'"),
        ("heads=3", "heads: 3 does not divide d_model, 16; expected a divisor"),
        ("mask=sideways", "mask: 'sideways' is not known"),
    ],
)
def test_a_config_that_cannot_be_is_one_sentence(run, corpus, config, says, one_sentence):
    assert says in one_sentence(run("train", corpus, "--config", config))


def test_a_config_needs_a_corpus(run, one_sentence):
    assert "corpus: is missing; expected a text file" in one_sentence(run("train", "--config", "d_model=8"))


def test_a_model_without_a_next_word_cannot_be_trained(run, tmp_path, one_sentence):
    path = tmp_path / "ends.toml"
    path.write_text(
        "tokens = ['a', 'a']\npredict = false\nW_Q = [[1]]\nW_K = [[1]]\nW_V = [[1]]\nE = {a = [1]}\n"
    )
    assert "predict: this example ends at the output of attention" in one_sentence(run("train", str(path)))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--steps", "-1"],
        ["--batch", "0"],
        ["--every", "0"],
        ["--seed", "-1"],
        ["--optimiser", "luck"],
        ["--learning-rate", "fast"],
        ["--resume"],
        ["two-heads", "--resume", "-o", "folder"],
        ["--resume", "-o", "folder", "--batch", "2"],
        ["one.txt", "two.txt", "--config", "d_model=8"],
        ["one", "two", "three"],
    ],
)
def test_wrong_usage_exits_with_2(run, arguments):
    done = run("train", *arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr


@pytest.mark.parametrize("left", [True, False])
def test_it_says_how_much_of_the_run_is_kept(run, model, tmp_path, monkeypatch, left):
    """The disk is full at step 3; or the folder was taken away meanwhile."""
    save = Recording.save

    def full(self, step, *rest):
        if step == 3:
            if not left:
                shutil.rmtree(self.path)
            raise SavingError(errno.ENOSPC, "the disk is full")
        save(self, step, *rest)

    monkeypatch.setattr(Recording, "save", full)
    folder = tmp_path / "run"
    done = run("train", model, "--steps", "9", "--every", "1", "-o", str(folder))
    expected = f"Kept in {folder}, up to step 2" if left else f"Nothing of it is left in {folder}"
    assert done.stdout.splitlines()[-1] == expected
    assert done.exit_code == 1
    assert "the disk is full" in done.stderr

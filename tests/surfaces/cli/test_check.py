"""`clearhead check`: a verdict, an exit code, or one sentence."""

import json
import sys

import pytest

MINE = """
import torch

def right(q, k, v):
    return torch.softmax(q @ k.transpose(-2, -1) / q.size(-1) ** 0.5, -1) @ v

def unscaled(q, k, v):
    return torch.softmax(q @ k.transpose(-2, -1), -1) @ v

def nameless(a, b, c, mode):
    return unscaled(a, b, c)

def turned(x, W_Q, W_K, W_V):
    return right(x @ W_Q.T, x @ W_K.T, x @ W_V.T)

class Holding(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = (torch.nn.Linear(11, 11) for _ in range(3))

    def forward(self, x):
        return unscaled(self.first(x), self.second(x), self.third(x))

class Made:
    def __call__(self, q, k, v):
        return unscaled(q, k, v)

class Needy:
    def __init__(self, heads): ...

number = 7
"""


@pytest.fixture
def mine(tmp_path):
    """A file with functions of a person's own."""
    (tmp_path / "mine.py").write_text(MINE, "utf-8")
    return str(tmp_path / "mine.py")


def test_a_right_function_ends_with_0(run, mine):
    done = run("check", f"{mine}:right")
    assert done.exit_code == 0
    assert done.stdout.startswith("agrees with the reference, to within ")


@pytest.mark.parametrize("name", ["unscaled", "Made"])
def test_a_wrong_one_ends_with_1_and_its_mistake_in_the_first_line(run, mine, name):
    done = run("check", f"{mine}:{name}")
    assert done.exit_code == 1
    assert done.stdout.splitlines()[0] == "does not agree: it leaves the scores undivided (no-scale)"
    assert "Usually mended so: " in done.stdout


def test_json_has_all_of_it(run, mine):
    done = run("check", f"{mine}:unscaled", "--json")
    report = json.loads(done.stdout)
    assert (done.exit_code, report["mistakes"], report["step"]) == (1, ["no-scale"], "scaled")
    small = report["smallest"]
    assert small["yours"] != small["right"]


def test_the_report_is_saved_as_a_page(run, mine, tmp_path):
    page = tmp_path / "page.html"
    done = run("check", f"{mine}:unscaled", "--html", str(page))
    assert done.exit_code == 1
    assert f"Saved in {page} (" in done.stdout
    assert page.read_text("utf-8").startswith("<!doctype html>")
    done = run("check", f"{mine}:unscaled", "--json", "--html", str(page))
    assert json.loads(done.stdout)["mistakes"] == ["no-scale"]  # data stays data


def test_a_page_that_cannot_be_written_is_said_before_the_work(run, tmp_path):
    done = run("check", "nothing-such.py:f", "--html", str(tmp_path / "no" / "page.html"))
    assert done.exit_code == 1
    assert "there is no folder" in done.stderr


def test_options_tell_of_the_function(run, mine):
    done = run("check", f"{mine}:right", "--mask", "causal", "--layout", "bhtd", "--seed", "3")
    assert done.stdout.splitlines()[0].endswith("(no-mask)")
    assert "seed 3" in done.stdout


@pytest.mark.parametrize(
    ("name", "options", "verdict"),
    [
        ("nameless", ["--arguments", "mode=None"], "(no-scale)"),
        ("nameless", ["--roles", "a=Q", "--roles", "b=K", "--roles", "c=V", "--arguments", "mode=7"], "(no-scale)"),
        ("turned", ["--weights", "out, in", "--mask", "none"], "questions"),
        (
            "Holding",
            [part for role, path in (("W_Q", "first"), ("W_K", "second"), ("W_V", "third"))
             for part in ("--weights", f"{role}={path}.weight")] + ["--heads", "1", "--mask", "none"],
            "(no-scale)",
        ),
    ],
)  # fmt: skip
def test_what_is_told_by_name(run, mine, name, options, verdict):
    assert verdict in run("check", f"{mine}:{name}", *options).stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--roles", "a"], "--roles: 'a' is no pair; expected such as name=value"),
        (["--arguments", "mode=1", "--arguments", "mode=2"], "--arguments: 'mode' is given twice"),
    ],
)
def test_what_is_no_pair_is_a_usage_error(run, mine, options, says):
    done = run("check", f"{mine}:nameless", *options)
    assert done.exit_code == 2
    assert says in " ".join(done.stderr.replace("│", " ").split())


def test_a_parameter_that_is_not_there_is_one_sentence(run, one_sentence, mine):
    said = one_sentence(run("check", f"{mine}:right", "--roles", "z=Q"))
    assert "roles: it has no parameter 'z'; expected one of q, k, v" in said


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("mine.py", "names no function; expected such as my_module.py:my_attention"),
        ("mine.py:unscald", "has no 'unscald'; expected one of unscaled"),
        ("mine.py:number", "is of the type int; expected a function or a module"),
        ("mine.py:Needy", "is a class, and cannot be made without arguments"),
        ("lost.py:right", "lost.py: no module named 'lost.py'; expected the path of a .py file, or a module"),
        ("broken.py:right", "broken.py cannot be imported: SyntaxError"),
        (
            "needy.py:right",
            "line 2 of needy.py (import nothing_such) needs the module 'nothing_such', which is not",
        ),
        (
            "indirect.py:right",
            "indirect.py cannot be imported: line 2 of needy.py (import nothing_such) needs",
        ),
        (
            "older.py:right",
            "line 1 of older.py (from math import nothing) raises ImportError: cannot import name",
        ),
        (
            "raising.py:right",
            "raising.py cannot be imported: ZeroDivisionError: division by zero (line 1 of raising",
        ),
    ],
)
def test_what_names_no_function_is_one_sentence(run, one_sentence, mine, tmp_path, monkeypatch, place, says):
    monkeypatch.chdir(tmp_path)
    files = {
        "broken.py": "def right(:\n", "needy.py": "import math\nimport nothing_such\n", "indirect.py": "import needy\n",
        "older.py": "from math import nothing\n", "raising.py": "1 / 0\n",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    assert says in one_sentence(run("check", place))


def test_a_keyword_that_is_not_known_is_one_sentence(run, one_sentence, mine):
    assert "mask: 'causl' is not known" in one_sentence(run("check", f"{mine}:right", "--mask", "causl"))


def test_a_file_takes_no_other_modules_place(run, tmp_path):
    """One that is called as a module of the standard library is asked, and the other is still that."""
    import colorsys

    (tmp_path / "colorsys.py").write_text(MINE, "utf-8")
    assert run("check", f"{tmp_path / 'colorsys.py'}:right").exit_code == 0
    assert sys.modules["colorsys"] is colorsys

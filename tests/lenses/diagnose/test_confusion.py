"""Every mistake against every verdict, in every setting, and the registry they stand in."""

from importlib import import_module
from pathlib import Path

import pytest

from clearhead.lenses.diagnose import LIBRARY, mistakes
from clearhead.lenses.diagnose.confusion import SETTINGS, convicts, verdicts

SAME = (
    {"no-scale", "scale-by-heads"},  # with one head: the root of 1
    {"softmax-over-batch", "softmax-over-heads", "values-added-apart"},  # with one of each
    {"softmax-over-batch", "softmax-over-heads"},
    {"softmax-over-heads", "values-added-apart"},  # with one head every weight is 1
    {"softmax-over-batch", "values-added-apart"},  # with one sentence, too
    {"no-softmax", "log-weights"},  # where every row has a hidden key, and takes -inf of its value
    {"rotary-missing", "rotary-along-heads"},  # where a query and its keys stand in the same head
)
"""Mistakes that are the same numbers in some setting: then both are named."""


@pytest.mark.parametrize("setting", SETTINGS, ids=[one.name for one in SETTINGS])
def test_every_mistake_is_taken_for_itself(setting):
    for mistake, found in verdicts(setting):
        names = {name for names in found for name in names}
        assert mistake.name in names, f"{mistake.name} is taken for {found}"
        assert names == {mistake.name} or names in SAME, f"{mistake.name} is not told from {found}"


def test_every_mistake_is_convicted_by_some_question():
    convicted = {one.name for one in LIBRARY if any(convicts(setting, one) for setting in SETTINGS)}

    assert convicted == {one.name for one in LIBRARY}


def test_the_registry_holds_every_file_of_the_folder():
    folder = Path(mistakes.__file__).parent
    files = {path.stem for path in folder.glob("*.py")} - {"__init__", "base"}
    held = {id(one) for one in LIBRARY}

    for file in files:
        module = import_module(f"{mistakes.__name__}.{file}")
        assert {one.name for one in module.MISTAKES} == {file.replace("_", "-")}
        assert {id(one) for one in module.MISTAKES} <= held
    assert {one.name for one in LIBRARY} == {file.replace("_", "-") for file in files}
    assert len(files) >= 30


def test_every_mistake_is_told_in_full():
    for one in LIBRARY:
        assert not one.says.endswith(".")
        assert one.says.split()[0].endswith("s"), f"{one.name}: a clause that follows 'it'"
        assert one.mend.endswith(".")
        assert one.seen
        assert one.changes

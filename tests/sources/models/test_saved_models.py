"""Captures of tiny models of many kinds go to a file and come back; and what is known of heads of two real models.

The heads' scores are facts about the published weights, measured; no paper states them. The bounds are loose, so that
another version of the kernels does not matter.
"""

import inspect
import subprocess
import sys

import numpy as np
import pytest
import torch

import clearhead as ch
from clearhead.trace.capture.held import Widened
from clearhead.trace.installing import install

ROWS = [
    "gpt2",
    "bert",
    "t5",
    "bart",
    "gemma2",
    "gpt_oss",
    "bloom",
    "deepseek_v3",
    "jamba",
    "vit",
    "llava",
    "albert",
]

TEXT = (
    "The man said he was late because the train from the north had been stopped by snow. His wife had waited at the "
    "station until midnight, and then she walked home alone through the white streets."
)


@pytest.mark.filterwarnings("ignore:::torch", "ignore:::transformers")
@pytest.mark.parametrize("name", ROWS)
def test_a_model_of_each_kind_comes_back_bit_for_bit(zoo, tmp_path, name):
    row = zoo.ROWS[name]
    if reason := zoo.why_missing(row):
        pytest.skip(reason)
    capture = ch.capture(zoo.build(row), inputs=row.inputs())
    capture.save(tmp_path / "cap")
    back = ch.load_capture(tmp_path / "cap")
    assert [layer.label for layer in back.layers] == [layer.label for layer in capture.layers]
    assert (back.texts, back.grids, back.provenance) == (capture.texts, capture.grids, capture.provenance)
    assert repr(back.agreement) == repr(capture.agreement)
    for layer in capture.attentions():
        mine, theirs = (one.head(layer.number, 0, tower=layer.tower) for one in (capture, back))
        assert list(mine) == list(theirs)
        assert all(np.array_equal(mine[one].values, theirs[one].values) for one in mine)


@pytest.mark.filterwarnings("ignore:::torch", "ignore:::transformers")
def test_bfloat16_stays_bfloat16(zoo, tmp_path):
    row = zoo.ROWS["gpt2"]
    ch.capture(zoo.build(row).bfloat16(), inputs=row.inputs()).save(tmp_path / "cap")
    attention = ch.load_capture(tmp_path / "cap").layer(0).attention
    assert isinstance(attention.query, Widened)
    assert attention.output.dtype == "bfloat16"


def test_the_public_function_takes_what_the_other_takes():
    from clearhead.sources.models.capture import capture

    mine, theirs = (dict(inspect.signature(one).parameters) for one in (ch.capture, capture))
    del theirs["looked"]  # which is for a page that shows the layers as they are finished
    assert {name: (one.kind, one.default) for name, one in mine.items()} == {
        name: (one.kind, one.default) for name, one in theirs.items()
    }


def labelled(table):
    return {head.label: head for head in table}


def test_known_heads_of_minilm(minilm):
    heads = labelled(ch.head_statistics(ch.capture(minilm.model, minilm.tokenizer, TEXT)))
    assert len(heads) == 6 * 12
    assert heads["L0H2"].previous >= 0.95
    assert heads["L1H8"].next >= 0.4
    assert max(heads.values(), key=lambda head: head.next).label == "L1H8"


def test_known_heads_of_smollm2_on_a_text(smollm2):
    table = ch.head_statistics(ch.capture(smollm2.model, smollm2.tokenizer, TEXT))
    assert len(table) == 30 * 9
    assert labelled(table)["L16H0"].previous >= 0.6
    assert 60 <= sum(head.first > 0.5 for head in table) <= 160
    assert all(head.next is None for head in table)  # it looks back only


def test_an_induction_head_of_smollm2_on_random_tokens_twice(smollm2):
    """The way Olsson et al. 2022 look for them: tokens in an order that no language has, and then once more."""
    once = torch.randint(1000, 20000, (1, 61), generator=torch.Generator().manual_seed(7))
    table = ch.head_statistics(ch.capture(smollm2.model, smollm2.tokenizer, torch.cat([once, once], 1)))
    assert table.by("induction")[0].label == "L18H6"
    assert labelled(table)["L18H6"].induction >= 0.7
    assert labelled(table)["L16H0"].induction <= 0.1


def test_without_torch_a_capture_says_what_to_install():
    program = "import sys; sys.modules['torch'] = None; import clearhead as ch; ch.capture(None)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    *_, last = done.stderr.splitlines()
    needed = f"capturing a model needs torch, and it is not installed; expected `{install('models')}` before"
    assert last == f"ImportError: {needed}"

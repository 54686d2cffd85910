"""How a switch on a model is written, and what is refused."""

import pytest

from clearhead.trace.capture.change import Change

WRITTEN = {
    "no mask": Change("mask"),
    "no scale": Change("scale"),
    "off": Change("off"),
    "L3 no mask": Change("mask", layer=3),
    "encoder no scale": Change("scale", tower="encoder"),
    "L3 off": Change("off", layer=3),
    "H1 off": Change("off", head=1),
    "L3H1 off": Change("off", layer=3, head=1),
    "vision_model.L3H1 off": Change("off", layer=3, head=1, tower="vision_model"),
    "decoder-cross.H1 off": Change("off", head=1, tower="decoder-cross"),
    "L3H1.weights[7,2] = 0.5": Change("weight", 3, 1, 7, 2, 0.5),
    "encoder.L3H1.weights[7,2] = -1e-30": Change("weight", 3, 1, 7, 2, -1e-30, "encoder"),
}


@pytest.mark.parametrize("text", WRITTEN)
def test_the_text_and_the_data_are_read_back(text):
    change = WRITTEN[text]
    assert Change.read(text) == change
    assert str(change) == text
    assert Change.read(change.data()) == change
    assert Change.read(change) is change
    assert None not in change.data().values()


def test_spaces_do_not_matter():
    assert Change.read("  L3H1.weights[ 7 , 2]=1 ") == Change("weight", 3, 1, 7, 2, 1)
    assert Change.read("L3  no  mask") == Change("mask", layer=3)


FORMS = 'expected "no mask", "no scale", "off", each with a place before it or not, such as "L3 no mask"'

WRONG = {
    "": f"change: '' is none; {FORMS}",
    "L3H1": f"change: 'L3H1' is none; {FORMS}",
    "no masks": f"change: 'no masks' is none; {FORMS}",
    "L3H1 no mask": 'change: "mask" takes no head: a mask and a scale are those of a whole layer',
    "L3.weights[1,2] = 3": "change: a weight set by hand needs layer, head, query, key, value; head is missing",
    "L3H1.weights[7,2] = much": "change: 'much' in 'L3H1.weights[7,2] = much' is no number; expected one such as 0.5",
    "L3H1.weights[7,2] = nan": "change: value is nan; expected a finite number",
    "encoder. off": "change: 'encoder.' in 'encoder. off' is no place; expected one such as L3, L3H1 or encoder.L3H1",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_says_nothing_is_refused_in_one_sentence(text):
    with pytest.raises(ValueError, match=r"^change: ") as caught:
        Change.read(text)
    assert str(caught.value).startswith(WRONG[text])


DATA = [
    ({}, "change: kind is missing; expected one of mask, scale, off, weight"),
    ({"kind": "masks"}, "change: 'masks' is no kind of change; expected one of mask, scale, off, weight"),
    ({"kind": ["mask"]}, "change: ['mask'] is no kind of change; expected one of mask, scale, off, weight"),
    ({"kind": "off", "heads": 1}, "change: 'heads' is no part of one; expected some of kind, layer, head, "),
    ({"kind": "off", "layer": True}, "change: layer is True; expected a whole number from 0 on"),
    ({"kind": "off", "layer": -1}, "change: layer is -1; expected a whole number from 0 on"),
    ({"kind": "off", "layer": 1.0}, "change: layer is 1.0; expected a whole number from 0 on"),
    ({"kind": "off", "tower": 2}, "change: tower is 2; expected the name of a tower"),
    ({"kind": "off", "query": 2}, 'change: "off" takes no query'),
    (7, "change: got int; expected "),
]


@pytest.mark.parametrize(("data", "said"), DATA)
def test_data_that_is_none_is_refused_in_one_sentence(data, said):
    with pytest.raises(ValueError, match=r"^change: ") as caught:
        Change.read(data)
    assert str(caught.value).startswith(said)

"""Models that see: the positions of their towers."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from clearhead.sources.models.capture import capture  # noqa: E402
from clearhead.sources.models.failing import CaptureError  # noqa: E402
from clearhead.trace.capture.grid import Grid  # noqa: E402


def captured(zoo, name):
    tiny = zoo.ROWS[name]
    if reason := zoo.why_missing(tiny):
        pytest.skip(reason)
    return capture(zoo.build(tiny), inputs=tiny.inputs())


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("vit", ["class token"], []),
        ("deit", ["class token", "distillation token"], []),
        ("dinov2_with_registers", ["class token", "register 0", "register 1", "register 2"], []),
        ("ijepa", [], []),
        ("yolos", ["class token"], [f"detection {at}" for at in range(11)]),
    ],
)
def test_a_picture_of_35_in_patches_of_7_is_a_grid_of_5_by_5(zoo, name, before, after):
    cap = captured(zoo, name)
    layer = cap.layer(0)
    patches = [f"patch {row},{column}" for row in range(5) for column in range(5)]
    assert [token.text for token in cap.tokens] == [*before, *patches, *after]
    assert [token.special for token in cap.tokens] == [True] * len(before) + [False] * 25 + [True] * len(
        after
    )
    assert cap.grids[layer.rows] == Grid(5, 5, len(before))


def test_a_place_on_the_grid():
    grid = Grid(2, 3, offset=1)
    assert [grid.place(at) for at in range(8)] == [None, (0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), None]


@pytest.mark.parametrize("name", ["swin", "qwen2_vl", "videomae", "pixtral"])
def test_positions_that_are_no_such_grid_have_numbers(zoo, name):
    cap = captured(zoo, name)
    first = cap.layers[0]
    assert not cap.grids
    assert first.rows == f"{first.attention.queries} positions"
    assert cap.tokens_of(first)[0][1].text == "#1"


@pytest.mark.parametrize(("name", "vision", "text"), [
    ("clip", "vision_model", "text_model"), ("llava", "vision_tower", "language_model"),
])  # fmt: skip
def test_two_towers_have_tokens_of_their_own(zoo, name, vision, text):
    cap = captured(zoo, name)
    seen, read = cap.layer(0, vision), cap.layer(0, text)
    assert cap.grids[seen.rows] == Grid(5, 5, 1)
    assert read.rows == read.columns == "text"
    assert len(cap.tokens_of(read)[0]) == read.attention.queries


def test_tokens_that_stand_for_a_picture_say_so(zoo):
    row = captured(zoo, "llava").texts["text"][0]
    assert [token.text for token in row[3:28]] == ["<image>"] * 25
    assert all(token.special for token in row[3:28])
    assert not row[2].special
    assert not row[28].special


def test_a_decoder_that_reads_a_picture_crosses_to_its_patches(zoo):
    cap = captured(zoo, "vision-encoder-decoder")
    cross = cap.layer(0, "cross")
    assert cross.rows == "decoder"
    assert cap.grids[cross.columns] == Grid(5, 5, 1)


def test_a_model_that_sees_goes_on_with_words(zoo):
    tiny = zoo.ROWS["llava"]
    model = zoo.build(tiny)
    model.generation_config.eos_token_id = None
    cap = capture(model, inputs=tiny.inputs(), generate=3)
    length = tiny.inputs()["input_ids"].shape[1]
    assert cap.prompt == length
    assert cap.layer(1, "language_model").attention.queries == length + 2
    assert cap.agreement.agrees


@pytest.fixture
def processor():
    pytest.importorskip("PIL.Image")
    size = {"height": 35, "width": 35}
    kind = getattr(transformers, "ViTImageProcessorPil", None) or transformers.ViTImageProcessor
    return kind(size=size)


def test_a_picture_goes_through_the_models_processor(zoo, processor, tmp_path):
    image = pytest.importorskip("PIL.Image")
    model = zoo.build(zoo.ROWS["vit"])
    pixels = np.random.default_rng(11).integers(0, 255, (41, 53, 3)).astype(np.uint8)
    image.fromarray(pixels).save(tmp_path / "picture.png")
    taken = [image.fromarray(pixels), pixels, tmp_path / "picture.png", str(tmp_path / "picture.png")]
    caps = [capture(model, images=one, processor=processor) for one in taken]
    assert all(cap.grids[cap.layer(0).rows] == Grid(5, 5, 1) for cap in caps)
    assert all(np.array_equal(cap.weights(0), caps[0].weights(0)) for cap in caps)
    assert capture(model, images=taken[:2], processor=processor).layer(0).attention.sequences == 2


def test_pictures_that_cannot_be_read(zoo, processor, tmp_path):
    model = zoo.build(zoo.ROWS["vit"])
    (tmp_path / "text.png").write_text("no picture", "utf-8")
    with pytest.raises(CaptureError, match=r"images: they need the model's processor"):
        capture(model, images="picture.png")
    with pytest.raises(CaptureError, match=r"images: there is no file nowhere\.png"):
        capture(model, images="nowhere.png", processor=processor)
    with pytest.raises(CaptureError, match=r"text\.png is no picture"):
        capture(model, images=tmp_path / "text.png", processor=processor)
    with pytest.raises(CaptureError, match=r"the model's processor cannot read this"):
        capture(model, images=object(), processor=processor)

"""A long text from the command to all heads on the screen: `clearhead model FOLDER --file TEXT`, and the browser.

A model of GPT-2 small's shape with random weights and a tokenizer whose tokens are words is saved in a folder, and a
text of so many words is read. The command loads the model, reads the text and looks at every head while the page shows
how far it is; the time ends with the frame in which the map of a head of the whole text is drawn.
"""

import argparse
import random
import tempfile
import time
from pathlib import Path

from capture_cost import shaped
from page import chromium, running
from table import print_table
from zoom import CLOCK, HIGH, WIDE

WORDS = 5000
"""Different words of the text. The model has 50,257, as GPT-2 has."""


def saved(folder: Path, tokens: int, layers: int) -> Path:
    """The model with its tokenizer."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = {f"w{number}": number for number in range(WORDS)} | {"?": WORDS}
    made = Tokenizer(models.WordLevel(words, unk_token="?"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=made, unk_token="?").save_pretrained(folder / "model")
    shaped(tokens, layers).save_pretrained(folder / "model")
    return folder / "model"


def high_water(process: int) -> float:
    """A process's peak memory in GiB."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 2**20


def measure(model: Path, text: Path, store: Path, minutes: float) -> list[list[str]]:
    """When what was there after the command, and the peak memory of its process."""
    with chromium() as browser:
        page = browser.new_context(viewport={"width": WIDE, "height": HIGH}).new_page()
        page.add_init_script(CLOCK)
        began = time.perf_counter()
        times = []
        with running("model", str(model), "--file", str(text), "--store", str(store)) as (address, process):
            page.goto(address)
            times.append(("the page is there", time.perf_counter() - began))
            most = 60_000 * minutes
            page.wait_for_function(
                "() => document.querySelector('.model-working canvas, .deep-zoom .zoom-body:not([hidden])')",
                timeout=most,
            )
            times.append(("the heads of the first layers are on it", time.perf_counter() - began))
            page.wait_for_function("() => window.taken.first > 0", timeout=most)
            times.append(("all heads are, and the map of one", time.perf_counter() - began))
            peak = high_water(process)
    kept = sum(file.stat().st_size for file in store.iterdir())
    return [
        *([name, f"{seconds:.1f} s"] for name, seconds in times),
        ["peak memory of the command", f"{peak:.2f} GiB"],
        ["bytes of the store", f"{kept / 1e9:.2f} GB"],
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=32768)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--minutes", type=float, default=60, help="to wait at most")
    asked = parser.parse_args()
    numbers = random.Random(7)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, text = saved(folder, asked.tokens, asked.layers), folder / "text.txt"
        text.write_text(" ".join(f"w{numbers.randrange(WORDS)}" for _ in range(asked.tokens)))
        rows = measure(model, text, folder / "store", asked.minutes)
    print_table([f"{asked.tokens:,} tokens, {asked.layers} layers of 12 heads", "from the command"], rows)


if __name__ == "__main__":
    main()

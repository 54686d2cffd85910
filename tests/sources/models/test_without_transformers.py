"""A person's own module of PyTorch is captured on a machine that has no transformers."""

import subprocess
import sys

PROGRAM = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "transformers":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())

import torch
import clearhead as ch

layer = torch.nn.MultiheadAttention(15, 3, batch_first=True).eval()

class Own(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = layer

    def forward(self, x):
        return self.attention(x, x, x)[0]

cap = ch.capture(Own().eval(), inputs={"x": torch.randn(2, 7, 15)})
print(len(cap.layers), cap.heads, cap.agreement.agrees, sorted(cap.provenance["versions"]))
"""


def test_a_module_of_pytorch_alone_needs_no_transformers():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split(" ", 3) == ["1", "3", "True", "['clearhead', 'numpy', 'python', 'torch']\n"]

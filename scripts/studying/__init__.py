"""How the study model is trained: what `scripts/train_study.py` is made of. Needs PyTorch; what ships does not."""

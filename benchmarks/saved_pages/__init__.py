"""The pages that `saved_page.py` measures: how each is written, and what to look for in it once it is open."""

"""The names of axes: every array in Clearhead says what each of its axes counts."""

from __future__ import annotations

VOCABULARY = "vocabulary"
"""Rows of the embedding table E, one per distinct word."""

POSITION = "position"
"""Places in the sentence, 0 first."""

MODEL = "model"
"""The d_model numbers of a token's vector."""

HEAD = "head"
"""Attention heads."""

QUERY = "query"
"""Positions in their role of asking: the rows of a score matrix."""

KEY = "key"
"""Positions in their role of being asked: the columns of a score matrix."""

FEATURE = "feature"
"""The d_head numbers of a query, key or value inside one head."""

PAIR = "pair"
"""Pairs of features that rotary positions turn together, each by its own angle."""

JOINED = "joined"
"""The features of all heads side by side: heads times d_head numbers."""

HIDDEN = "hidden"
"""The d_ff numbers between the two matrices of a feed-forward network."""

BATCH = "batch"
"""Sentences that are computed side by side."""

SENTENCE_AXES = frozenset({POSITION, QUERY, KEY})
"""Axes that run over positions of the sentence, and so carry the position's word and colour."""

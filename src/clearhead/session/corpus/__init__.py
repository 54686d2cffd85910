"""A corpus of text files through a model: the statistics of every head for every sequence, in one table."""

from clearhead.session.corpus.engine import Answer
from clearhead.session.corpus.failing import CorpusError
from clearhead.session.corpus.run import corpus_statistics
from clearhead.session.corpus.table import CorpusTable, HeadSpread, Spread, SpreadTable

__all__ = ["Answer", "CorpusError", "CorpusTable", "HeadSpread", "Spread", "SpreadTable", "corpus_statistics"]

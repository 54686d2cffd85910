"""The study model: a small transformer, really trained on a small made language, that shows what heads learn."""

from clearhead.sources.worked.study.language import is_sentence, sentences, why_not
from clearhead.sources.worked.study.model import Model, load, measured
from clearhead.sources.worked.study.words import START, VOCABULARY

__all__ = ["START", "VOCABULARY", "Model", "is_sentence", "load", "measured", "sentences", "why_not"]

"""The study model: a small transformer, really trained on a small made language, that shows what heads learn."""

from clearhead.sources.study.language import is_sentence, sentences, why_not
from clearhead.sources.study.model import Model, load, measured
from clearhead.sources.study.words import START, VOCABULARY

__all__ = ["START", "VOCABULARY", "Model", "is_sentence", "load", "measured", "sentences", "why_not"]

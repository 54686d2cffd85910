"""A head's weights in one streaming pass: what is to be known of a whole square that is never made."""

from clearhead.core.stream.head import stream_head
from clearhead.core.stream.layout import BINS, distance_edges, starts
from clearhead.core.stream.part import pool_part
from clearhead.core.stream.question import Question
from clearhead.core.stream.streamed import Streamed
from clearhead.core.stream.words import Words

__all__ = ["BINS", "Question", "Streamed", "Words", "distance_edges", "pool_part", "starts", "stream_head"]

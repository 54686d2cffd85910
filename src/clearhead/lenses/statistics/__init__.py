"""What every head of a captured model does, in numbers: where its weights lie, and what stands there."""

from clearhead.lenses.statistics.heads import head_statistics
from clearhead.lenses.statistics.scores import SCORES
from clearhead.lenses.statistics.table import HeadStatistics, HeadTable

__all__ = ["SCORES", "HeadStatistics", "HeadTable", "head_statistics"]

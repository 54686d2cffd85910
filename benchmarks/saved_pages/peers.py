"""The other tools' pages, by what `--only` calls them."""

from saved_pages.attnview import ATTNVIEW
from saved_pages.bertviz import BERTVIZ
from saved_pages.circuitsvis import CIRCUITSVIS, ONE_LAYER
from saved_pages.inspectus import INSPECTUS

PEERS = {
    "bertviz": BERTVIZ,
    "circuitsvis": CIRCUITSVIS,
    "circuitsvis-layer": ONE_LAYER,
    "inspectus": INSPECTUS,
    "attnview": ATTNVIEW,
}

"""One HTML file that shows what a session would, and needs none: no server, no network, no Python."""

from clearhead.surfaces.page.saving import SavedPage, save_html

__all__ = ["SavedPage", "save_html"]

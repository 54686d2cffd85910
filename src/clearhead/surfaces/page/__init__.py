"""One HTML file that shows what a session would, and needs none: no server, no network, no Python."""

from clearhead.surfaces.page.saving import save_html

__all__ = ["save_html"]

"""How Sphinx builds the site; `./check docs` does it, with every warning an error, into build/docs."""

import sys
from pathlib import Path

import clearhead

sys.path.insert(0, str(Path(__file__).parent / "_extend"))

project = "Clearhead"
author = "Clearhead contributors"
copyright = author
version = release = clearhead.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sources"]
nitpicky = False  # types of annotations that have no page of their own are no mistakes

# --- Pages ------------------------------------------------------------------------------------------------------

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4  # so that a link to a heading is checked
smartquotes_action = "D"  # dashes; what stands between quotes may be code and stays as it is
highlight_language = "none"  # what has another language says so

# --- Docstrings -------------------------------------------------------------------------------------------------

default_role = "code"  # docstrings put names between single backticks
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = False  # the numbers, not the names of constants
autodoc_class_signature = "mixed"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 90
python_display_short_literal_types = True
add_module_names = False
toc_object_entries_show_parents = "hide"
napoleon_numpy_docstring = False
napoleon_use_ivar = True  # an attribute is described with its class, once
napoleon_use_rtype = False

# --- The site ---------------------------------------------------------------------------------------------------

# Everything lies beside the pages, so that they open from a disk: no fonts, scripts or pictures from elsewhere.
html_theme = "furo"
html_title = "Clearhead"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # asks for pages by fetch, which a browser refuses on a disk
html_theme_options = {"footer_icons": [], "top_of_page_buttons": []}

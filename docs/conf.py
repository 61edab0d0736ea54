"""The documentation as a site: `sphinx-build -W docs build/docs`. The pages are the files beside this one, as they are."""

import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "vc4-rtl"
copyright = "the authors of vc4-rtl"
version = release = metadata.version(project)

extensions = ["myst_parser", "sphinx.ext.autodoc", "site_pages", "docstrings"]
root_doc = "README"
# Figures are shown by the pages; how they are made again is for who changes them.
exclude_patterns = ["images/README.md", "extensions"]

myst_heading_anchors = 4  # links to headings are those of GitHub
myst_enable_extensions = ["dollarmath"]

# A class that a signature names must have a place, but for those of libraries, and those that are passed on only.
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(un)?signed"),
    ("py:.*", r"(amaranth|argparse|collections|ctypes|enum|numpy|np|pathlib|types|typing)\..*"),
    ("py:.*", r"vc4sim\.(cxxrtl|model\.(cle|host|machine|tmu)|workload\.fields)\..*"),
]

# Programs of the QPU and what commands print are no language that it knows.
highlight_language = "none"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
# A name between single backticks is code, as it is in the pages.
default_role = "literal"
add_module_names = False
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = "vc4-rtl"
html_static_path = ["extensions/static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False

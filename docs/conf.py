"""How Sphinx builds the guide, by `make docs`. Pages are Markdown that GitHub shows as well."""

import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
# The examples of the gallery draw into files, never into windows.
os.environ.setdefault("MPLBACKEND", "Agg")

import mercer  # noqa: E402  (needs the path above)

project = "mercer"
author = "the mercer authors"
version = release = mercer.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["figures", "gallery", "examples/*.ipynb", "requirements.txt"]
templates_path = ["_templates"]

# --- pages ---------------------------------------------------------------------------------------

myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
# Text that looks like a prompt is not copied.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# Files outside of this folder that have a page in the guide. On GitHub, links lead to the files.
OUTSIDE = {
    "../README.md": "index.md",
    "../ARCHITECTURE.md": "architecture.md",
    "../CONTRIBUTING.md": "contributing.md",
    "../CHANGELOG.md": "changelog.md",
    "../SECURITY.md": "security.md",
    "../bench/README.md": "measuring.md",
}
# The gallery is a folder of scripts on GitHub; on the site it is a page that is made from them.
GALLERY = {"](gallery)": "](examples/index.rst)"}


def lead_inside(app, docname, source):
    """Points links at files outside of this folder to their pages."""
    for outside, page in OUTSIDE.items():
        source[0] = source[0].replace(f"]({outside}", f"]({page}")
    for folder, page in GALLERY.items():
        source[0] = source[0].replace(folder, page)


def lead_inside_included(app, path, parent, source):
    """The same in included files, whose links start from another folder."""
    source[0] = re.sub(r"\]\((?:\.\./)?docs/([\w-]+\.md)", r"](\1", source[0])
    for outside, page in OUTSIDE.items():
        source[0] = source[0].replace(f"]({outside.removeprefix('../')}", f"]({page}")


# --- Python reference ----------------------------------------------------------------------------

default_role = "code"
smartquotes = False
toc_object_entries_show_parents = "hide"
autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseEstimator,ClassifierMixin,RegressorMixin,TransformerMixin,"
    "OutlierMixin,ClusterMixin,ClassNamePrefixFeaturesOutMixin,Exception,dict,tuple",
    "member-order": "bysource",
}
autodoc_typehints = "none"
autosummary_generate = False
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]


def skip(app, what, name, obj, skip, options):
    """Leaves out what scikit-learn puts into every estimator for the routing of metadata."""
    return True if re.fullmatch(r"set_\w+_request|set_output|get_metadata_routing", name) else None


# --- gallery -------------------------------------------------------------------------------------

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "filename_pattern": r"plot_",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "remove_config_comments": True,
    "matplotlib_animations": False,
    "plot_gallery": "True",
}

# --- looks ---------------------------------------------------------------------------------------

html_theme = "furo"
html_title = "mercer"
html_static_path = ["_static"]
html_css_files = ["guide.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0072B2", "color-brand-content": "#0072B2"},
    "dark_css_variables": {"color-brand-primary": "#56B4E9", "color-brand-content": "#56B4E9"},
}
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/rust.html",
        "sidebar/scroll-end.html",
    ]
}


def setup(app):
    """Connects the functions above to Sphinx."""
    app.connect("source-read", lead_inside)
    app.connect("include-read", lead_inside_included)
    app.connect("autodoc-skip-member", skip)

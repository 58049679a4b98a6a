# SPDX-License-Identifier: GPL-2.0
"""How Sphinx makes HTML of these documents: make htmldocs.

The documents link to each other by file names, as in `usage.rst <usage.rst#settings>`, so that the
links also work where the sources are browsed.  Here they become links between pages.  A link to a
document or a section that does not exist is a warning, and make htmldocs fails on warnings.  The
links in README.md and CONTRIBUTING.md are checked, too.
"""
import re
from pathlib import Path

from docutils import nodes
from sphinx.util import logging

# pylint: disable=invalid-name,redefined-builtin
project = "kmemacct"
copyright = "the kmemacct authors"
html_theme = "alabaster"
html_theme_options = {
    "description": "kernel memory by call site, live", "fixed_sidebar": True,
    "page_width": "70em", "body_max_width": "none", "show_powered_by": False,
    "font_family": "sans-serif", "font_size": "16px",
}
# The index lists all pages itself.
html_sidebars = {"index": ["about.html", "searchbox.html"],
                 "**": ["about.html", "localtoc.html", "navigation.html", "searchbox.html"]}
html_static_path = ["style.css", "man.css"]
html_extra_path = ["../CONTRIBUTING.md"]
html_css_files = ["style.css"]
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
highlight_language = "none"
# Dashes of options and quotes of outputs stay as they are typed.
smartquotes = False

TOP = Path(__file__).resolve().parents[1]
# Files that have a page under another name
PAGES = {"../tools/kmemacct/kmemacct.8.in": "kmemacct.8.html",
         "../CONTRIBUTING.md": "CONTRIBUTING.md", "ABI/testing/debugfs-kmemacct": "abi.html"}
LOG = logging.getLogger(__name__)


def ids_of(env, name):
    """The names of the sections of a document."""
    return {name for node in env.get_doctree(name).findall(nodes.section) for name in node["ids"]}


def target_of(env, uri, here):
    """The page that a link in `here` leads to, or None after a warning."""
    path, _, section = uri.partition("#")
    name = path.removesuffix(".rst") if path else here
    if name not in env.found_docs:
        LOG.warning("%s: no document %s", here, path)
        return None
    if section and section not in ids_of(env, name):
        LOG.warning("%s: %s.rst has no section %s", here, name, section)
    return name, section


def resolve(app, doctree, here):
    """Replace links to files by links to pages."""
    for node in doctree.findall(nodes.reference):
        uri = node.get("refuri", "")
        if uri in PAGES:
            node["refuri"] = PAGES[uri]
        elif uri.partition("#")[0].endswith(".rst") and "://" not in uri:
            target = target_of(app.env, uri, here)
            if target:
                node["refuri"] = app.builder.get_relative_uri(here, target[0])
                node["refuri"] += "#" + target[1] if target[1] else ""
        elif uri and "://" not in uri and not uri.startswith("#"):
            LOG.warning("%s: no page %s", here, uri)


def check_markdown(_, env):
    for file in (TOP / "README.md", TOP / "CONTRIBUTING.md"):
        for path, section in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", file.read_text()):
            if path.endswith(".rst"):
                target_of(env, f"{Path(path).name}#{section}", file.name)
            elif not (TOP / path).exists():
                LOG.warning("%s: no file %s", file.name, path)


def setup(app):
    app.connect("env-check-consistency", check_markdown)
    app.connect("doctree-resolved", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

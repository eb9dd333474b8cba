"""The guide that `make docs` builds, opened in a browser."""

import re
from urllib.parse import unquote, urldefrag

import pytest

from conftest import ROOT

SITE = ROOT / "target" / "site"
# One page of each kind: text with figures, tables, reference, gallery, example of the gallery.
PAGES = [
    "index.html",
    "getting-started.html",
    "kernel-pca.html",
    "from-scikit-learn.html",
    "benchmarks.html",
    "pictures.html",
    "api/components.html",
    "examples/index.html",
    "examples/plot_01_rings.html",
]


@pytest.fixture(scope="module")
def site():
    if not (SITE / "index.html").exists():
        pytest.skip("there is no guide in target/site: `make docs` builds it")
    return SITE


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_page_is_whole_and_stays_at_home(name, scheme, visit, site):
    seen = visit(site / name, scheme)
    strangers = [url for url in seen.requests if not url.startswith(("file:", "data:"))]
    assert strangers == []
    assert seen.complaints == []
    images = "[...document.images].filter((image) => !image.naturalWidth).map((image) => image.src)"
    assert seen.page.evaluate(images) == []
    seen.page.set_viewport_size({"width": 390, "height": 900})
    assert seen.page.evaluate("document.scrollingElement.scrollWidth") <= 390


def test_links_lead_somewhere(site):
    pages = [page for page in site.rglob("*.html") if (site / "rust") not in page.parents]
    texts = {page: page.read_text() for page in pages}
    anchors = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in texts.items()}
    broken = []
    for page, text in texts.items():
        for href in re.findall(r'<a\b[^>]*\bhref="([^"]+)"', text):
            if re.match(r"[a-z]+:", href):
                continue
            path, anchor = urldefrag(unquote(href.replace("&amp;", "&")))
            target = (page.parent / path).resolve() if path else page
            if target.is_dir():
                target /= "index.html"
            is_lost = not target.exists() or (
                anchor and target in anchors and anchor not in anchors[target]
            )
            if is_lost:
                broken.append(f"{page.relative_to(site)}: {href}")
    assert broken == []
    assert len(pages) > 40

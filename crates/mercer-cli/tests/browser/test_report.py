"""Reports of the command line, opened in a browser as a reader does."""

import math
import subprocess
from pathlib import Path

import pytest

from conftest import ROOT

SECTIONS = ["summary", "results", "pictures", "data", "settings", "details"]
DETAILS = ["certificate", "computation", "files", "timings"]
VERBS = {
    "pca": "pca flowers.csv --label kind -k 3",
    "kpca": "kpca flowers.csv --label kind -k 3 --scale standard",
    "kpca-texts": "kpca flowers.csv --columns kind --kernel spectrum(p=2) -k 2",
    "krr": "krr flowers.csv --target width --columns length,height,kind_size --explain",
    "krr-test": "krr flowers.csv --target width --label kind --test 0.3 --explain",
    "krr-classes": "krr flowers.csv --target kind",
    "krr-sum": "krr flowers.csv --target width --columns length,kind --kernel linear --explain",
    "svc": "svc flowers.csv --target kind --probability sigmoid",
    "svc-test": "svc flowers.csv --target kind --test 0.3 --explain",
    "svc-plane": "svc flowers.csv --target kind --columns length,width",
    "svc-texts": "svc words.csv --columns word --target kind --kernel spectrum(p=2) --explain",
    "svr": "svr flowers.csv --target width --columns length",
    "svr-explained": "svr flowers.csv --target width --explain",
    "oneclass": "oneclass flowers.csv --columns length,width",
    "search": "search flowers.csv --target kind --costs 0.1,1,10 --folds 3",
    "kmeans": "kmeans flowers.csv --label kind -k 3",
    "kmeans-plane": "kmeans flowers.csv --columns length,width -k 3",
    "outliers": "outliers flowers.csv --columns length,width",
    "outliers-many": "outliers flowers.csv --label kind",
}
# A desk and a telephone.
WIDTHS = [1100, 390]

# The smallest text of a picture, and the narrowest explanation, in pixels.
LEAST_HEIGHT = """Math.min(...[...document.querySelectorAll("figure svg text")].map((text) => {
  const place = text.getScreenCTM();
  return text.getBBox().height * Math.hypot(place.a, place.b);
}))"""
# Times whose unit is on another line.
BROKEN = """[...document.querySelectorAll(".bars .number")].filter((cell) => {
    const text = document.createRange();
    text.selectNodeContents(cell);
    return text.getClientRects().length > 1;
}).map((cell) => cell.textContent)"""
LEAST_WIDTH = """Math.min(...[...document.querySelectorAll(".facts .soft")]
  .map((cell) => cell.getBoundingClientRect().width || Infinity))"""
# What sticks out of its section and is not in a box that scrolls; pictures that are wider than
# theirs; cells whose words may be broken.
CUT = """[
  ...[...document.querySelectorAll("section *")].filter((part) => {
    const box = part.closest("section").getBoundingClientRect();
    return !part.closest(".wide, figure, details:not([open]) > :not(summary)")
      && part.getBoundingClientRect().right > box.right + 1;
  }),
  ...[...document.querySelectorAll("figure")].filter((figure) =>
    !figure.classList.contains("large") && figure.scrollWidth > figure.clientWidth + 1),
  ...[...document.querySelectorAll(".rows td, .rows th")].filter((cell) =>
    getComputedStyle(cell).overflowWrap !== "normal"),
].map((part) => part.outerHTML.slice(0, 80))"""
# Texts of pictures that are cut off or lie on each other.
UNREADABLE = (Path(__file__).parent / "unreadable.js").read_text()


def flowers():
    """Three kinds of flowers with four measures, one of them of little worth."""
    lines = ["length,width,height,kind_size,kind"]
    for i in range(60):
        kind = i % 3
        wobble = [math.sin(12.9 * i), math.cos(7.7 * i), math.sin(4.3 * i + 1), math.cos(2.1 * i)]
        values = [
            2 * kind + wobble[0],
            3 - kind + 0.6 * wobble[1],
            0.5 * kind + wobble[2],
            wobble[3],
        ]
        lines.append(
            ",".join(f"{value:.3f}" for value in values) + f",{['aster', 'briar', 'clover'][kind]}"
        )
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="session")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    (folder / "flowers.csv").write_text(flowers())
    words = ["abab,one", "cdcd,two", "xyxy,three", "babab,one", "dcdcd,two", "yxyxy,three"] * 5
    (folder / "words.csv").write_text("word,kind\n" + "\n".join(words) + "\n")

    def report(name):
        page = folder / f"{name}.html"
        if not page.exists():
            words = [
                ROOT / "target/debug/mercer",
                *VERBS[name].split(),
                "--report",
                page,
                "--quiet",
            ]
            subprocess.run(words, cwd=folder, check=True, capture_output=True)
        return page

    return report


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", VERBS)
def test_report_is_whole_and_asks_for_nothing(name, scheme, visit, reports):
    seen = visit(reports(name), scheme)
    assert seen.requests == [seen.url]
    assert seen.complaints == []
    tops = [seen.page.locator(f"section#{part}").bounding_box()["y"] for part in SECTIONS + DETAILS]
    assert tops == sorted(tops)
    figures = seen.page.locator("figure svg")
    assert figures.count() >= 1
    for place in range(figures.count()):
        box = figures.nth(place).bounding_box()
        # A bar chart of one column is a strip.
        assert box["width"] > 300 and box["height"] > 150
    assert seen.page.evaluate(UNREADABLE) == []
    for width in WIDTHS:
        seen.page.set_viewport_size({"width": width, "height": 900})
        assert seen.page.evaluate("document.scrollingElement.scrollWidth") <= width
        assert seen.page.evaluate(CUT) == []
        assert seen.page.evaluate(BROKEN) == []
        assert seen.page.evaluate(LEAST_WIDTH) >= 120
        for button in seen.page.locator("figure button").all():
            if button.is_visible():
                button.click()
        assert seen.page.evaluate(LEAST_HEIGHT) >= 9


def luminance(page, selector, style):
    text = page.locator(selector).first.evaluate(f"element => getComputedStyle(element).{style}")
    channels = [int(part) / 255 for part in text.removeprefix("rgb(").removesuffix(")").split(",")]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(share * value for share, value in zip([0.2126, 0.7152, 0.0722], linear, strict=True))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_paper(scheme, visit, reports):
    page = visit(reports("svc-plane"), scheme).page
    paper = luminance(page, "section", "backgroundColor")
    assert (paper < 0.05) == (scheme == "dark")
    pairs = [
        ("h1", "color"),
        (".soft", "color"),
        ("pre", "color"),
        ("summary", "color"),
        (".caption", "color"),
        (".badge", "color"),
        ("figure svg text", "fill"),
    ]
    for selector, style in pairs:
        ink = luminance(page, selector, style)
        contrast = (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05)
        assert contrast > 4.5, f"{selector} has contrast {contrast:.1f}"


@pytest.mark.parametrize(
    "name", ["kpca", "krr", "svc-plane", "outliers", "outliers-many", "search"]
)
def test_marks_show_their_values(name, visit, reports):
    page = visit(reports(name)).page
    figures = page.locator("figure").count()
    hints = 0
    for place in range(figures):
        marks = page.locator("figure").nth(place).locator("[data-hint]")
        if marks.count() == 0:
            continue
        mark = marks.nth(marks.count() // 2)
        mark.scroll_into_view_if_needed()
        # Scrolling hides the hint, a moment later.
        page.wait_for_timeout(100)
        mark.dispatch_event("pointermove", {"bubbles": True, "clientX": 200, "clientY": 200})
        hint = page.locator("#hint")
        assert hint.is_visible() and hint.inner_text() == mark.get_attribute("data-hint")
        assert any(character.isdigit() for character in hint.inner_text())
        hints += 1
    assert hints == figures
    page.locator("h1").dispatch_event("pointermove", {"bubbles": True})
    assert not page.locator("#hint").is_visible()


# Marks of a picture in colours of their own, and its paper.
MARKS = """[...document.querySelectorAll("figure svg :is(g > path, g > circle, rect)")]
  .filter((mark) => !mark.closest("clipPath") && mark.closest("[fill]"))
  .map((mark) => [getComputedStyle(mark).fill, parseFloat(getComputedStyle(mark).fillOpacity)])
  .filter(([fill, opacity]) => fill.startsWith("rgb(") && opacity > 0.7)
  .map(([fill]) => fill)"""


def contrast(one, other):
    shades = []
    for text in (one, other):
        channels = [
            int(part) / 255 for part in text.removeprefix("rgb(").removesuffix(")").split(",")
        ]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        shades.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(shades) + 0.05) / (min(shades) + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["kpca", "krr", "kmeans", "outliers-many"])
def test_marks_stand_out_from_their_paper(name, scheme, visit, reports):
    page = visit(reports(name), scheme).page
    paper = page.locator("section").first.evaluate("e => getComputedStyle(e).backgroundColor")
    marks = {fill for fill in page.evaluate(MARKS) if fill != paper}
    assert marks
    for fill in marks:
        assert contrast(fill, paper) >= 3, f"{fill} on {paper}"

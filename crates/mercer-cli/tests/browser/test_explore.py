"""The page of `mercer explore`, used as a person uses it."""

import functools
import http.server
import json
import re
import shlex
import subprocess
import threading
from urllib.parse import unquote

import pytest

from conftest import ROOT
from explore_server import TOKEN, Explorer, Server

MERCER = ROOT / "target/debug/mercer"

SETS = [
    "circles",
    "moons",
    "spirals",
    "blobs",
    "parabola",
    "sine",
    "iris",
    "digits",
    "names",
    "messages",
]
TEXT_PANELS = ["shape", "embedding", "spectrum", "gram", "svm", "clusters", "outliers", "check"]
PANELS = [*TEXT_PANELS, "data", "contours", "ridge", "preimage"]
COLOURS = """canvas => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return new Set(data).size;
}"""
# What sticks out of the window, and what a screen reader could not name.
CUT = """[...document.querySelectorAll("button, select, input, p, h1, h2, h3, label")]
  .filter((part) => {
    const box = part.getBoundingClientRect();
    const isOut = box.right > innerWidth + 1 || box.left < -1;
    return box.width && !part.closest(".wide, .skip") && isOut;
  }).map((part) => part.outerHTML.slice(0, 80))"""
NAMELESS = """[...document.querySelectorAll("button, select, input, textarea, canvas")]
  .filter((part) => !(part.getAttribute("aria-label") || part.getAttribute("aria-hidden")
    || part.textContent.trim() || part.labels?.length))
  .map((part) => part.outerHTML.slice(0, 80))"""
# The times of moving the pointer over points, in milliseconds, sorted.
POINTER_TIMES = """async () => {
  const canvas = document.querySelector("#panel-data canvas");
  const box = canvas.getBoundingClientRect();
  const times = [];
  for (let i = 0; i < 30; i++) {
    const place = { clientX: box.left + 60 + 5 * i, clientY: box.top + 80, bubbles: true };
    const started = performance.now();
    canvas.dispatchEvent(new PointerEvent("pointermove", place));
    times.push(performance.now() - started);
    await new Promise(requestAnimationFrame);
  }
  return times.sort((a, b) => a - b);
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("explore"))
    yield server
    server.kill()


@pytest.fixture
def explore(browser, server):
    """Opens the page; at the end nothing was complained of, and nothing was asked elsewhere."""
    contexts, seen = [], []

    def open_page(state=None, scheme="light", width=1400, height=900, server=server, tall=True):
        size = {"width": width, "height": height}
        context = browser.new_context(color_scheme=scheme, viewport=size, accept_downloads=True)
        contexts.append(context)
        address = server.url + ("#" + json.dumps(state) if state else "")
        explorer = Explorer(context, address)
        if tall:
            explorer.page.set_viewport_size({"width": width, "height": 6000})
            explorer.settle()
        seen.append((explorer, server))
        return explorer

    yield open_page
    for explorer, server in seen:
        assert [text for text in explorer.complaints if "ERR_CONNECTION" not in text] == []
        strangers = [
            url for url in explorer.requests if not url.startswith((server.url, "data:", "blob:"))
        ]
        assert strangers == []
    for context in contexts:
        context.close()


def visible(page):
    return [panel for panel in PANELS if page.locator(f"#panel-{panel}").is_visible()]


@pytest.mark.parametrize("name", SETS)
def test_every_data_set_fills_its_panels(name, explore):
    seen = explore()
    seen.page.locator("#controls select").first.select_option(name)
    seen.settle()
    shown = visible(seen.page)
    assert set(TEXT_PANELS) <= set(shown)
    if name not in ("names", "messages"):
        assert "preimage" in shown
        assert ("data" in shown and "ridge" in shown) == (name != "digits")
    for panel in shown:
        assert seen.page.locator(f"#panel-{panel} .caption.failed").count() == 0, seen.caption(
            panel
        )
        assert seen.caption(panel) != "", panel
        blank = seen.page.locator(f"#panel-{panel} canvas").first.evaluate(COLOURS)
        assert blank > 8, f"{panel} shows nothing"
        label = seen.page.locator(f"#panel-{panel} canvas").first.get_attribute("aria-label")
        assert len(label) > 10


def test_sliders_change_what_they_say(explore):
    seen = explore()
    moves = [
        ("#controls", 0, 1.5, [panel for panel in TEXT_PANELS if panel != "check"]),
        ("#panel-embedding", 0, 6, ["spectrum"]),
        ("#panel-contours", 0, 2, ["contours"]),
        ("#panel-svm", 0, 3, ["svm"]),
        ("#panel-ridge", 0, 2, ["ridge"]),
        ("#panel-clusters", 0, 4, ["clusters"]),
    ]
    for panel, label, value, changed in moves:
        before = {name: seen.picture(name) for name in changed}
        seen.slide(panel, label, value)
        for name in changed:
            assert seen.picture(name) != before[name], f"{name} after {panel}"
    assert "rbf(gamma=31.6)" in seen.page.locator("#commands").inner_text()
    state = json.loads(unquote(seen.page.evaluate("location.hash"))[1:])
    assert (state["k"], state["component"], state["clusters"], state["c"]) == (6, 2, 4, 1000)
    # The address brings it all back.
    again = explore(state)
    assert again.caption("svm") == seen.caption("svm")
    assert again.caption("clusters") == seen.caption("clusters")


def test_sums_products_and_text_of_kernels(explore):
    seen = explore()
    page = seen.page
    page.get_by_role("button", name="+ add a kernel").click()
    seen.settle()
    assert page.locator("#kernel-text").input_value() == "rbf(gamma=2) + linear"
    page.get_by_label("Normalise").check()
    seen.settle()
    assert page.locator("#resolved").inner_text().startswith("k = normalize(rbf(gamma=2")
    page.locator("#kernel-text").fill("0.5*laplacian(gamma=1) * rbf(gamma=3)")
    page.locator("#kernel-text").press("Enter")
    seen.settle()
    assert page.locator("#resolved").inner_text().startswith("k = 0.5*laplacian")
    page.locator("#kernel-text").fill("rbff(gamma=3)")
    page.locator("#kernel-text").press("Enter")
    seen.settle()
    assert "rbff" in seen.caption("embedding")
    seen.complaints.clear()  # The browser notes the refused requests.
    page.get_by_role("button", name="Undo").click()
    seen.settle()
    assert page.locator("#panel-embedding .caption.failed").count() == 0


def test_the_formula_has_the_numbers_of_the_sliders(explore):
    seen = explore()
    line = seen.page.locator(".term .live")
    assert line.inner_text() == "k(x, x') = exp(-2·‖x - x'‖²)"
    seen.slide("#controls", 0, 1)
    assert line.inner_text() == "k(x, x') = exp(-10·‖x - x'‖²)"
    seen.page.locator("#controls select").nth(3).select_option("width")
    seen.settle()
    assert line.inner_text() == "k(x, x') = exp(-gamma·‖x - x'‖²)"


def test_names_of_controls_are_their_own(explore):
    seen = explore({"data": "iris"})
    for name in ["+ add a kernel", "+ add a kernel"]:
        seen.page.get_by_role("button", name=name).click()
        seen.settle()
    ids = seen.page.evaluate("[...document.querySelectorAll('[id]')].map((part) => part.id)")
    assert len(ids) == len(set(ids))


HOSTILE = [
    {"data": "iris", "axes": [3, 99], "from": 50, "to": 50, "columns": ["none"], "pinned": [1e9]},
    {"data": "none", "terms": [{}], "embedding": ["a"], "lesson": ["none", 99], "k": 1e9},
    {"data": {"a": 1}, "terms": 5, "points": [[1]], "selection": "all", "matrix": [], "turn": [0]},
    {"data": "moons", "terms": [{"family": "<b>", "weight": 1, "params": None}], "c": -1},
    {"data": "moons", "selection": [5, 1000, 7], "filter": True, "axes": [1, 1], "colour": "#no"},
    {"data": "drawn", "points": [[0, 0, 0], [1, None, 0]], "theme": "pink", "large": "none"},
]


@pytest.mark.parametrize("state", HOSTILE)
def test_an_address_from_anywhere_opens_a_page(state, explore):
    seen = explore(state, tall=False)
    assert seen.page.locator(".caption.failed").count() == 0
    assert seen.page.locator("#panel-embedding, #panel-data").first.is_visible()


def test_what_is_drawn_is_what_the_commands_compute(explore, tmp_path):
    seen = explore({"data": "iris", "selection": list(range(30, 130)), "filter": True})
    page = seen.page
    rows = saved(seen, page.get_by_role("button", name="Rows (iris-selection.csv)").click)
    (tmp_path / "iris-selection.csv").write_bytes(rows.path().read_bytes())
    shell, python, rust = page.locator("#commands pre").all_inner_texts()
    found = {}
    for line in shell.splitlines():
        words = [str(MERCER), *shlex.split(line)[1:], "--json"]
        run = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
        assert run.returncode == 0, f"{line}: {run.stderr}"
        report = json.loads(run.stdout)
        found[report["command"]] = report
    assert seen.caption("svm").startswith(f"{found['svc']['svm']['support']} support vectors")
    clusters = found["kmeans"]["clustering"]
    assert f"Objective {clusters['inertia']:.4g}; " in seen.caption("clusters")
    share = 100 * sum(found["kpca"]["explained_variance_ratio"])
    assert f"Exact, {share:.3g} % of the variance" in seen.caption("embedding")
    assert python.count("kernel=kernel") == rust.count("kernel") - 1 == 5


def drag(page, panel, path, plot=0):
    box = page.locator(f"#panel-{panel} .plot").nth(plot).bounding_box()
    points = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in path]
    page.mouse.move(*points[0])
    page.mouse.down()
    for point in points[1:]:
        page.mouse.move(*point, steps=4)
    page.mouse.up()


def test_lasso_selects_filters_and_is_linked(explore):
    seen = explore()
    before = seen.picture("embedding")
    drag(seen.page, "data", [(0.15, 0.05), (0.95, 0.05), (0.95, 0.45), (0.15, 0.45), (0.15, 0.05)])
    seen.settle()
    text = seen.page.locator("#controls").inner_text()
    count = int(re.search(r"(\d+) rows selected", text)[1])
    assert 20 < count < 220
    assert seen.picture("embedding") != before
    assert f"{count} of 240 rows" in seen.page.locator("#found").inner_text()
    seen.page.get_by_role("button", name="Fit on these only").click()
    seen.settle()
    assert seen.caption("data").startswith(f"{count} rows")
    seen.page.get_by_role("button", name="Clear").first.click()
    seen.settle()
    assert seen.caption("data").startswith("240 rows")


def test_hover_pins_and_search(explore):
    seen = explore({"data": "names"})
    page = seen.page
    page.locator("#panel-embedding canvas").first.focus()
    page.keyboard.press("ArrowRight")
    hint = page.locator("#hint")
    assert hint.is_visible() and "bouvier" in hint.inner_text()
    page.keyboard.press("Enter")
    seen.settle()
    assert page.locator("#rows tr.pinned").count() == 1
    page.locator("#search").fill("simpson")
    assert "5 of 35 rows" in page.locator("#found").inner_text()
    page.locator("#search").press("Enter")
    seen.settle()
    assert "5 rows selected" in page.locator("#controls").inner_text()
    page.locator("#new-text").fill("simpson abe")
    page.locator("#new-text").press("Enter")
    seen.settle()
    assert "simpson abe" in page.locator("#status").inner_text()


def test_points_can_be_drawn(explore):
    seen = explore({"data": "drawn"})
    page = seen.page
    assert "at least two points" in seen.caption("data")
    for place, (x, y) in enumerate(
        [(0.3, 0.3), (0.35, 0.4), (0.4, 0.3), (0.7, 0.6), (0.75, 0.5), (0.8, 0.6)]
    ):
        if place == 3:
            page.get_by_role("button", name="Class 2").click()
        box = page.locator("#panel-data .plot").bounding_box()
        page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
        seen.settle(0.2)
    seen.settle()
    assert seen.caption("data").startswith("6 rows")
    assert "support vectors" in seen.caption("svm") and "0 rows on the wrong side" in seen.caption(
        "svm"
    )


def test_dragging_changes_the_digit(explore):
    seen = explore({"data": "digits"})
    before = seen.picture("preimage", 1)
    drag(seen.page, "preimage", [(0.3, 0.4), (0.6, 0.5), (0.8, 0.7)])
    seen.settle()
    assert seen.picture("preimage", 1) != before
    seen.page.locator("#panel-preimage canvas").first.focus()
    before = seen.picture("preimage", 1)
    for _ in range(4):
        seen.page.keyboard.press("ArrowLeft")
    seen.settle()
    assert seen.picture("preimage", 1) != before


def test_the_embedding_turns(explore):
    seen = explore()
    seen.page.get_by_label("3-D").check()
    seen.settle()
    before = seen.picture("embedding")
    drag(seen.page, "embedding", [(0.3, 0.5), (0.7, 0.4)])
    assert seen.picture("embedding") != before
    before = seen.picture("embedding")
    seen.page.locator("#panel-embedding canvas").first.focus()
    seen.page.keyboard.press("ArrowLeft")
    assert seen.picture("embedding") != before


def test_the_angle_and_the_colours_are_in_the_address(explore):
    seen = explore({"turned": True})
    drag(seen.page, "embedding", [(0.3, 0.5), (0.7, 0.4)])
    seen.page.get_by_role("button", name="Switch between light and dark").click()
    seen.settle(0.6)
    state = json.loads(unquote(seen.page.evaluate("location.hash"))[1:])
    assert state["theme"] == "dark" and state["turn"] != [0.6, 0.4]
    assert explore(state).picture("embedding") == seen.picture("embedding")


def test_a_finger_scrolls_the_page_and_holds_the_ring(browser, server):
    size = {"width": 390, "height": 844}
    context = browser.new_context(viewport=size, has_touch=True, is_mobile=True)
    seen = Explorer(context, server.url)
    client = context.new_cdp_session(seen.page)

    def swipe(x, y, steps):
        client.send(
            "Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}
        )
        for step in range(1, steps + 1):
            point = {"x": x, "y": y - 20 * step}
            client.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
        client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        seen.settle()

    top = "document.scrollingElement.scrollTop"
    seen.page.locator("#panel-data canvas").first.scroll_into_view_if_needed()
    box = seen.page.locator("#panel-data .plot").bounding_box()
    before = seen.page.evaluate(top)
    swipe(box["x"] + 150, box["y"] + 150, 8)
    assert seen.page.evaluate(top) > before + 50
    assert "selected" not in seen.page.locator("#controls").inner_text()
    # The kernel's settings lie at the foot of the screen.
    seen.page.locator(".sheet").tap()
    slider = seen.page.locator("#controls .kernel input[type=range]").first
    slider.scroll_into_view_if_needed()
    assert slider.is_visible()
    context.close()
    assert seen.complaints == []


def test_matrices_are_checked(explore):
    seen = explore()
    assert "Eigenvalues 3, 1" in seen.caption("check")
    seen.page.locator("#panel-check textarea").fill("1 2\n2 1")
    seen.settle()
    assert seen.caption("check").startswith("No: ") and "Witness" in seen.caption("check")


def saved(seen, click):
    # The browser allows ten downloads a second.
    seen.page.wait_for_timeout(120)
    with seen.page.expect_download() as download:
        click()
    return download.value


def test_everything_can_be_saved(explore, server, tmp_path):
    seen = explore({"data": "iris"})
    page = seen.page
    for panel in visible(page):
        box = page.locator(f"#panel-{panel}")
        svg = saved(seen, box.get_by_role("button", name="SVG").click)
        assert svg.path().read_text().startswith("<svg ")
        png = saved(seen, box.get_by_role("button", name="PNG").click)
        assert png.path().read_bytes().startswith(b"\x89PNG")
    table = saved(seen, page.get_by_role("button", name="Embedding (CSV)").click)
    lines = table.path().read_text().splitlines()
    assert lines[0] == "row,species,component_1,component_2,component_3,error" and len(lines) == 151
    rows = saved(seen, page.get_by_role("button", name="Rows (iris.csv)").click)
    assert len(rows.path().read_text().splitlines()) == 151
    for name in ["kpca", "outliers", "kmeans", "svc", "krr"]:
        model = saved(seen, page.get_by_role("button", name=f"{name}.mercer").click)
        assert model.path().stat().st_size > 1000
    snapshot = saved(seen, page.get_by_role("button", name="HTML snapshot").click)
    path = tmp_path / "snapshot.html"
    path.write_bytes(snapshot.path().read_bytes())
    other = page.context.new_page()
    complaints = []
    other.on("console", lambda message: complaints.append(message.text))
    other.goto(path.as_uri())
    assert other.locator("svg").count() >= 10 and complaints == []
    assert "mercer kpca" in other.locator("pre").first.inner_text()


def test_lessons_from_first_to_last(explore):
    seen = explore()
    page = seen.page
    page.get_by_role("button", name="Lessons").click()
    buttons = page.locator(".lessons button")
    buttons.first.wait_for()
    assert buttons.count() == 7
    for place in range(7):
        buttons.nth(place).click()
        while True:
            seen.settle(0.25)
            assert page.locator(".caption.failed").count() == 0
            assert visible(page)
            last = page.locator("#lesson-next").inner_text() == "All lessons"
            page.locator("#lesson-next").click()
            if last:
                break
    # A presenter's remote control turns pages.
    buttons.nth(0).click()
    seen.settle(0.25)
    page.keyboard.press("PageDown")
    seen.settle(0.25)
    assert "(2 of 4)" in page.locator("#lesson h2").inner_text()
    page.keyboard.press("PageUp")
    seen.settle(0.25)
    assert "(1 of 4)" in page.locator("#lesson h2").inner_text()
    page.get_by_role("button", name="End the lesson").click()
    seen.settle()
    assert set(PANELS) <= set(visible(page))


def test_the_page_says_when_the_server_is_away_and_goes_on(explore, tmp_path):
    server = Server(tmp_path)
    seen = explore(server=server)
    server.kill()
    seen.slide("#controls", 0, 0.5)
    offline = seen.page.locator("#offline")
    assert offline.is_visible() and "does not answer" in offline.inner_text()
    server.start()
    offline.wait_for(state="hidden", timeout=10_000)
    seen.settle()
    assert seen.page.locator(".caption.failed").count() == 0
    assert "rbf(gamma=3.16)" in seen.page.locator("#resolved").inner_text()
    server.kill()


def test_two_pages_at_once(explore):
    one, other = explore(), explore({"data": "moons"})
    for place in range(3):
        one.slide("#controls", 0, place / 2)
        other.slide("#controls", 0, 1 - place / 2)
    assert "rbf(gamma=10)" in one.page.locator("#resolved").inner_text()
    assert "rbf(gamma=1)" in other.page.locator("#resolved").inner_text()
    assert (
        one.page.locator(".caption.failed").count()
        == other.page.locator(".caption.failed").count()
        == 0
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 820, 1400, 2560])
def test_no_width_cuts_anything_off(scheme, width, explore):
    seen = explore(scheme=scheme, width=width)
    assert seen.page.evaluate("document.scrollingElement.scrollWidth") <= width
    assert seen.page.evaluate(CUT) == []
    assert seen.page.evaluate(NAMELESS) == []


def test_five_thousand_points_are_drawn_in_a_frame(browser, tmp_path):
    rows = "\n".join(f"{(i * 0.618) % 1:.4f},{(i * 0.755) % 1:.4f},{i % 3}" for i in range(5000))
    (tmp_path / "many.csv").write_text(f"x,y,kind\n{rows}\n")
    server = Server(tmp_path, "many.csv", "--label", "kind")
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    seen = Explorer(context, server.url)
    seen.page.wait_for_timeout(500)
    seen.settle(limit=60)
    assert "400 landmarks" in seen.caption("embedding")
    # The time of drawing all points once, and of moving the pointer over them.
    times = seen.page.evaluate(POINTER_TIMES)
    context.close()
    server.kill()
    assert seen.complaints == []
    print(f"pointer over 5,000 points: median {times[15]:.1f} ms, largest {times[-1]:.1f} ms")
    assert times[15] < 1000 / 60


def test_a_stranger_sees_nothing(browser, server):
    context = browser.new_context()
    page = context.new_page()
    response = page.goto(server.url.replace(TOKEN, "another-token-of-16"))
    assert response.status == 401
    assert page.goto(server.url.rsplit(TOKEN, 1)[0]).status == 401
    context.close()


@pytest.fixture
def other_page(tmp_path):
    """Serves a page of another origin of this machine: a function of its text gives the address."""
    serve = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path)
    serve.func.log_message = lambda *words: None
    with http.server.ThreadingHTTPServer(("localhost", 0), serve) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()

        def page_of(text):
            (tmp_path / "page.html").write_text(f"<!doctype html><title>other</title>{text}")
            return f"http://localhost:{other.server_port}/page.html"

        yield page_of
        other.shutdown()


def test_a_notebook_of_this_machine_shows_it_in_a_frame(browser, tmp_path, other_page):
    server = Server(tmp_path, "--frames")
    page = browser.new_page()
    page.goto(other_page(f'<iframe src="{server.url}" width="100%" height="900"></iframe>'))
    frame = page.frame_locator("iframe")
    frame.locator("#panel-embedding .caption", has_text="of the variance").wait_for()
    assert frame.locator("#offline").is_hidden()
    page.close()
    server.kill()


def test_other_pages_neither_frame_nor_read_it(browser, server, other_page):
    page = browser.new_page()
    page.goto(other_page(f'<iframe src="{server.url}" width="100%" height="900"></iframe>'))
    page.wait_for_timeout(500)
    assert page.frames[-1].locator("#panels").count() == 0
    read = """async (url) => {
      try { return await (await fetch(url)).text(); } catch (error) { return String(error); }
    }"""
    for path in ["", "api/start", "app.js"]:
        assert page.evaluate(read, server.url + path) == "TypeError: Failed to fetch"
    page.close()


EDGES = {
    "constant": ("a,b", "1,2\n" * 30, "embedding", "all rows are alike"),
    "two-rows": ("a,b", "1,2\n3,4\n", "embedding", "100 % of the variance in 1 component."),
    "classes": (
        "a,b,id",
        "".join(f"{i % 7},{i % 5},i{i}\n" for i in range(60)),
        "svm",
        "60 classes",
    ),
    "markup": (
        '"<img src=x onerror=alert(1)>",b,k',
        "".join(f"{i % 7},{i % 5},<b>{i % 2}</b>\n" for i in range(40)),
        "preimage",
        "<img src=x onerror=alert(1)>",
    ),
}


@pytest.mark.parametrize("name", EDGES)
def test_tables_at_the_edge(name, browser, tmp_path):
    header, rows, panel, text = EDGES[name]
    (tmp_path / "t.csv").write_text(f"{header}\n{rows}")
    server = Server(tmp_path, "t.csv")
    context = browser.new_context(viewport={"width": 1400, "height": 6000})
    seen = Explorer(context, server.url)
    assert text in seen.caption(panel)
    assert seen.page.locator(".caption.failed").count() == 0
    context.close()
    server.kill()
    assert seen.complaints == []

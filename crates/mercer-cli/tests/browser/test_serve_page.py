"""The page of `mercer serve`, used as a person uses it."""

import json
import subprocess

import pytest

from conftest import ROOT

MERCER = ROOT / "target/debug/mercer"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serve")
    words = ["demo --data iris.csv", "svc iris.csv --target species --model flowers.mercer"]
    for line in words:
        subprocess.run([MERCER, *line.split(), "--quiet"], cwd=folder, check=True)
    process = subprocess.Popen(
        [MERCER, "serve", "flowers.mercer", "--port", "0", "--quiet"],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
    )
    yield process.stdout.readline().strip()
    process.terminate()
    assert process.wait() == 0
    process.stdout.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1100])
def test_a_request_can_be_tried(scheme, width, browser, server):
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
    page, complaints, requests = context.new_page(), [], []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(server)
    page.get_by_text("1 model", exact=True).wait_for()
    assert "petal_width (number or missing)" in page.locator("article").inner_text()
    assert page.locator("#paths tr").count() >= 5
    page.get_by_role("button", name="Send").click()
    page.get_by_text("200 in").wait_for()
    answer = json.loads(page.locator("article pre").inner_text().split("\n", 1)[1])
    assert answer["columns"][0] == "species"
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    context.close()
    assert complaints == []
    assert all(url.startswith((server, "data:")) for url in requests)

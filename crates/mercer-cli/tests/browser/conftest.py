"""A browser that notes what a page asks for and complains about."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[4]
CHROMIUM = Path(os.environ.get("MERCER_BROWSER", ROOT / ".browser" / "chromium"))
# Nothing but the page itself may be fetched, so the browser must not call home either.
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class Visit:
    """An open page, what it requested, and what the console said."""

    def __init__(self, context, path):
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page = context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on(
            "console", lambda message: self.complaints.append(f"{message.type}: {message.text}")
        )
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.url = path.resolve().as_uri()
        self.page.goto(self.url)


@pytest.fixture(scope="session")
def browser():
    if not CHROMIUM.exists():
        pytest.skip(f"no browser at {CHROMIUM}: `make browser` gets one")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser):
    """Opens a page on light or dark paper, in a window of a width."""
    contexts = []

    def open_page(path, scheme="light", width=1100):
        context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
        contexts.append(context)
        return Visit(context, path)

    yield open_page
    for context in contexts:
        context.close()

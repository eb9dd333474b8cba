"""Makes docs/figures/explore.png: the page of `mercer explore` as it opens."""

import tempfile

from playwright.sync_api import sync_playwright

from conftest import CHROMIUM, QUIET, ROOT
from explore_server import Explorer, Server


def main():
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(folder)
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=QUIET)
        context = browser.new_context(
            color_scheme="light", viewport={"width": 1280, "height": 1240}
        )
        seen = Explorer(context, server.url)
        seen.page.screenshot(path=ROOT / "docs/figures/explore.png")
        browser.close()
        server.kill()


if __name__ == "__main__":
    main()

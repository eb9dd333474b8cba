"""A server of `mercer explore` for tests, and the page in a browser."""

import os
import subprocess
import time

from conftest import ROOT

TOKEN = "token-of-the-tests"


class Server:
    """``mercer explore`` in a folder; it can be killed and started again at the same address."""

    def __init__(self, folder, *arguments):
        self.folder, self.arguments, self.port, self.process = folder, arguments, 0, None
        self.start()

    def start(self):
        words = [ROOT / "target/debug/mercer", "explore", *self.arguments, "--no-open", "--quiet"]
        environment = {**os.environ, "MERCER_TOKEN": TOKEN}
        self.process = subprocess.Popen(
            [*words, "--port", str(self.port)],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.url = self.process.stdout.readline().strip()
        self.port = int(self.url.split(":")[2].split("/")[0])

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Explorer:
    """The page, what it requested, and what the console said."""

    def __init__(self, context, url):
        self.requests, self.complaints = [], []
        self.page = context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(url)
        self.settle()

    def caption(self, panel):
        return self.page.locator(f"#panel-{panel} .caption").inner_text()

    def settle(self, quiet=0.4, limit=30):
        """Waits until no request is on its way and the pictures have stopped changing."""
        page, since, last = self.page, time.monotonic(), None
        started = since
        while time.monotonic() - since < quiet:
            assert time.monotonic() - started < limit, "the page does not settle"
            page.wait_for_timeout(80)
            now = (len(self.requests), page.locator(".caption").all_inner_texts())
            if now != last:
                last, since = now, time.monotonic()

    def slide(self, panel, label, value):
        """Moves a slider to a position."""
        slider = self.page.locator(f"{panel} input[type=range]").nth(label)
        slider.evaluate(
            "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', { bubbles: true })); }",
            value,
        )
        self.settle()

    def picture(self, panel, plot=0):
        """Something that changes when a picture does."""
        return (
            self.page.locator(f"#panel-{panel} .plot")
            .nth(plot)
            .evaluate("box => box.querySelector('canvas').toDataURL()")
        )

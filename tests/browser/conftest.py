"""A person's seat in front of the flights example: its demo's runs, `dg dev` on them, and the system's Chromium."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import urlopen

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PROJECT = Path(__file__).parents[2] / "examples" / "flights"
BIN = Path(sys.executable).parent
CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# What a person would click once: no newsletter, and the navigation folded away.
SETTLED = """
localStorage.setItem("communityNux", JSON.stringify("1"));
localStorage.setItem("dagster-nav-collapsed", "true");
"""
SECONDS_TO_START = 300


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "browser" in config.option.markexpr:
        return
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.skip(reason="drives a browser: run with -m browser"))


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the dependency group `browser`")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("needs `chromium` on the PATH")
    with playwright.sync_playwright() as running:
        yield running.chromium.launch(executable_path=chromium, args=CHROMIUM)


@pytest.fixture(scope="session")
def demo(browser: "Browser", tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder where the demo ran; `FLIGHTS_DEMO` names one to use, and to use again."""
    folder = Path(os.environ.get("FLIGHTS_DEMO") or tmp_path_factory.mktemp("flights"))
    if not (folder / "dagster_home").is_dir():
        subprocess.run([BIN / "flights-demo", "--output", folder], check=True, timeout=600)
    return folder


@pytest.fixture(scope="session")
def dagster(demo: Path) -> Iterator[str]:
    """The address of `dg dev`, started as the demo says it is."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    places = {"DAGSTER_HOME": str(demo / "dagster_home"), "FLIGHTS_DATA_DIR": str(demo / "tables")}
    command = [BIN / "dg", "dev", "--host", "127.0.0.1", "--port", str(port)]
    log = demo / "dg-dev.log"
    with (
        log.open("w") as output,
        subprocess.Popen(
            command,
            cwd=PROJECT,
            env={**os.environ, **places, "DAGSTER_DISABLE_TELEMETRY": "1"},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as server,
    ):
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_until_served(url, server, log)
            yield url
        finally:
            _stop(server)


def _wait_until_served(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + SECONDS_TO_START
    while server.poll() is None and time.monotonic() < end:
        try:
            with urlopen(f"{url}/server_info", timeout=5):
                return
        except (URLError, TimeoutError, ConnectionError):
            time.sleep(0.5)
    pytest.fail(f"dg dev serves nothing:\n{log.read_text()}")


def _stop(server: subprocess.Popen[bytes]) -> None:
    """Ask `dg dev` and what it started to end, then make them."""
    for how in (signal.SIGINT, signal.SIGKILL):
        try:
            os.killpg(server.pid, how)
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            return


@pytest.fixture
def page(browser: "Browser", dagster: str) -> Iterator["Page"]:
    """An empty page at Dagster's address, on which an error in the UI's own code fails the test."""
    with browser.new_context(base_url=dagster, viewport={"width": 1440, "height": 900}) as context:
        context.add_init_script(SETTLED)
        context.set_default_timeout(30_000)
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        yield page
        assert errors == []

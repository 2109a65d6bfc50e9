"""Measured on this machine, in a browser: estimate, measure, wait, cancel, read, compare; nothing here depends on how
long anything takes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from engine.measure import Settings, load, plan
from lessons.kit.text import Lang, Text
from pages.shell.measured import words
from pages.shell.measured.form import everything
from tests.pages import harness
from tests.pages.conftest import OpenPage
from tests.pages.harness import settled
from tests.pages.reader import IN_TURN, Player, open_tab, type_into

SLUG = "measured"
TINY = Settings(
    lengths=(16, 32, 64), head_dim=16, tile_q=16, tile_k=16, tiles_length=64, tile_sizes=(16, 32), steps=(4, 8),
    d_model=16, n_layers=1,
    contexts=(32, 64), kv_heads=2, copy_bytes=2**20, product_size=64, case_seconds=0.01, seconds=60.0,
)  # fmt: skip
# No test waits for its end: tiny tiles at twelve lengths keep Python busy for minutes, whatever the processor.
LONG = {
    "operations": "attention", "lengths": " ".join(map(str, range(2000, 2012))), "tile_q": "8", "tile_k": "8",
    "case_seconds": "20", "seconds": "900",
}  # fmt: skip
SLOW = 40_000  # ms until a process on a busy machine has started and answered


def tiny(**changed: str) -> str:
    """The page with small sizes in its fields."""
    return f"{SLUG}?{urlencode(everything().write(TINY) | changed)}"


class Bench:
    """A reader at the page."""

    def __init__(self, page: Page, lang: Lang = "en") -> None:
        self.page, self.lang = page, lang

    def button(self, name: Text) -> Locator:
        return self.page.get_by_role("button", name=name.of(self.lang), exact=True)

    def open(self, name: Text) -> None:
        self.page.locator("summary", has_text=name.of(self.lang)).click()

    def type(self, typed: dict[str, str]) -> None:
        """Fill these fields, by name; the last Enter sends them."""
        named = {control.name: control.label.of(self.lang) for control in everything().controls}
        field = None
        for name, text in typed.items():
            field = self.page.get_by_label(named[name], exact=True)
            field.fill(text)
        if field is not None:
            field.press("Enter")
        settled(self.page)

    def estimate(self) -> None:
        self.button(words.ESTIMATE).click()
        expect(self.button(words.MEASURE)).to_be_visible(timeout=SLOW)

    def measure(self) -> None:
        self.button(words.MEASURE).click()

    def shown(self) -> Locator:
        return self.page.get_by_label(words.SHOW.of(self.lang), exact=True)

    def progress(self) -> Locator:
        return self.page.get_by_role("progressbar")

    def upload(self, name: str, content: bytes) -> None:
        self.page.locator("input[type=file]").set_input_files(
            {"name": name, "mimeType": "application/json", "buffer": content}
        )
        settled(self.page)

    def download(self, name: Text) -> bytes:
        with self.page.expect_download() as waiting:
            self.button(name).click()
        return Path(waiting.value.path()).read_bytes()


def no_traceback(page: Page) -> None:
    assert "Traceback" not in page.locator("body").inner_text()
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_a_run_is_estimated_measured_read_saved_and_opened_again(open_page: OpenPage) -> None:
    page = open_page(tiny())
    bench = Bench(page)
    expect(bench.button(words.MEASURE)).to_have_count(0)  # nothing starts without an estimate
    bench.estimate()
    expect(
        page.get_by_text(
            re.compile(rf"{len(plan(TINY).cases)} timings in at most about .+ of memory at the largest moment")
        )
    ).to_be_visible()
    bench.measure()
    expect(page.get_by_role("tab").first).to_be_visible(timeout=SLOW)
    settled(page)
    expect(page.get_by_text("Your own run")).to_be_visible()

    says = open_tab(page, words.SAYS, "en")
    for said in (
        "our tiles against plain formula",
        "with cache against without cache",
        "block by block against contiguous",
    ):
        expect(says).to_contain_text(
            re.compile(
                rf"{said} \(NumPy, float32, n = \d+.*\): (faster by|slower by|no difference|this run cannot tell)"
            )
        )
    grows = open_tab(page, words.GROWTH, "en")
    for operation in ("attention", "decode", "paged"):
        chart = grows.locator(f".st-key-measured-chart-{operation}, [class*='chart-{operation}']").first
        expect(chart.locator(".js-plotly-plot")).to_be_visible()
    expect(grows.locator(".legendtext").first).to_contain_text(re.compile(r"slope −?-?\d+\.\d\d \(counted \d\.\d\d\)"))
    expect(page.locator(".modebar-container:visible .modebar-btn")).to_have_count(0)
    for tab in (words.TILE_CHART, words.ROOFLINE):
        expect(open_tab(page, tab, "en").locator(".js-plotly-plot")).to_be_visible()
    expect(open_tab(page, words.TABLE, "en").get_by_test_id("stDataFrame")).to_be_visible()

    saved = bench.download(words.DOWNLOAD_JSON)
    run = load(saved)
    assert len(run.results) + len(run.skipped) == len(plan(TINY).cases)
    csv = bench.download(words.DOWNLOAD_CSV).decode("utf-8-sig")
    assert len(csv.splitlines()) == len(run.results) + 1

    bench.open(words.OPEN)
    other = json.loads(saved)
    other["places"][0]["device"] = "<img src=x onerror=alert(1)> *Elsewhere*"
    bench.upload("elsewhere.json", json.dumps(other).encode())
    expect(page.get_by_text("not measured by you here")).to_be_visible()
    assert page.locator("img[src=x]").count() == 0
    settled(page)
    compare = page.get_by_test_id("stSelectbox").filter(has_text=words.COMPARE.en)
    compare.get_by_role("combobox").press("ArrowDown")
    page.get_by_role("option", name="Your run 1").click()
    settled(page)
    expect(open_tab(page, words.COMPARED, "en").get_by_test_id("stDataFrame")).to_be_visible()
    for name, content, why in (
        ("garbage.json", b"\x00not json", "no JSON"),
        ("other.json", b'{"schema": "else", "results": []}', "schema"),
        ("deep.json", b"[" * 100_000, "no JSON"),
        ("odd.json", json.dumps(other | {"results": [odd(other["results"][-1])]}).encode(), "run"),
    ):
        bench.upload(name, content)
        alert = page.get_by_role("alert").filter(has_text=name)
        expect(alert).to_contain_text("is ignored")
        expect(alert).to_contain_text(why)
        expect(page.get_by_text("Your own run")).to_be_visible()  # what was measured is still there
    no_traceback(page)


def odd(result: dict) -> dict:  # type: ignore[type-arg]
    """Numbers that pass for a result, and that nothing can be made of."""
    return result | {
        "count": result["count"] | {"must_move": 0, "operations": 10**400},
        "case": result["case"] | {"shape": []},
    }


def test_one_measures_another_waits_its_turn_and_a_third_steps_and_edits_a_lesson(open_page: OpenPage) -> None:
    first, second = Bench(open_page(f"{SLUG}?{urlencode(LONG)}")), Bench(open_page(tiny(), lang="zh"), "zh")
    first.estimate()
    first.measure()
    expect(first.page.get_by_text(re.compile(r"\d+ of \d+ done, about .+ left"))).to_be_visible(timeout=SLOW)

    second.estimate()
    second.measure()
    expect(second.page.get_by_text("下一个就是你")).to_be_visible(timeout=SLOW)
    expect(second.progress()).to_have_count(0)

    lesson = open_page("online_softmax")
    player = Player(lesson)
    player.button("next").click()
    player.is_at(1)
    panel = open_tab(lesson, Text("Change the numbers", "修改数字"), "en")
    type_into(lesson, panel.get_by_role("textbox", name="Tile size"), "2")
    expect(lesson).to_have_url(re.compile("tile=2"))

    expect(first.progress()).to_be_visible()  # it went on all the while
    first.button(words.CANCEL).click()
    expect(first.progress()).to_have_count(0)
    expect(first.page.get_by_text(re.compile("^Cancelled"))).to_be_visible()
    expect(second.page.get_by_text("你自己的测量")).to_be_visible(timeout=SLOW)
    for page in (first.page, second.page, lesson):
        no_traceback(page)


BUSY = re.compile("The machine was busy|机器当时很忙")


@pytest.mark.parametrize("lang", IN_TURN)
def test_what_cannot_be_used_or_does_not_fit_is_named_before_anything_starts(open_page: OpenPage, lang: Lang) -> None:
    page = open_page(tiny(lengths="64 32", steps="<img src=x>", d_model="30", contexts="32 33"), lang=lang)
    bench = Bench(page, lang)
    bench.open(words.FIELDS)
    alert = page.get_by_role("alert").filter(has_not_text=BUSY)  # a recorded run may say so
    for label in ("lengths", "steps"):
        named = {control.name: control.label.of(lang) for control in everything().controls}[label]
        expect(alert.get_by_role("listitem").filter(has_text=named)).to_have_count(1)
    expect(bench.button(words.ESTIMATE)).to_be_disabled()
    bench.type({"lengths": "16 8192", "steps": "4 8"})
    expect(alert.get_by_role("listitem")).to_have_count(2)  # the width is no multiple, nor is a context
    bench.type({"d_model": "16", "contexts": "32 64", "memory_mib": "200"})
    expect(alert).to_have_count(0)
    bench.estimate()
    refused = Text("does not fit; it needs", "放不下，需要").of(lang)
    expect(alert).to_contain_text(refused)
    expect(alert).to_contain_text("200 MiB")
    bench.type({"memory_mib": "300"})
    expect(bench.button(words.MEASURE)).to_have_count(0)
    expect(page.get_by_text(words.STALE.of(lang))).to_be_visible()
    page.get_by_role("button", name=words.BACKEND["numpy"].of(lang), exact=True).click()
    expect(alert).to_contain_text(words.NOTHING_CHOSEN["backends"].of(lang).replace("**", ""))
    no_traceback(page)


@pytest.fixture
def other_server(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, browser: Browser, request: pytest.FixtureRequest
) -> Iterator[Page]:
    """A page of another server, started in the environment that the test asks for."""
    for name, value in request.param.items():
        monkeypatch.setenv(name, value.replace("TMP", str(tmp_path)))
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise ImportError('no torch in this test')\n")
    with harness.serve(tmp_path / "streamlit.log") as server:
        context = harness.new_context(browser, server.url)
        page = context.new_page()
        page.goto(f"/{tiny()}")
        settled(page)
        yield page
        context.close()
        assert "Traceback" not in server.log_text()


@pytest.mark.parametrize("other_server", [{"MEASURE": "off"}], indirect=True)
def test_switched_off_it_is_not_in_the_navigation_and_its_address_says_why(other_server: Page) -> None:
    page = other_server
    expect(page.get_by_text("Measuring is switched off on this server")).to_be_visible()
    expect(page.get_by_role("button", name=words.ESTIMATE.en)).to_have_count(0)
    page.get_by_text("More", exact=True).click()
    expect(page.get_by_role("menuitem", name="Glossary and sources")).to_be_visible()
    expect(page.get_by_role("menuitem", name=words.TITLE.en)).to_have_count(0)
    page.goto(f"/{SLUG}?lang=zh")
    expect(page.get_by_text("这台服务器关闭了实测")).to_be_visible()


@pytest.mark.parametrize("other_server", [{"PYTHONPATH": "TMP"}], indirect=True)
def test_without_pytorch_it_says_what_it_looked_for_and_measures_with_numpy(other_server: Page) -> None:
    page = other_server
    expect(page.get_by_text("PyTorch ✗")).to_contain_text("no torch in this test", timeout=SLOW)
    expect(page.get_by_text("Looked for the Python package torch")).to_contain_text("requirements-gpu.txt")
    expect(page.get_by_role("button", name=words.BACKEND["numpy"].en, exact=True)).to_be_visible()
    expect(page.get_by_role("button", name=words.BACKEND["torch-cpu"].en)).to_have_count(0)
    Bench(page).estimate()
    expect(page.get_by_text(re.compile(f"{len(plan(TINY).cases)} timings"))).to_be_visible()

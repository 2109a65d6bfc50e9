"""The parts of the page that measures, without a browser: whose turn it is, what may be typed, what is said of a
run."""

from __future__ import annotations

import doctest
import gc
import json
import math
import re
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from engine.measure import (
    CUDA_FULL,
    CUDA_QUICK,
    FULL,
    QUICK,
    Case,
    Count,
    Failed,
    Measured,
    Place,
    Plan,
    Planned,
    Run,
    Settings,
    Skipped,
    Timing,
    as_json,
    load,
)
from lessons import LESSONS
from lessons.kit.controls import BadInput
from lessons.kit.text import Lang, Text
from pages.shell.measured import axes as measured_axes
from pages.shell.measured import page as measured
from pages.shell.measured import runs as measured_runs
from pages.shell.measured import say as measured_say
from pages.shell.measured import words as measured_words
from pages.shell.measured.axes import ticks
from pages.shell.measured.charts import growth, roofs, tiles, under_roof
from pages.shell.measured.desk import Desk, Stage
from pages.shell.measured.form import everything, form_of
from pages.shell.measured.link import follow, query_of
from pages.shell.measured.queue import PATIENCE, Turns
from pages.shell.measured.sight import backends
from pages.shell.measured.tables import csv, side_by_side, slopes, timings
from pages.shell.measured.verdicts import verdicts

NUMBER = re.compile(r"\d+(?:[.,\u202f]\d+)*")


class Process:
    """Something that is alive until it is ended."""

    alive = True


def timing(median: float, n: int, peak: int | None = 1000, noise: float = 0.02, device: str = "A CPU") -> Timing:
    return Timing(
        device,
        (("numpy", "2"),),
        2,
        "float32",
        (("n", n),),
        9,
        1,
        "2026-01-01T00:00:00+00:00",
        median,
        0.9 * median,
        1.1 * median,
        noise,
        peak,
    )


def result(
    operation: str, way: str, n: int, median: float, *, tile: int = 0, issued: int = 3, moves: int = 9000, **of: object
) -> Measured:
    size = "bytes" if operation == "copy" else "n"
    count = Count(
        operations=1 if operation == "copy" else 4 * n * n * 64,
        exponentials=n * n,
        must_move=4 * n * 64 * 4,
        moves=moves,
        issued=issued,
        workspace=4 * n * n,
    )
    return Measured(
        Case(operation, way, "numpy", "float32", ((size, n),), tile),
        timing(median, n, **of),  # type: ignore[arg-type]
        count,
        1e-7,
        1e-5,
        1,
        "host clock",
        "tracemalloc",
    )


RUN = Run(
    "2026-01-01T00:00:00+00:00",
    (("python", "3.11"),),
    QUICK,
    (Place("numpy", "A CPU", 2, (("numpy", "2"),), "host clock", "tracemalloc", 2**33, 2**25, 1e-6), Place("torch-cpu",
    reason="no torch")),
    (
        result("copy", "copy", 2**24, 0.01),
        result("product", "product", 512, 0.003),
        result("attention", "plain", 256, 0.002, peak=2**20),
        result("attention", "plain", 1024, 0.032, peak=2**24),
        result("attention", "tiled", 256, 0.004, issued=3000, peak=2**17),
        result("attention", "tiled", 1024, 0.0321, peak=2**18),
        result("tiles", "plain", 512, 0.008),
        result("tiles", "tiled", 512, 0.016, tile=32),
        result("tiles", "tiled", 512, 0.007, tile=128),
        result("decode", "uncached", 16, 0.016),
        result("decode", "uncached", 32, 0.128),
        result("decode", "cached", 16, 0.004),
        result("decode", "cached", 32, 0.008),
    ),
    (Skipped(Case("attention", "plain", "numpy", "float32", (("n", 65536),)), "needs 32 GiB, 4 GiB may be used"),),
    (),
    12.5,
    "done",
)  # fmt: skip


# Whose turn it is


def test_one_holds_the_machine_and_the_others_come_in_the_order_in_which_they_asked() -> None:
    turns, process = Turns(), Process()
    assert turns.take("a", 10, lambda: process) is process
    assert turns.take("b", 20, Process) is None
    assert turns.take("c", 30, Process) is None
    assert turns.ahead("b")[0] == 1
    n, seconds = turns.ahead("c")
    assert n == 2
    assert 20 < seconds <= 30  # what is left of a's, and b's
    process.alive = False
    assert turns.take("c", 30, Process) is None  # b asked first
    assert turns.take("b", 20, Process) is not None
    assert turns.ahead("c")[0] == 0  # nobody kept b's process, so it has ended


def test_a_turn_passes_on_when_nobody_owns_the_process_any_more() -> None:
    turns = Turns()
    process = turns.take("a", 10, Process)
    assert process is not None
    assert turns.take("b", 10, Process) is None
    del process
    gc.collect()
    kept = turns.take("b", 10, Process)
    assert kept is not None


def test_who_gives_no_sign_has_left_the_line() -> None:
    now = [0.0]
    turns, process = Turns(lambda: now[0]), Process()
    turns.take("a", 10, lambda: process)
    turns.take("gone", 10, Process)
    turns.take("here", 10, Process)
    now[0] = PATIENCE + 1
    assert turns.ahead("here")[0] == 1
    turns.take("here", 10, Process)
    process.alive = False
    assert turns.take("here", 10, lambda: process) is process


def test_a_reader_cancels_while_waiting_and_while_measuring_and_keeps_what_was_measured() -> None:
    desk = Desk()
    desk.begin(Stage.MEASURING, QUICK)
    desk.cancel()
    assert desk.stage is Stage.CHOOSING
    assert desk.note == measured_words.CANCELLED
    assert desk.runs == []
    desk.begin(Stage.MEASURING, QUICK)
    desk.plan = Plan(RUN.places, (), 1.0, 1, ())
    desk.results = list(RUN.results)
    desk.cancel()
    ((number, run),) = desk.runs
    assert (number, run.ended, run.results) == (1, "cancelled", RUN.results)
    assert load(as_json(run)) == run


def test_a_process_that_crashes_after_it_has_told_all_spoils_nothing() -> None:
    class Crashed:
        alive = False

        def events(self) -> list[object]:
            return [Plan(RUN.places, (), 1.0, 1, ()), Failed("the measuring process ended with signal 11")]

        def cancel(self) -> None: ...

    desk = Desk()
    desk.begin(Stage.ESTIMATING, QUICK)
    desk.running = Crashed()  # type: ignore[assignment]
    desk.poll()
    assert desk.stage is Stage.CHOOSING
    assert desk.plan is not None
    assert desk.note is None


# What may be typed


@pytest.mark.parametrize(
    "settings", [QUICK, FULL, CUDA_QUICK, CUDA_FULL], ids=["quick", "full", "cuda-quick", "cuda-full"]
)
def test_every_preset_goes_through_the_fields_unchanged(settings: Settings) -> None:
    assert everything().read(everything().write(settings), settings) == settings


@pytest.mark.parametrize(
    "typed",
    [{"lengths": ""}, {"lengths": "64 32"}, {"lengths": "64 64"}, {"lengths": "0 1"}, {"lengths": "1e3"},
    {"lengths": "9" * 30}, {"lengths": "-4"},
     {"lengths": " ".join(map(str, range(1, 14)))}, {"lengths": "200000"}, {"lengths": "5 " * 300}, {"seconds": "nan"},
     {"seconds": "0"},
     {"case_seconds": "inf"}, {"memory_mib": "many"}, {"d_model": "100"}, {"contexts": "100"}, {"copy_mib": "0"}],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_measured_is_refused_in_both_languages_and_names_the_field(typed: dict[str, str]) -> None:
    with pytest.raises(BadInput) as refused:
        everything().read(everything().write(QUICK) | typed, QUICK)
    (complaint,) = refused.value.complaints
    label = next(control.label for control in everything().controls if control.name in typed)
    assert f"**{label.en}**" in complaint.en
    assert f"**{label.zh}**" in complaint.zh


def test_sizes_are_read_with_commas_of_any_width() -> None:
    assert everything().read({"lengths": "６４，128、256 512"}, QUICK).lengths == (64, 128, 256, 512)


def test_a_field_that_is_not_shown_can_never_be_complained_of() -> None:
    base = replace(QUICK, operations=("attention",))
    assert (
        form_of(("attention",)).read({"head_dim": "96"}, base).head_dim == 96
    )  # 128 is no multiple, but nothing is decoded
    assert "steps" not in {control.name for control in form_of(("attention",)).controls}


def test_the_largest_that_a_field_takes_the_engine_takes_too() -> None:
    for control in everything().controls:
        high = getattr(control, "high", None)
        base = replace(QUICK, operations=(), head_dim=1, d_model=1, contexts=(16,), block_size=1)
        if high is not None and control.name not in ("head_dim",):
            everything().read({control.name: control.write((high,) if hasattr(control, "most") else high)}, base)


def test_a_link_fills_the_fields_and_nothing_else() -> None:
    here = Desk()
    assert query_of(here) == {}
    follow(
        here,
        {
            "lengths": "8 16",
            "operations": "paged,warp,attention",
            "dtypes": "",
            "token": "mine",
            "lang": "zh",
            "steps": "9" * 5000,
        },
    )
    assert (here.typed["lengths"], len(here.typed["steps"])) == ("8 16", 600)
    assert (here.operations, here.dtypes, here.backends) == (("attention", "paged"), (), ("numpy",))
    assert here.token != "mine"
    again = Desk()
    follow(again, query_of(here))
    assert (again.typed, again.operations, again.dtypes) == (here.typed, here.operations, here.dtypes)


# What is said of a run


def test_both_languages_say_the_same_numbers() -> None:
    said = [text for _, texts in verdicts(RUN) for text in texts]
    said += [measured_say.case(m.case) for m in RUN.results] + [measured_say.device(place) for place in RUN.places]
    said += [
        measured_say.waiting(1, 30.0),
        measured_say.waiting(3, 90.0),
        measured_say.cancelled(4),
        measured_say.skipped(RUN.skipped[0]),
    ]
    said += [
        measured_say.own(RUN, 2),
        measured_say.recorded(RUN),
        measured_say.about(RUN, own=True),
        measured_say.about(RUN, own=False),
    ]
    said += [measured_say.others(replace(RUN, host=(("load", "3.5"), ("cores", "2"))))]
    said += [text for text in vars(measured_words).values() if isinstance(text, Text)]
    assert len(said) > 80
    for text in said:
        assert sorted(NUMBER.findall(text.en)) == sorted(NUMBER.findall(text.zh)), text


def test_slower_says_why_and_what_lies_within_the_noise_is_no_difference() -> None:
    said = {operation: texts for operation, texts in verdicts(RUN)}
    (tiled,) = said["attention"]
    assert "no difference; 1.00 times as long, within the noise of 2 %" in tiled.en
    assert "At smaller sizes: n = 256: slower by a factor of 2.00" in tiled.en
    assert "1/64 of the other" in tiled.en
    (best,) = said["tiles"]
    assert "tile 128): faster by a factor of 1.14." in best.en
    assert "The worst tile, 32, takes 2.29 times as long as the best, 128." in best.en
    (cached,) = said["decode"]
    assert "faster by a factor of 16." in cached.en
    overhead = replace(RUN, results=tuple(m for m in RUN.results if m.case.shape != (("n", 1024),)))
    (tiled,) = dict(verdicts(overhead))["attention"]
    assert (
        "slower by a factor of 2.00, because handing out its 3\u202f000 array operations takes about 75 % of its time"
        in tiled.en
    )


def test_where_the_noise_could_hide_a_difference_the_run_says_that_it_cannot_tell() -> None:
    loud = (
        result("attention", "plain", 1024, 0.032),
        result("attention", "tiled", 1024, 0.0784, noise=3.04),
    )
    ((_, (said,)),) = verdicts(replace(RUN, results=loud))
    assert (
        "this run cannot tell whether there is a difference; 2.45 times as long, within the noise of 304 %." in said.en
    )
    assert "从这次运行看不出有没有差别；用时是对方的 2.45 倍，在 304 % 的噪声之内。" in said.zh
    assert "no difference" not in said.en
    assert "没有差别；" not in said.zh.replace("有没有差别", "")
    smaller = result("attention", "plain", 256, 0.002), result("attention", "tiled", 256, 0.002, noise=1.0)
    slower = result("attention", "plain", 1024, 0.01), result("attention", "tiled", 1024, 0.05)
    ((_, (said,)),) = verdicts(replace(RUN, results=(*smaller, *slower)))
    assert "At smaller sizes: n = 256: this run cannot tell whether there is a difference." in said.en


def test_slopes_stand_beside_the_counted_ones() -> None:
    table = slopes(RUN, "en")
    row = table[(table["operation"] == "Attention") & (table["way"] == "plain formula")].iloc[0]
    assert row["slope"] == pytest.approx(2.0)
    assert row["operations"] == pytest.approx(2.0)
    drawn = growth(RUN, "attention", "en")
    assert drawn is not None
    assert (
        "plain formula · NumPy · float32: 2 ms (n = 256) – 32 ms (n = 1\u202f024), slope 2.00 (counted 2.00)"
        in drawn.alt
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_chart_has_log_axes_ticks_and_an_alternative_text(lang: Lang) -> None:
    roof = next(iter(roofs(RUN).values()))
    drawn = [
        growth(RUN, "attention", lang),
        growth(RUN, "decode", lang, memory=True, other=("<b>", RUN)),
        tiles(RUN, lang),
        under_roof(RUN, roof, lang),
    ]
    for one in drawn:
        assert one is not None
        assert one.figure.layout.xaxis.type == one.figure.layout.yaxis.type == "log"
        assert 1 <= len(one.figure.layout.yaxis.tickvals) <= 12
        assert len(one.alt) > 60
        assert not [trace.name for trace in one.figure.data if "<b>" in (trace.name or "")]
    alone = growth(RUN, "attention", lang, place=("numpy", "float32"))
    assert alone is not None
    assert not [trace.name for trace in alone.figure.data if "float32" in (trace.name or "")]
    assert growth(RUN, "attention", lang, place=("numpy", "float16")) is None
    assert growth(RUN, "paged", lang) is None


def test_ticks_are_few_at_every_scale() -> None:
    for exponent in range(1, 40):
        for base in (2, 10):
            assert len(ticks(1e-9, 1e-9 * 2**exponent, base)) <= 14


def test_a_difference_is_named_between_runs_of_one_device_only() -> None:
    slower = replace(
        RUN,
        results=tuple(replace(m, timing=replace(m.timing, median=2 * m.timing.median, p90=9.0)) for m in RUN.results),
    )
    elsewhere = replace(RUN, results=tuple(replace(m, timing=replace(m.timing, device="B")) for m in RUN.results))
    assert set(side_by_side(slower, RUN, "en")["difference"]) == {"slower"}
    assert set(side_by_side(RUN, RUN, "en")["difference"]) == {"none"}
    assert set(side_by_side(elsewhere, RUN, "zh")["差别"]) == {"另一台设备"}


def test_the_tables_have_a_row_a_timing_and_the_csv_no_formula() -> None:
    assert len(timings(RUN, "en")) == len(RUN.results)
    for formula in ("=1+1", " =1+1", "＝1+1", "\t@x"):
        evil = replace(RUN, results=tuple(replace(m, timing=replace(m.timing, device=formula)) for m in RUN.results))
        lines = csv(evil).decode("utf-8-sig").splitlines()
        assert len(lines) == len(RUN.results) + 1
        assert f",'{formula}," in lines[1]


# Runs from files


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [(("version",), 99, "version"), (("results", 0, "case", "way"), "warp", "warp"), (("results", 0, "case", "shape"),
    [],


    "numbers"),
     (("results", 2, "count", "must_move"), 0, "numbers"), (("results", 2, "count", "operations"), 10**400, "numbers"),
     (("results", 3, "timing", "median"), "fast", "median"), (("settings", "lengths"), [0], "lengths"),
     (("seconds",), math.inf, "numbers"), (("places", 0, "cache_bytes"), -(10**30), "numbers"), (("results", 3,
     "timing",


     "p10"), 1e-300, "numbers"),
     (("results", 3, "timing", "peak_bytes"), -1, "numbers"), (("host",), [["load", "1"]] * 2000, "list of more"),
     (("places", 0, "device"), "x" * 20_000, "text of more")],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_a_file_that_is_no_sound_run_is_refused_and_named(path: tuple[str | int, ...], value: object, why: str) -> None:
    raw = json.loads(as_json(RUN))
    place = raw
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(ValueError, match=why):
        measured_runs.opened(json.dumps(raw).replace("Infinity", "1e999").encode())


def test_a_recorded_run_is_labelled_with_device_and_date_and_a_broken_one_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one.json").write_text(as_json(RUN), encoding="utf-8")
    (tmp_path / "two.json").write_text("{", encoding="utf-8")
    monkeypatch.setattr(measured_runs, "FOLDER", tmp_path)
    measured_runs.recorded.cache_clear()
    assert measured_runs.recorded() == {"one.json": RUN}
    measured_runs.recorded.cache_clear()
    assert measured_say.recorded(RUN) == Text("Recorded on A CPU, 2026-01-01", "录于 A CPU，2026-01-01")


def test_what_was_recorded_with_the_app_can_be_read() -> None:
    measured_runs.recorded.cache_clear()
    assert set(measured_runs.recorded()) == {path.name for path in measured_runs.FOLDER.glob("*.json")}


def test_what_does_not_fit_is_refused_with_what_it_needs_and_what_there_is() -> None:
    case = Case("attention", "plain", "numpy", "float32", (("n", 65536),))
    plan = Plan(RUN.places, (Planned(case, 0.0, 2**35, "needs"),), 1.0, 0, (("numpy", 2**32),))
    assert measured_say.refusal(plan.cases[0], plan).en.endswith("does not fit; it needs 32 GiB, and 4 GiB may be used")
    assert "bfloat16" in measured_say.refusal(Planned(case, 0.0, 0, "NumPy has no bfloat16"), plan).zh


# Odds and ends


def test_every_operation_names_lessons_that_exist() -> None:
    assert {slug for slugs in measured.COUNTED_BY.values() for slug in slugs} <= {lesson.slug for lesson in LESSONS}


def test_numpy_can_always_be_chosen() -> None:
    assert backends(None) == ("numpy",)


@pytest.mark.parametrize("word", ["off", " OFF ", "0"])
def test_measuring_can_be_switched_off(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not measured.is_off()
    monkeypatch.setenv("MEASURE", word)
    assert measured.is_off()


@pytest.mark.parametrize("module", [measured_say, measured_axes], ids=lambda module: module.__name__)
def test_the_examples_hold(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0

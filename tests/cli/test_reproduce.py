"""The whole reproduction on small graphs, through the door; killed, continued, drawn."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unifilter.cli.app import app
from unifilter.record import read
from unifilter.reproduce.catalog import names
from viz.browsing import requests, visit

from .conftest import command, start

ROOT = Path(__file__).parents[2]
CONFIGS = str(ROOT / "experiments/configs")


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A machine without graphs and without a network to get them from."""
    return {"UNIFILTER_CACHE": str(tmp_path_factory.mktemp("cache")), "UNIFILTER_MIRROR": ""}


@pytest.fixture(scope="module")
def quick(tmp_path_factory, bare):
    """Everything, quickly; the folder and what was said."""
    out = tmp_path_factory.mktemp("reproduce") / "out"
    words = command("reproduce", "all", "--quick", "--device", "cpu", "--processes", "2", "--json")
    options = {"capture_output": True, "text": True, "env": os.environ | bare, "cwd": out.parent}
    return out, subprocess.run([*words, "--out", str(out)], **options)


def test_a_quick_run_of_everything_holds_on_a_machine_without_graphs(quick):
    _, done = quick
    assert done.returncode == 0, done.stdout + done.stderr
    said = json.loads(done.stdout)
    assert (said["failed"], said["left"]) == ({}, [])
    assert said["done"] > 100
    assert all(claim["holds"] for claim in said["claims"])
    sentences = " ".join(claim["sentence"] for claim in said["claims"])
    assert "UniFilter beats the MLP at h = 0.9" in sentences
    assert "HetFilter loses to HomFilter at h = 0.81" in sentences


def test_it_leaves_a_page_tables_and_figures(quick):
    out, done = quick
    files = {Path(f).name for f in json.loads(done.stdout)["files"]}
    assert {"reproduction.html", "table2.md", "table2.tex", "family.svg", "ablation.png"} <= files
    page = (out / "reproduction.html").read_text(encoding="utf-8")
    assert "UniFilter, searched" in page


# What a reader sees of every plot and of every table.
PLOTS = """return [...document.querySelectorAll("figure.chart")].map((figure) => {
  const box = figure.querySelector(".js-plotly-plot"), svg = box && box.querySelector("svg.main-svg");
  const size = svg ? svg.getBoundingClientRect() : {width: 0, height: 0};
  return {name: figure.id, drawn: size.width > 200 && size.height > 150,
          marks: figure.querySelectorAll(".point, .textpoint, .points path, .lines path").length,
          ink: svg && getComputedStyle(figure.querySelector(".xtick text")).fill};
})"""
TABLES = """return [...document.querySelectorAll("figure.table")].map((figure) => {
  const rows = [...figure.querySelectorAll("tr")].map((row) => [...row.cells]);
  const body = rows.slice(1), edge = figure.querySelector(".scroll").getBoundingClientRect().right;
  return {name: figure.id, widths: rows.map((cells) => cells.length),
          empty: body.flat().filter((cell) => !cell.textContent.trim()).length,
          over: rows.flat().filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length,
          hidden: body.filter((cells) => cells[1].getBoundingClientRect().right > edge + 1).length};
})"""


def test_its_page_is_whole_in_a_browser_wide_and_on_a_phone_in_the_dark(browser, quick):
    out, _ = quick
    url, looks = (out / "reproduction.html").as_uri(), []
    for width, theme in ((1200, "light"), (390, "dark")):
        visit(browser, url, width, theme)
        assert [entry["message"] for entry in browser.get_log("browser")] == []
        assert {r for r in requests(browser) if not r.startswith(("data:", "blob:"))} == {url}
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        plots, tables = browser.execute_script(PLOTS), browser.execute_script(TABLES)
        assert {plot["name"] for plot in plots} == {f.stem for f in (out / "figures").glob("*.svg")}
        assert [plot["name"] for plot in plots if not (plot["drawn"] and plot["marks"])] == []
        assert {table["name"] for table in tables} == {f.stem for f in (out / "tables").glob("*.md")}
        for table in tables:
            assert len(table["widths"]) > 1, table
            assert len(set(table["widths"])) == 1, table
            assert (table["empty"], table["over"], table["hidden"]) == (0, 0, 0), table
        paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
        looks.append({paper, *(plot["ink"] for plot in plots)})
    assert not looks[0] & looks[1], "dark mode changes the page and the ink of every plot"


def test_with_everything_there_it_only_draws(quick, bare, tmp_path):
    out = shutil.copytree(quick[0], tmp_path / "out")  # others look at the page of the whole
    before = (out / "records.jsonl").read_text()
    (out / "reproduction.html").unlink()
    words = ["reproduce", "table2", "--quick", "--device", "cpu", "--out", str(out), "--json"]
    done = CliRunner().invoke(app, words, env=bare)
    assert done.exit_code == 0, done.output
    assert (out / "records.jsonl").read_text() == before
    assert (out / "reproduction.html").exists()


def test_the_list_says_how_much_is_there(quick, bare):
    out, _ = quick
    done = CliRunner().invoke(app, ["reproduce", "--list", "--quick", "--out", str(out), "--json"], env=bare)
    rows = {row["part"]: row for row in json.loads(done.stdout)}
    assert list(rows) == names()
    assert rows["table2"]["there"] == rows["table2"]["in all"] > 20


def arrived(process, file: Path, records: int) -> None:
    """Wait until a running process has written so many Records."""
    deadline = time.monotonic() + 120
    while not (file.exists() and file.read_text().count("\n") >= records):
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def test_a_killed_run_goes_on_without_repeating_what_it_finished(tmp_path, bare):
    words = ["reproduce", "tau", "h", "--quick", "--device", "cpu", "--out", str(tmp_path), "--no-draw"]
    file = tmp_path / "records.jsonl"
    process = start(*words, **bare)
    arrived(process, file, 3)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    kept = file.read_text()
    kept = kept[: kept.rfind("\n") + 1]
    done = CliRunner().invoke(app, words, env=bare)
    assert done.exit_code == 0, done.output
    assert file.read_text().startswith(kept)
    records = read(file)
    runs = {(r.dataset["name"], json.dumps(r.config), r.split["seed"]) for r in records}
    assert len(runs) == len(records) > kept.count("\n")
    # Without a terminal, a line for each that ended: a log tells how far it is.
    assert done.stderr.splitlines()[-1].endswith("; 0 wait, 0.0 min left")


def test_ctrl_c_ends_all_processes_and_keeps_what_is_done(tmp_path, bare):
    words = ["reproduce", "family", "--quick", "--device", "cpu", "--out", str(tmp_path), "--processes", "2"]
    process = start(*words, **bare)
    arrived(process, tmp_path / "records.jsonl", 1)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    *before, last = said.strip().splitlines()
    assert last == "interrupted: what was done is kept, and the same line goes on"
    assert all(line.endswith("min left") for line in before)
    assert read(tmp_path / "records.jsonl")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["table9", "--quick"], "no part named 'table9'"),
        (["table2", "--configs", "nowhere"], "no settings in nowhere"),
        (["table2", "--quick", "--models", "gnc"], "gnc"),
    ],
)
def test_a_wrong_word_is_one_line(words, said):
    done = CliRunner().invoke(app, ["reproduce", *words])
    assert done.exit_code == 2
    assert said in done.stderr


def test_report_fills_a_readme_from_the_records_and_tells_when_it_is_old(tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text("# Mine\n<!-- reproduce:table3_fit -->\n<!-- /reproduce -->\n")
    words = ["report", str(readme), "--results", str(tmp_path), "--configs", CONFIGS]
    assert CliRunner().invoke(app, [*words, "--check"]).exit_code == 1
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "No cell has been run in both readings" in readme.read_text()
    assert CliRunner().invoke(app, [*words, "--check"]).exit_code == 0


def test_the_tables_of_the_repository_are_those_of_its_records():
    files = [str(f) for f in (ROOT / "README.md", ROOT / "docs/reproduction.md")]
    words = ["--results", str(ROOT / "experiments/results/reproduce"), "--configs", CONFIGS, "--check"]
    done = CliRunner().invoke(app, ["report", *files, *words])
    assert done.exit_code == 0, done.output

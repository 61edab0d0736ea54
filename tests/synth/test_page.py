"""The tables of the documentation are the figures."""

from pathlib import Path

from vc4sim.synth.page import block_table, board_table, read_all
from vc4sim.synth.targets import PARTS

DOCS = Path(__file__).parents[2] / "docs/reference"
FIGURES = read_all(DOCS / "fpga")


def test_the_page_is_up_to_date():
    page = (DOCS / "fpga.md").read_text()
    for table in (board_table, block_table):
        assert "\n".join(table("fpga", FIGURES)) in page, "python -m vc4sim.synth.page docs/reference/fpga prints it"


def test_every_block_is_measured():
    measured = {found["part"] for found in FIGURES.values() if "part" in found}
    assert measured >= PARTS.keys() - {"v3d", "board"}


def test_rows_come_in_the_order_of_parts_and_configurations():
    def found(part, config):
        return {**FIGURES["qpu.json"], "part": part, "config": config}

    rows = list(block_table("f", {"a": found("fep", "gpu"), "b": found("qpu", "gpu"), "c": found("qpu", "qpu")}))
    assert [row.split(" | ")[0] for row in rows[2:]] == ["| [`qpu`](f/c)", "| [`qpu`](f/b)", "| [`fep`](f/a)"]


def test_a_row_has_what_was_measured():
    found = {
        "command": "vc4 build x --screen --json y",
        "board": "x",
        "mhz_asked": 50.0,
        "seeds": {"1": 61.26, "2": 40.0},
        "cells": {"TRELLIS_COMB": 1234, "TRELLIS_FF": 5, "MULT18X18D": 0, "DP16KD": 7},
        "available": {"TRELLIS_COMB": 9999},
    }
    assert list(board_table("f", {"x.json": found}))[2:] == [
        "| [`vc4 build x --screen`](f/x.json) | 1,234 of 9,999 | 5 |  | 7 | 50 | 61.3, 40.0 |"
    ]

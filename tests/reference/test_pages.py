"""The pages of the reference are the tables, and these say what every bit and name means."""

import inspect
import random
import re
from importlib import import_module
from pathlib import Path

import pytest
from amaranth.lib import data, enum

from vc4.isa import ops, registers, word
from vc4.isa.ops import Signal
from vc4.isa.registers import ELEMENTS
from vc4.records import primitives, shaders, state, stencil, tile_buffer, tmu, vpm
from vc4.records.control import ControlCode
from vc4.records.vpm import DmaMode, SetupId, VdrBasicSetup, VpmSize, setup_layout
from vc4sim.asm import encoder
from vc4sim.asm.names import REGISTERS
from vc4sim.asm.operations import MOVES
from vc4sim.model.vpm.blocks import vector_places
from vc4sim.reference import control_lists, instructions, register_files, setup_words
from vc4sim.reference.__main__ import PAGES
from vc4sim.reference.names import SETUPS, entries, said, setup
from vc4sim.reference.texts import fields_of, member_texts

DOCS = Path(__file__).parents[2] / "docs"
TABLES = (ops, word, primitives, shaders, state, stencil, tile_buffer, tmu, vpm)


def members(kind):
    """Layouts or enumerations that the modules of tables define."""
    found = ((module.__name__, one) for module in TABLES for one in vars(module).values() if inspect.isclass(one))
    return list(dict.fromkeys(one for name, one in found if one.__module__ == name and isinstance(one, kind)))


LAYOUTS = members(type(data.Struct))
VALUES = [*members(enum.EnumMeta), ControlCode]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_up_to_date(name):
    written = (DOCS / "reference" / name).read_text()
    assert written == PAGES[name](), "python -m vc4sim.reference docs/reference"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_linked(name):
    assert f"(reference/{name})" in (DOCS / "README.md").read_text()


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda one: one.__name__)
def test_every_field_says_what_it_means(layout):
    """Or what its values are says it, or the guide's name does."""
    assert list(fields_of(layout))
    assert [one.name for one in fields_of(layout) if not (one.text or one.values or one.guide)] == []


@pytest.mark.parametrize("kind", VALUES, ids=lambda one: one.__name__)
def test_every_value_says_what_it_means(kind):
    assert [one.name for one in kind if one.name not in member_texts(kind) and "RESERVED" not in one.name] == []
    assert [name for name in member_texts(kind) if "RESERVED" in name] == []


def test_texts_before_and_in_a_line(tmp_path, monkeypatch):
    (tmp_path / "some_table.py").write_text(
        "class Table:\n    #: what stands\n    #: before\n    FIRST = 1\n    second: int  #: in its line\n    third: int  # no text\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert member_texts(import_module("some_table").Table) == {"FIRST": "what stands before", "second": "in its line"}


def test_fields_cover_words_without_overlap():
    for layout in (word.AluWord, word.LoadWord, vpm.VdwBasicSetup, stencil.StencilSetUp):
        places = [bit for one in fields_of(layout) for bit in range(one.low, one.low + one.width)]
        assert places == list(range(data.Layout.cast(layout).size))


def test_where_vectors_lie():
    """The table of the field `address`, row by row, for every address."""
    text = setup_words.page()
    for size, row in re.findall(r"^\| (word|half|byte) \| (.*) \|$", text, re.MULTILINE):
        for cell, horizontal in zip(row.split(" | "), (True, False), strict=True):
            parts = {
                name: (int(high), int(low or high)) for high, low, name in re.findall(r"(\d)(?::(\d))? (\w+)", cell)
            }
            for address in range(256):
                at = {name: address >> low & (1 << high - low + 1) - 1 for name, (high, low) in parts.items()}
                part = at.get("half", 0) * 2 + at.get("byte", 0)
                first = vector_places(address, VpmSize[size.upper()], True, horizontal)[0]
                line, column = (at["row"], 0) if horizontal else (16 * at["sixteen"], at["column"])
                assert first == (line * ELEMENTS + column) * 4 + part, (size, horizontal, address)


@pytest.mark.parametrize("register", ["vw_setup", "vr_setup"])
def test_set_up_words_are_told_apart_by_their_id(register):
    random_ = random.Random(1)
    kinds = [one for one in LAYOUTS if one.__module__ == vpm.__name__ and one.__name__.startswith(("Vpm", "Vd"))]
    mine = [
        one for one in kinds if one.__name__.startswith(("VpmW", "Vdw") if register == "vw_setup" else ("VpmR", "Vdr"))
    ]
    assert len(mine) == 3
    for layout in mine:
        (field,) = (one for one in fields_of(layout) if one.name == "id")
        value = SetupId[field.text].value if field.values else int(field.text)
        for _ in range(50):
            bits = random_.getrandbits(field.low) | value << field.low
            if layout is VdrBasicSetup and bits >> 28 & 7 == DmaMode.EXTENDED.value:
                continue
            assert setup_layout(register, bits) is layout
    assert setup_layout(register, 1 << 30) is None


@pytest.mark.parametrize("register", SETUPS)
def test_a_word_is_said_field_by_field(register):
    random_ = random.Random(register)
    for _ in range(50):
        bits = random_.getrandbits(32)
        layout = setup(register, bits)
        assert len(said(register, bits)) == 1 + (len(list(fields_of(layout))) if layout else 0)


def test_every_name_of_the_assembler_has_a_meaning():
    named = {entry.name for entry in entries()}
    statements = encoder._LOADS | encoder._BRANCHES | encoder._SEMAPHORES | set(MOVES) | {"read"}
    assert statements <= named
    written = {
        name for name, one in REGISTERS.items() if not re.fullmatch(r"r[ab](3[2-9]|[4-6]\d)|(sacq|srel)\d+", name)
    }
    assert written <= named
    assert {one.name.lower() for one in Signal} <= named


def test_services_are_those_that_the_tables_name():
    named = {one.unit for port in (registers.READ, registers.WRITE) for pair in port.values() for one in pair}
    named |= set(registers.SIGNAL_UNITS.values()) | {"semaphore"}
    assert set(registers.SERVICES) == named - {"qpu"}


def test_pages_have_everything():
    text = register_files.page()
    for port in (registers.READ, registers.WRITE):
        for address, pair in port.items():
            for one in pair:
                assert re.search(
                    rf"^\| {address} \| (A|B|both) \| `{re.escape(one.name)}`.* \| {re.escape(one.doc)} \|", text, re.M
                )
    text = instructions.page()
    for kind in (ops.AddOp, ops.MulOp):
        for one in kind:
            assert "RESERVED" in one.name or f"\n| {one.value} | `{one.name.lower()}` |" in text
    text = control_lists.page()
    for one in ControlCode:
        assert (
            text.count(f"\n| {one.value} | [`{one.name.lower()}`]")
            + text.count(f"\n| {one.value} | `{one.name.lower()}` |")
            == 1
        )

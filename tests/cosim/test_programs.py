"""Lookups of textures and of memory on the exported GPU, in a simulator in which nothing has a value before it is written.

The texture is four by four texels of 32 bits, which lie in rows, the lower row first (guide, figure 17: a microtile of 4 by 4).
"""

import random
import struct

import pytest

from vc4.config import V3DConfig, preset
from vc4.v3d_axi import V3DAxi
from vc4sim.asm import assemble
from vc4sim.launch import Launch
from vc4sim.workload import Check, Workload

BASE, UNIFORMS, TEXELS, OUTPUT = 0x1_0000, 0x1_0200, 0x1_1000, 0x1_2000
ROW_BYTES, LAUNCH_BYTES = 64, 128
#: Looks up a word of memory for each element, and a texel at (s, t) = (n + 0.5) / 16; stores both rows.
SOURCE = """
shl r0, elem_num, 2
add r0, r0, unif
mov t0s, r0
itof r1, elem_num
fadd r1, r1, 0.5
fmul r1, r1, 0.0625
mov t0t, r1
mov t0s, r1
mov vw_setup, unif
nop; ldtmu0
mov vpm, r4; ldtmu0
mov vpm, r4
mov vw_setup, unif
mov vw_addr, unif
read vw_wait
thrend
nop
nop
"""
#: RGBA8888, nearest filters, clamped at the edges: width 4, height 4.
SAMPLING = 4 << 20 | 4 << 8 | 1 << 7 | 1 << 4 | 1 << 2 | 1


def workload(programs: int) -> Workload:
    """The program, so many times, each with rows of the VPM and of memory of its own."""
    seed = 3
    image = bytearray(OUTPUT - BASE + LAUNCH_BYTES * programs)
    code = assemble(SOURCE).code
    image[: len(code)] = code
    texels = random.Random(seed).randbytes(ROW_BYTES)
    image[TEXELS - BASE : TEXELS - BASE + ROW_BYTES] = texels
    launches = []
    for number in range(programs):
        place, row = UNIFORMS + 32 * number, 2 * number
        setups = (0x1A00 | row, 2 << 23 | 1 << 31 | 16 << 16 | 1 << 14 | row << 7)
        words = (TEXELS, TEXELS, SAMPLING, *setups, OUTPUT + LAUNCH_BYTES * number)
        struct.pack_into("<6I", image, place - BASE, *words)
        launches.append(Launch(BASE, place))
    words = [texels[at : at + 4] for at in range(0, ROW_BYTES, 4)]
    diagonal = b"".join(words[5 * (element // 4)] for element in range(16))
    return Workload(
        name="lookups",
        image=bytes(image),
        base=BASE,
        launches=tuple(launches),
        checks=(Check("rows", OUTPUT, (texels + diagonal) * programs),),
    )


@pytest.mark.thorough
def test_lookups(cosim):
    cosim(V3DAxi(V3DConfig(tmus_per_slice=1)), "bench_programs", seed=1, gap=0, workload=workload(1))


@pytest.mark.slow
@pytest.mark.parametrize(("gap", "seed"), [(0, 1), (0.4, 2)])
def test_lookups_of_all_qpus_of_a_slice(cosim, gap, seed):
    cosim(V3DAxi(preset("slice")), "bench_programs", seed=seed, gap=gap, workload=workload(6))

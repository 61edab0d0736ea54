"""Programs of the tests of the library."""

import pytest

from vc4sim.backends.engines import RTL_ENGINES

#: y = a x + y of vectors of sixteen floats: a, x, y, how many vectors.
SAXPY = """
mov ra0, unif
shl r0, elem_num, 2
add r1, r0, unif
mov r2, unif
mov ra1, unif
ldi r3, 64
:loop
mov t0s, r1
add t0s, r0, r2
ldi vw_setup, 0x1a00
nop; ldtmu0
fmul ra2, r4, ra0; ldtmu0
sub.setf ra1, ra1, 1
fadd vpm, ra2, r4
ldi vw_setup, 0x80904000
mov vw_addr, r2
read vw_wait
brr.anynz -, r:loop
add r1, r1, r3
add r2, r2, r3
nop
thrend
nop
nop
"""

#: Stores its first uniform in sixteen words at its second one; a second entry stores twice the uniform.
#: Each QPU has a row of the VPM.
STORE = """
:once
mov r0, unif
brr -, r:store
nop
nop
nop
:twice
mov r0, unif
nop
add r0, r0, r0
:store
mov r1, qpu_num
ldi r2, 0x1a00
add vw_setup, r2, r1
shl r1, r1, 7
mov vpm, r0
ldi r2, 0x80904000
add vw_setup, r2, r1
mov vw_addr, unif
thrend
nop
nop
"""

ENDLESS = ":here\nbrr -, r:here\nnop\nnop\nnop\n"


def _on(*engines: str) -> pytest.MarkDecorator:
    """On the model in the first level, on simulators of the RTL in the second one."""
    return pytest.mark.parametrize(
        "on", ["model", *(pytest.param(name, marks=pytest.mark.thorough) for name in engines)]
    )


on_every_engine = _on(*RTL_ENGINES)
#: For what Amaranth's simulator takes minutes for.
on_model_and_native = _on("native")

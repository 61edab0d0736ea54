"""The page of set-up words."""

from vc4.records.state import DepthTest
from vc4.records.stencil import StencilMasks, StencilOperation, StencilSetUp, StencilWriteMask
from vc4.records.tmu import (
    ChildOffset,
    ChildSize,
    CubeStride,
    MagnificationFilter,
    MinificationFilter,
    ParameterKind,
    TextureImage,
    TextureSampling,
    TextureType,
    Wrap,
)
from vc4.records.vpm import (
    DmaMode,
    SetupId,
    VdrBasicSetup,
    VdrExtendedSetup,
    VdwBasicSetup,
    VdwStrideSetup,
    VpmReadSetup,
    VpmSize,
    VpmWriteSetup,
)

from .markdown import layouts, section, values
from .names import said

__all__ = ["page"]

_INTRODUCTION = """\
# Set-up words

A program says with words of 32 bits what the vertex pipe memory (VPM), its DMA, the texture units and the stencil test are to
do. Element 0 of a vector counts, but for textures, whose words are uniforms. `vc4 isa vw_setup 0x1a00` prints what a word
means:

"""

_BELOW = """\
This page is made from `rtl/vc4/records/vpm.py`, `tmu.py` and `stencil.py`. Fields that are not listed are 0.

## Memory of the vertex pipe

The VPM has rows of sixteen words of 32 bits, and is where vectors of the QPU and blocks in memory meet: a program writes a
vector to `vpm`, and a DMA store takes it to memory; a DMA load brings a block, and the program reads it from `vpm`. All QPUs
see the same rows. The host says with VPMBASE how many rows are for programs, at most 64 ([driving the GPU](../user/driver.md)).

A vector is a row or part of it (horizontal), or goes down a column (vertical). Where it lies follows from the field `address`:

| size | horizontal | vertical |
|---|---|---|
| word | 5:0 row | 5:4 sixteen rows, 3:0 column |
| half | 6:1 row, 0 half | 6:5 sixteen rows, 4:1 column, 0 half |
| byte | 7:2 row, 1:0 byte | 7:6 sixteen rows, 5:2 column, 1:0 byte |

Packed elements of 16 or 8 bits lie side by side, two or four in a word, and fill the half or quarter of the row that the
address names. Laned ones lie in sixteen words, each in the half or byte that the address names. After each vector `stride` is
added to the address ([QPU facts](qpu_facts.md#84-vpm)).
"""

_DMA = """\
A write of `vw_addr` starts a store from the VPM to memory, one of `vr_addr` a load. A program goes on meanwhile; `vw_wait` and
`vr_wait` wait for the end ([QPU facts](qpu_facts.md#85-dma-loads)). A unit is a piece of a row or column that stays together in
memory."""

_TEXTURES = """\
A lookup is a write of `t`, `r`, `b` and `s` of a unit, as many as it needs, with `s` last. Each of these writes takes the next
uniform as config parameter: the first one is parameter 0, the second one parameter 1, the others say what they are. An `s`
alone takes none: each element is the byte address of a word in memory. The result comes to r4 with `ldtmu0` or `ldtmu1`. [The
texture unit](tmu.md) has every formula."""

_STENCIL = """\
A fragment shader writes up to three words to `stencil`: tests of both faces, or of the front and of the back, and then masks if
no code has them."""

_WORDS = (("vw_setup", 0x1A00), ("vw_setup", 0x8090_4000), ("vr_setup", 0x0010_1A00), ("vr_setup", 0x8301_0000))


def _words() -> list[str]:
    return [
        "```",
        *(line for number, one in enumerate(_WORDS) for line in ([""] if number else []) + said(*one)),
        "```",
        "",
    ]


def page() -> str:
    """The page, in Markdown."""
    lines = [_INTRODUCTION.rstrip(), "", *_words(), _BELOW.rstrip(), ""]
    lines += [*layouts(VpmWriteSetup, VpmReadSetup), *values(VpmSize, SetupId)]
    lines += section("DMA", _DMA)
    lines += [*layouts(VdwBasicSetup, VdwStrideSetup, VdrBasicSetup, VdrExtendedSetup), *values(DmaMode)]
    lines += section("Textures", _TEXTURES)
    lines += layouts(TextureImage, TextureSampling, CubeStride, ChildSize, ChildOffset)
    lines += values(TextureType, MagnificationFilter, MinificationFilter, Wrap, ParameterKind)
    lines += section("Stencil", _STENCIL)
    lines += [*layouts(StencilSetUp, StencilMasks), *values(StencilOperation, StencilWriteMask, DepthTest)]
    return "\n".join(lines).rstrip() + "\n"

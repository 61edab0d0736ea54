"""`RowAllocation`: which batches are refused, and what the host finds in ERRSTAT."""

import pytest

from vc4.config import V3DConfig, preset
from vc4sim.model.memory import Memory
from vc4sim.model.v3d import V3D

#: VPACNTL: limits of renderer and binner are (n + 1) * 6 blocks.
LIMITED = 1 << 12


def gpu(**registers):
    """With 32 blocks."""
    model = V3D(preset("gpu"), Memory(64))
    for name, word in registers.items():
        model.write(name, word)
    return model


@pytest.mark.parametrize(
    ("registers", "blocks", "renders", "errors"),
    [
        ({}, 32, False, set()),
        ({}, 33, True, {"VPAERGS"}),
        ({"VPMBASE": 16}, 16, False, set()),
        ({"VPMBASE": 16}, 17, False, {"VPAERGS"}),
        ({"VPACNTL": LIMITED | 1 << 3}, 12, False, set()),
        ({"VPACNTL": LIMITED | 1 << 3}, 13, False, {"VPAEBRGL"}),
        ({"VPACNTL": LIMITED | 1 << 3}, 6, True, set()),
        ({"VPACNTL": LIMITED | 1 << 3}, 7, True, {"VPAERRGL"}),
        ({"VPACNTL": LIMITED | 1 << 3}, 33, True, {"VPAERRGL", "VPAERGS"}),
        ({"VPACNTL": 1 << 3}, 13, True, set()),
    ],
)
def test_what_is_refused(registers, blocks, renders, errors):
    model = gpu(**registers)
    assert bool(model.binner.shading.allocation.refuses(blocks, renders)) == bool(errors)
    assert model.errors == errors


def test_more_reserved_than_there_is():
    model = V3D(V3DConfig(), Memory(64))  # 16 blocks
    model.write("VPMBASE", 31)
    assert "gets 0" in model.renderer.screen.shading.allocation.refuses(1, True)

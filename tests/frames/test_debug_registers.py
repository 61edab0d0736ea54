"""Debug and error registers as a host reads them: of a front end that stands, one that is done, and frames that hang."""

import dataclasses

import pytest

from vc4.config import preset
from vc4.records.control import ControlCode as Code
from vc4.records.primitives import PrimitiveData, PrimitiveType
from vc4.regs.table import register
from vc4sim.clist import compress
from vc4sim.frames.draw import DrawJob, run_draw
from vc4sim.model.cle.compressed import ListFormat

from ..fep.test_debug_status import FULL, REST
from ..model.drawing import COLOUR, LIST, PLAIN, SIZE, Drawing

CONFIG = dataclasses.replace(preset("gpu"), trace=True)
READ = ("FDBGO", "FDBGB", "FDBGR", "FDBGS", "DBGE", "ERRSTAT")
#: A semaphore that nobody counts up.
STUCK = COLOUR + "sacq 3\nmov tlbc, r0\n"

pytestmark = [pytest.mark.usefixtures("compiler"), pytest.mark.thorough]


def found_after(drawing, clocks=20_000, **registers):
    """Names of the fields that are not 0 when a frame is done, or after so many clocks; and whether it is."""
    starts = (*registers.items(), ("CT1CA", LIST), ("CT1EA", drawing.list.here))
    job = DrawJob(image=drawing.memory.read(0, SIZE), registers=starts, config=CONFIG, max_cycles=clocks)
    run = run_draw(job, read=READ)
    found = {field.name for name in READ for field in register(name).fields if run.read[name] & field.mask}
    assert "VCDI" in found
    return found - {"VCDI"}, run.drawn


def frame(source, **fields):
    drawing = Drawing(**fields)
    drawing.clear(7)
    drawing.configure()
    for _ in range(2):
        drawing.rectangle(source, 0, 0, 64, 64)
    return drawing


def test_a_frame_that_is_done():
    found, drawn = found_after(frame(PLAIN).finish())
    assert drawn
    assert found == REST | {"XYFO_FIFO_OP_READY"}


def test_a_fragment_shader_that_waits_for_ever():
    """QPUs take no more vectors, and everything in front of them stands."""
    found, drawn = found_after(frame(STUCK).finish())
    assert not drawn
    assert found == FULL | {"ZO_FIFO_IP_STALL", "XYFO_FIFO_OP_READY"}


def test_vertices_that_are_refused():
    """NV vertices with 63 words: sixteen blocks."""
    drawing = Drawing()
    drawing.clear(7)
    drawing.configure()
    vertices = [(x, y, 0.5, 1.0, *(1.0,) * 60) for x, y in ((0, 0), (60, 0), (0, 60))]
    drawing.shader(PLAIN, vertices)
    drawing.draw(3)
    drawing.finish()
    for registers, errors in (
        ({}, set()),
        ({"VPACNTL": 1 << 12 | 2}, set()),
        ({"VPACNTL": 1 << 12 | 1}, {"VPAERRGL", "VCMRE"}),
        ({"VPMBASE": 17}, {"VPAERGS", "VCMRE"}),
    ):
        found, drawn = found_after(drawing, **registers)
        assert (found - REST - {"XYFO_FIFO_OP_READY"}, drawn) == (errors, not errors)


@pytest.mark.parametrize("what", ["shader record", "vertices"])
def test_what_is_not_in_memory(what):
    drawing = Drawing()
    drawing.clear(7)
    drawing.configure()
    if what == "vertices":
        drawing.triangles(PLAIN, ((0, 0), (60, 0), (0, 60), 0.5, 1))
        drawing.draw(3, first=60_000)
    else:
        drawing.state(Code.NV_SHADER_STATE, shader_record_address=2 * SIZE)
        drawing.draw(3)
    found, drawn = found_after(drawing.finish())
    assert (found - REST - {"XYFO_FIFO_OP_READY"}, drawn) == ({"VCMRE"}, False)


def test_a_clipped_vertex_that_is_not_in_memory():
    drawing = Drawing()
    drawing.clear(7)
    drawing.configure()
    drawing.shader(PLAIN, [(20, 6, 0.5, 1.0, 0.0), (30, 6, 0.5, 1.0, 0.0)])
    drawing.state(Code.PRIMITIVE_LIST_FORMAT, primitive_type=PrimitiveType.LINES, data_type=PrimitiveData.INDEX_16)
    drawing.state(
        Code.CLIPPED_PRIMITIVE_WITH_COMPRESSED_PRIMITIVE_LIST, clipped_vertices=1, clipped_primitive_data_address=SIZE
    )
    drawing.draws.raw(compress(ListFormat(PrimitiveType.LINES), [(0, 1)]))
    found, drawn = found_after(drawing.finish())
    assert (found - REST - {"XYFO_FIFO_OP_READY"}, drawn) == ({"VR1_A", "EDGES_CTRLID"}, False)

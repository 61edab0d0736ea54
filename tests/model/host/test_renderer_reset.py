"""After a reset of the renderer a frame is drawn as by a new GPU."""

import pytest

from vc4.records.control import ControlCode as Code
from vc4.records.primitives import PrimitiveMode

from ..drawing import LIST, SIZE, STEPS, Drawing

#: RMRST of PCS.
RESET = 1 << 5


def lines(**state):
    """Some, after a record of state."""
    drawing = Drawing()
    drawing.clear()
    drawing.configure()
    for code, fields in state.items():
        drawing.state(Code[code], **fields)
    drawing.shader("nop\nnop\nldi tlbc, 7\n", [(10, 10, 0.5, 1.0, 7.0), (50, 40, 0.5, 1.0, 7.0)])
    drawing.draw(2, PrimitiveMode.LINES)
    return drawing.finish()


@pytest.mark.parametrize("resets", [True, False])
def test_state_is_forgotten(resets):
    plain, wide = lines(), lines(LINE_WIDTH={"line_width": 9.0})
    plain.run()
    wide.run()
    assert wide.picture() != plain.picture()
    again = lines()
    wide.memory.write(0, again.memory.read(0, SIZE))
    if resets:
        wide.frame.write("PCS", RESET)
    wide.frame.write("CT1CA", LIST)
    wide.frame.write("CT1EA", again.list.here)
    wide.frame.advance(STEPS)
    assert (wide.picture() == plain.picture()) == resets

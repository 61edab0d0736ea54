"""The stencil test, and what it does to eight bits (guide, tables 27 and 28; pipeline facts, 5.3).

Both functions take a view of `StencilFace` and the stored value.
"""

from amaranth.hdl import Const, Mux, Value

from vc4.common.select import select
from vc4.records.stencil import StencilOperation

from .compare import passes
from .structs import StencilFace

__all__ = ["stencil_holds", "stencil_updated"]


def stencil_holds(face: StencilFace, old: Value) -> Value:
    """Whether the test passes: the reference value is compared with the stored one, both masked."""
    rule = face.rule
    return ~face.enable | passes(rule.function, rule.reference & rule.mask, old & rule.mask)


def stencil_updated(face: StencilFace, old: Value, holds: Value, nearer: Value) -> Value:
    """The stencil value after both tests: what these have found out, `holds` and `nearer`, may come late."""
    rule = face.rule
    up, down = (old + 1)[: len(old)], (old - 1)[: len(old)]
    values = {
        StencilOperation.ZERO: Const(0, len(old)),
        StencilOperation.KEEP: old,
        StencilOperation.REPLACE: rule.reference,
        StencilOperation.INCREMENT: Mux(old.all(), old, up),
        StencilOperation.DECREMENT: Mux(old.any(), down, old),
        StencilOperation.INVERT: ~old,
        StencilOperation.INCREMENT_WRAP: up,
        StencilOperation.DECREMENT_WRAP: down,
    }
    operation = Mux(holds, Mux(nearer, Value.cast(rule.z_passes), rule.z_fails), rule.stencil_fails)
    new = select(operation, [values[one] for one in StencilOperation])
    changes = Mux(face.enable, face.write_mask, 0)
    return (old & ~changes) | (new & changes)

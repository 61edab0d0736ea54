"""What passes between the parts that carry out requests of QPUs."""

from amaranth.hdl import unsigned
from amaranth.lib import data

from vc4.records.quads import DEPTH_BITS, QUAD_PIXELS
from vc4.records.state import DepthTest

from .port import TlbAnswer
from .structs import SAMPLES, QuadFlags, QuadPlace

__all__ = ["TlbEvents", "colour_request", "depth_request", "port_answer"]


class TlbEvents(data.Struct):
    """Strobes, by the names of performance counters."""

    TLB_QUADS_WRITTEN: unsigned(1)
    TLB_QUADS_COVERED: unsigned(1)
    TLB_QUADS_UNCOVERED: unsigned(1)
    TLB_QUADS_STENCIL_FAILED: unsigned(1)
    TLB_QUADS_Z_FAILED: unsigned(1)
    TLB_QUADS_Z_PASSED: unsigned(1)


def depth_request(threads: int) -> data.StructLayout:
    """A request of one of so many threads that has to do with Z and stencil, see `TlbRequest`.

    sets_up : it is a stencil set-up
    coverage : it reads coverage; else it is a test
    fresh : the thread has got a vector since its last one of these
    high, data : the word of a set-up is that of pixel 0, with 8 bits more than Z has
    """
    return data.StructLayout(
        {
            "thread": range(threads),
            "sets_up": 1,
            "coverage": 1,
            "fresh": 1,
            "place": QuadPlace,
            "flags": QuadFlags,
            "back": 1,
            "test": DepthTest,
            "updates": 1,
            "clears": 1,
            "as_mask": 1,
            "high": 8,
            "data": data.ArrayLayout(DEPTH_BITS, QUAD_PIXELS),
        }
    )


def colour_request(ports: int) -> data.StructLayout:
    """A request of one of so many ports for colours or the alpha mask, see `TlbRequest`."""
    return data.StructLayout(
        {
            "port": range(ports),
            "mask": 1,
            "reads": 1,
            "place": QuadPlace,
            "flags": QuadFlags,
            "all": 1,
            "sample": range(SAMPLES),
            "word": 1,
            "data": data.ArrayLayout(32, QUAD_PIXELS),
        }
    )


def port_answer(ports: int) -> data.StructLayout:
    """An answer, and whose it is."""
    return data.StructLayout({"port": range(ports), "answer": TlbAnswer})

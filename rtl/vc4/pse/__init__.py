"""PSE: primitives from shaded vertices to edges, planes of Z, and coefficients (guide, sections 1 and 6; pipeline facts, 4).

::

                 ┌─────────────────── primitive_set_up ───────────────────┐
    vertices ────┼─► operands ─► product_sum ─► sum_results ─► edges, box, Z ┼──► set_up_results ─► rasteriser
                 │      ▲             ▲             │                      │        ▲      │
                 │      └─ step_sequencer: steps ───┤ divisors, items      │        │      │ weights
                 └──────────────────────────────────┼──────────────────────┘        │      ▼
                                                    └─► divider ─ quotients ────────┘  coefficients ─► A, B, C
    words of planes ───────────────────────────────────────────────────────────────────────▲

    divider:  divisor (reciprocal) ─► dividend ─► digit ─► product ─► rest, in a ring ─► quotient

In front of it is the reader, which gives it primitives with the state that lists have set::

                ┌───────────────────────── primitive_reader ──────────────────────────┐
    items ──────┼─┬──────────────────────────────────────────────────────────────────┼──► items, and a token for each primitive
                │ ├─► draw_records ──── state ─────────────────┐                      │
                │ │                                            ▼                      │
    VPM ◄───────┼─┴─► vertex_words ─┬─► words ─────┬─► vertex_assembly ───────────────┼──► requests
        ────────┼──►                ▼              │           │                      │
    memory ◄────┼─► clipped_vertices, weighted_sum ┘           ▼ 1/W, varyings        │
                │                                        plane_buffer ────────────────┼──► words of planes
    pieces ─────┼─────────────────────────────────────────────▲                       │
                └──────────────────────────────────────────────────────────────────────┘

What a shape is made of is a program in one table, `steps`: differences of positions, sums of products, and what becomes of a
sum. Integers are exact. Four quotients and two gains of Z have the same divisor, whose reciprocal gives 14 bits of a quotient
at a time. Coefficients are floats of the QPU's own multiplier and adder, six clocks a plane.
"""

from .primitive_reader import PrimitiveReader
from .pse import Pse

__all__ = ["PrimitiveReader", "Pse"]

"""The arithmetic of one lane: two ALUs of 32 bits and the widening and narrowing around them, without any QPU.

One operation a clock in each ALU, no stall; the stage that a signal belongs to is the prefix of its name::

         RR                 A0                 A1                 A2
    ┌─────────────┐    ┌────────────┐    ┌────────────┐    ┌──────────────┐
    │ AddPrepare  │    │ AddAlign   │    │ AddSum     │    │ AddNormalise │
    │ order       │ ┌┐ │ rotate     │ ┌┐ │ one adder  │ ┌┐ │ rotate       │
 ─▶ │ shift       ├▶││▶│ mask       ├▶││▶│ zeros      ├▶││▶│ exponent     ├─▶ a2_result, flags
    │ significand │ └┘ │ sticky     │ └┘ │ turn bytes │ └┘ │ saturate     │
    └─────────────┘    └────────────┘    └────────────┘    └──────────────┘      add_alu.AddAlu
    ┌─────────────┐    ┌────────────┐    ┌────────────┐    ┌──────────────┐
    │ MulPrepare  │    │ MulMultiply│    │ MulSum     │    │ MulNormalise │
    │ decode      │ ┌┐ │ 4 products │ ┌┐ │ product    │ ┌┐ │ shift by one ├─▶ a2_result
 ─▶ │             ├▶││▶│ exponents  │▶││▶│ byte       ├▶││▶├──────────────┤
    │             │ └┘ ├────────────┤ └┘ │ quotients  │ └┘ │ MulColour    │   or its colour
    │             │    │ MulBytes   │    ├────────────┤    │ shift        │
    │             │    │            │    │ MulColour- │    │              │
    │             │    │            │    │ Terms      │    │              │
    └─────────────┘    └────────────┘    └────────────┘    └──────────────┘      mul_alu.MulAlu
 ─▶   SfuPrepare   ││▶   SfuMultiply  ││▶    SfuSum     ││▶   SfuNormalise  ││▶   sfu_lane.SfuLane

The boxes are combinational, `AddAlu`, `MulAlu` and `SfuLane` place the registers (``││``) between them; the last one is
no part of a QPU, and its clocks have no names of stages. `Unpack`, in front of the
operand multiplexers, and `Pack`, in front of register file A, are combinational as well.

VideoCore IV arithmetic is not IEEE: sums and products are truncated towards zero, a denormal operand counts as zero, a
result that would be denormal is +0, a not-a-number counts as an infinity, and there is no negative zero in a sum.
"""

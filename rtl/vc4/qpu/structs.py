"""What goes in and out of a QPU, and between its parts."""

from amaranth.hdl import C, Cat, unsigned
from amaranth.lib import data

from vc4.isa.word import WORD_BITS
from vc4.records.tmu import REQUEST_SLOTS

__all__ = [
    "A2_FAR",
    "LANES",
    "R4_VECTORS",
    "SERIES_BITS",
    "THREADS",
    "UNIFORM_LENGTH_BITS",
    "DebugCommands",
    "FetchedWord",
    "FragmentStalls",
    "FragmentState",
    "LaneWords",
    "ProgramStart",
    "Redirect",
    "ThreadView",
    "TmuEvents",
    "TmuState",
    "Uniform",
    "UniformMove",
    "VpmState",
]

#: Elements that move in one clock: one quad.
LANES = 4
#: How far it is from a result in A2 to its registers (`vc4.common.select.FAR`): each lane has some of them, and those outside the
#: lanes, too.
A2_FAR = 2
#: Hardware threads of a QPU.
THREADS = 2
#: Of the number of a program of fragments. A QPU that holds one while 64 others begin elsewhere is not served in between.
SERIES_BITS = 6
#: Width of the length of a stream of uniforms (guide, V3D_SRQUL).
UNIFORM_LENGTH_BITS = 12
#: Results of the special function unit that a QPU keeps, see `R4`.
R4_VECTORS = 4
#: A quad of 32-bit values.
LaneWords = data.ArrayLayout(unsigned(32), LANES)


class ProgramStart(data.Struct):
    """A program for a QPU."""

    pc: unsigned(32)  # byte address of its first instruction
    uniforms: unsigned(32)  # byte address of its first uniform
    length: unsigned(UNIFORM_LENGTH_BITS)  # how many uniforms it has; see `UniformStream`
    threaded: unsigned(1)  # it may share the QPU with another one
    fragments: unsigned(1)  # it shades fragments, whose quads come right after it
    series: unsigned(SERIES_BITS)  # then: which program it is, counted at each change


class ThreadView(data.Struct):
    """How an instruction sees the register files."""

    thread: unsigned(1)  # inverts address bit 4
    bank: unsigned(1)  # inverts address bit 0

    def address(self, register):
        """The place in the file of the `register` that an instruction names."""
        return register ^ Cat(self.bank, C(0, 3), self.thread)


class FetchedWord(data.Struct):
    """An instruction word on its way to a QPU."""

    pc: unsigned(32)
    word: unsigned(WORD_BITS)
    error: unsigned(1)  # memory does not have it


class Redirect(data.Struct):
    """Where the instruction stream goes on."""

    restart: unsigned(1)  # 1: drop everything and go on at `target`; 0: go there after the word before `boundary`
    boundary: unsigned(32)
    target: unsigned(32)


class Uniform(data.Struct):
    """A uniform on its way to a QPU."""

    value: unsigned(32)
    error: unsigned(1)  # memory does not have it


class UniformMove(data.Struct):
    """Where the uniform stream of the running thread goes on."""

    relative: unsigned(1)  # 1: `address` is added to that of the next uniform
    address: unsigned(32)


class DebugCommands(data.Struct):
    """What the host asks of a QPU, for one clock each but for `enable`."""

    enable: unsigned(1)  # debugging is on
    halt: unsigned(1)
    run: unsigned(1)
    step: unsigned(1)  # one instruction, while halted


class VpmState(data.Struct):
    """What SP has to know of the way to the VPM and back, but for instructions that are still in the pipeline."""

    full: unsigned(1)  # the queue has no room for another instruction and those in the pipeline
    empty: unsigned(1)  # nothing is in the queue
    storing: unsigned(1)  # a DMA store runs or is in the queue
    loading: unsigned(1)  # a DMA load runs or is in the queue
    fetching: unsigned(1)  # vectors are on their way from the VPM
    readable: unsigned(1)  # a vector is there


class TmuEvents(data.Struct):
    """What a texture unit tells, see `TmuPort`."""

    freed: range(REQUEST_SLOTS + 1)
    blocked: unsigned(1)
    came: unsigned(1)
    done: unsigned(1)


class TmuState(data.Struct):
    """Why the instruction in SP waits for a texture unit."""

    swap: unsigned(1)  # which one is meant is on the way
    slot: unsigned(1)  # there is no slot for its parameter
    no_slot: unsigned(1)  # nor will there be
    result: unsigned(1)  # the result that it loads is not there
    no_result: unsigned(1)  # nor will it be


class FragmentState(data.Struct):
    """What SP has to know of fragments and of the ways to tile buffer and interpolator."""

    there: unsigned(THREADS)  # threads with all quads of their vector
    waits: unsigned(THREADS)  # threads that may not touch the tile buffer yet
    varyings: unsigned(THREADS)  # threads whose next varying is there
    done: unsigned(THREADS)  # strobes: all that a program has said to the tile buffer is taken
    full: unsigned(1)  # the queue to the tile buffer has no room for another instruction and those in the pipeline
    empty: unsigned(1)  # nothing is in it, and no flags are to come
    pending: unsigned(1)  # an instruction in the pipeline has something to say to the tile buffer
    came: unsigned(1)  # strobe: what was loaded is there


class FragmentStalls(data.Struct):
    """Why the instruction in SP waits for fragments."""

    start: unsigned(1)  # W and Z are on their way
    scoreboard: unsigned(1)  # older fragments of the same places come first
    varying: unsigned(1)  # the next varying is not there yet
    tlb: unsigned(1)  # the tile buffer has not got to what it wants to read, or to what was written
    lacks: unsigned(1)  # the program has no fragments
